#!/usr/bin/env bash
# The worked examples say what the program says: runs the commands of every example's README and
# compares. With --update it writes what they say now into the READMEs instead.
#
# In a ```console block a line that begins with "$ " is a command; what follows is its output. Words
# must be the same. Numbers may differ a little, as they do between processors, and times do not
# count; within() below says how much is little.
set -euo pipefail
update=no
if [[ ${1-} == --update ]]; then update=yes && shift; fi
[[ $# == 2 ]] || { echo "usage: $0 [--update] PROGRAM EXAMPLES_DIR" >&2; exit 2; }
program=$(realpath "$1") examples=$(realpath "$2")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$program" "$work/bin/mdgp"
export PATH="$work/bin:$PATH" LC_ALL=C

# What takes more than a minute, as on a busy machine, says how far it is: "training 40 %  …  90 s left".
without_progress() { sed -E '/^[a-z]+ [0-9]+ %  /d'; }

# The README on standard input with the output that its commands give now.
replay() {
  local line inside=no
  while IFS= read -r line; do
    case $inside$line in
      'no```console') inside=yes ;;&
      'yes```') inside=no ;;&
      'yes$ '*)
        printf '%s\n' "$line"
        { bash -o pipefail -c "${line#\$ }" 2>&1 </dev/null || echo "exit code $?"; } | without_progress
        ;;
      no* | 'yes```') printf '%s\n' "$line" ;;
      *) ;; # what it said then
    esac
  done
}

# compare OLD NEW: prints the lines that differ by more than numbers may, and fails where there are any.
compare() {
  [[ $(wc -l <"$1") == $(wc -l <"$2") ]] || { diff "$1" "$2"; return 1; }
  awk '
    function size(x) { return x < 0 ? -x : x }
    function larger(a, b) { return size(a) > size(b) ? size(a) : size(b) }

    # Columns of a table of scores are known by where their title ends.
    function read_titles(line, at) {
      delete title_at
      for (at = 0; match(line, /[^ ]+( [^ ]+)*/); line = substr(line, RSTART + RLENGTH)) {
        at += RSTART + RLENGTH - 1
        title_at[at] = substr(line, RSTART, RLENGTH)
      }
    }

    function within(old, new, title, change) {
      change = size(old - new)
      if (old !~ /[.]/ && new !~ /[.]/) return old + 0 == new + 0
      if (title ~ /^in /) return change <= 0.1  # one row of ten more or less
      if (title ~ /NLPP/) return change <= 0.08
      if (title ~ /accuracy|ROC-AUC|cal. error/) return change <= 0.05
      if (title != "") return change <= 0.15 * larger(old, new)
      return change <= 0.15 * larger(old, new) || change <= 0.02
    }

    # The words of a line; its numbers go to number[1], ..., what stands before each to before[] and
    # the titles of their columns to column[]. The four sizes of a weight are numbers after a #.
    function take_apart(line, number, before, column, at, words, n, found) {
      gsub(/█/, "#3", line); gsub(/■/, "#2", line); gsub(/▪/, "#1", line); gsub(/·/, "#0", line)
      gsub(/[0-9.]+ s /, "T s ", line)
      n = 0
      words = ""
      for (at = 0; match(line, /-?[0-9]+([.][0-9]+)?(e[-+]?[0-9]+)?/);
           line = substr(line, RSTART + RLENGTH)) {
        at += RSTART + RLENGTH - 1
        found = substr(line, RSTART, RLENGTH)
        words = words substr(line, 1, RSTART - 1)
        if (words ~ /[A-Za-z_]$/) {  # part of a name, as in q0.05
          words = words found
          continue
        }
        number[++n] = found
        before[n] = substr(words, length(words))
        column[n] = title_at[at]
        words = words "N"
      }
      words = words line
      gsub(/ +/, " ", words)
      number[0] = n
      return words
    }

    function same(old, new, i) {
      if (old == new) return 1
      if (take_apart(old, a, before, columns) != take_apart(new, b, before, columns)) return 0
      for (i = 1; i <= a[0]; ++i) {
        if (before[i] == "#" ? size(a[i] - b[i]) > 1 : !within(a[i], b[i], columns[i])) return 0
      }
      return 1
    }

    FNR == NR { then[FNR] = $0; next }
    {
      if ($0 ~ /^task +rows /) read_titles($0)
      if ($0 == "```") delete title_at
      if (same(then[FNR], $0)) next
      printf "  line %d\n  - %s\n  + %s\n", FNR, then[FNR], $0
      bad = 1
    }
    END { exit bad }' "$1" "$2"
}

failures=0 count=0
for readme in "$examples"/*/README.md; do
  grep -q '^\$ mdgp fit ' "$readme" || continue
  name=$(basename "$(dirname "$readme")")
  cp -r "$examples/$name" "$work/$name"
  start=$SECONDS
  (cd "$work/$name" && replay) <"$readme" >"$work/$name.md"
  echo "examples_test: $name took $((SECONDS - start)) s"
  count=$((count + 1))
  # The commands have made the tables anew.
  for table in "$examples/$name"/*.csv; do
    cmp "$table" "$work/$name/$(basename "$table")" || failures=$((failures + 1))
  done
  if [[ $update == yes ]] && ! grep '^exit code' "$work/$name.md"; then
    cp "$work/$name.md" "$readme"
  elif ! compare "$readme" "$work/$name.md"; then
    echo "examples_test: $readme does not show what its commands say" >&2
    failures=$((failures + 1))
  fi
done
((count >= 3)) || { echo "examples_test: only $count examples in $examples" >&2; exit 1; }
((failures == 0)) || exit 1
echo "examples_test: passed"
