#!/usr/bin/env bash
# The built program: the demo runs; wrong calls give one line and exit code 2.
set -euo pipefail
mdgp=$1
fail() { echo "program_test: $*" >&2; exit 1; }

demo=$("$mdgp" demo --threads 2)
for model in smdgp mmdgp cmdgp idgp cgp igp; do
  grep -q "^$model " <<<"$demo" || fail "the demo does not show $model"
done
[[ $("$mdgp" --version) == "mdgp "* ]] || fail "--version"

wrong() {
  local lines code=0
  lines=$("$mdgp" "$@" 2>&1 >/dev/null) || code=$?
  [[ $code == 2 ]] || fail "'mdgp $*' gives exit code $code, not 2"
  [[ $(wc -l <<<"$lines") == 1 && $lines == "mdgp: "* ]] || fail "'mdgp $*' says: $lines"
}
wrong
wrong nonsense
wrong demo --threads 0
wrong demo --threads many
wrong demo --nonsense
echo "program_test: passed"
