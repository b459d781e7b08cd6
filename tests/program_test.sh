#!/usr/bin/env bash
# The built program: the demo runs; wrong calls give one line and exit code 2.
set -euo pipefail
mdgp=$1
fail() { echo "program_test: $*" >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

demo=$("$mdgp" demo --steps 20 --threads 2 --out "$work/out")
for model in smdgp mmdgp cmdgp idgp cgp igp; do
  grep -q "^$model " <<<"$demo" || fail "the demo does not show $model"
done
grep -q "</html>" "$work/out/demo.html" || fail "no page"
grep -q "</svg>" "$work/out/demo.svg" || fail "no picture"
# The same seed, another number of threads: the same picture.
"$mdgp" demo --steps 20 --threads 1 --out "$work/again" >/dev/null
cmp "$work/out/demo.svg" "$work/again/demo.svg" || fail "the picture depends on the threads"
[[ $("$mdgp" --version) == "mdgp "* ]] || fail "--version"

wrong() {
  local lines code=0
  lines=$("$mdgp" "$@" 2>&1 >/dev/null) || code=$?
  [[ $code == 2 ]] || fail "'mdgp $*' gives exit code $code, not 2"
  [[ $(wc -l <<<"$lines") == 1 && $lines == "mdgp: "* ]] || fail "'mdgp $*' says: $lines"
}
"$mdgp" experiment toy --runs 2 --steps 20 | grep -q "gain over cgp" || fail "experiment toy"
wrong
wrong nonsense
wrong experiment
wrong experiment nonsense
wrong experiment toy --runs 0
wrong demo --threads 0
wrong demo --threads many
wrong demo --nonsense
wrong demo --steps 0
touch "$work/file"
wrong demo --steps 1 --out "$work/file"
echo "program_test: passed"
