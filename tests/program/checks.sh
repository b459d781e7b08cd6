# shellcheck shell=bash disable=SC2034
# What the tests of the program share: a directory to work in, checks that are counted, tables.
# Sourced with the path of the program as $1; `finish` ends a test.
mdgp=$(realpath "$1")
name=$(basename "$0" .sh)
corpus=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../../fuzz/corpus")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset MDGP_DATA
cd "$work"

checks=0 failures=0
failed() {
  failures=$((failures + 1))
  echo "$name: FAILED: $*" >&2
}

# check WHAT COMMAND…: the command must succeed.
check() {
  local what=$1
  shift
  checks=$((checks + 1))
  "$@" || failed "$what"
}

# check_equal WHAT FOUND EXPECTED
check_equal() {
  checks=$((checks + 1))
  [[ $2 == "$3" ]] || failed "$1"$'\n'"  expected: $3"$'\n'"  found:    $2"
}

# check_same WHAT FILE FILE: the same bytes.
check_same() { check "$1" cmp -s "$2" "$3"; }

# check_line WHAT FILE PATTERN: a line of the file matches the extended regular expression.
check_line() { check "$1" grep -qE -- "$3" "$2"; }

finish() {
  if ((failures > 0)); then
    echo "$name: $failures of $checks checks failed" >&2
    exit 1
  fi
  echo "$name: $checks checks passed"
}

# Two inputs, a column of text, and four tasks of three kinds; b has gaps. The numbers are not smooth
# in x2, so that a fit has something to do.
wide_table() {
  awk -v rows="$1" 'BEGIN {
    print "x1,x2,colour,a,b,up,n"
    for (i = 0; i < rows; i++) {
      x = 4 * i / rows - 2
      z = sin(3 * i)
      b = i % 4 == 0 ? "" : sprintf("%.4f", cos(x) + 0.1 * z)
      colour = i % 3 ? "blue" : "red"
      up = x + z > 0 ? "yes" : "no"
      printf "%.4f,%.4f,%s,%.4f,%s,%s,%d\n", x, z, colour, sin(x) + 0.2 * z, b, up,
             2 + 2 * sin(x) + z
    }
  }'
}

# One observation a row: four tasks of four kinds in one column.
long_table() {
  awk -v rows="$1" 'BEGIN {
    split("elbow shoulder wrist blinks", joint, " ")
    split("low,mid,high", level, ",")
    print "joint,x,z,value"
    for (i = 0; i < rows; i++) {
      x = 4 * i / rows - 2
      t = i % 4 + 1
      if (t == 1) value = sprintf("%.4f", sin(x))
      if (t == 2) value = x > 0 ? "yes" : "no"
      if (t == 3) value = level[1 + int(i / 4) % 3]
      if (t == 4) value = int(2 + 2 * sin(x))
      printf "%s,%.4f,%.4f,%s\n", joint[t], x, cos(5 * i), value
    }
  }'
}
