#!/usr/bin/env bash
# reference_check must fail where it should: a number that is off gives 1, a file that is not a case 2.
set -euo pipefail
check=$1 cases=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
expect() {
  local want=$1 code=0
  shift
  "$check" "$@" >"$work/out" 2>&1 || code=$?
  [[ $code == "$want" ]] || { echo "reference_check $*: exit code $code, not $want"; cat "$work/out"; exit 1; }
}
sed 's/"elbo": *-\?[0-9.]*/"elbo": -1.0/' "$cases/smdgp.json" >"$work/off.json"
expect 1 "$work/off.json"
head -c 1000 "$cases/smdgp.json" >"$work/truncated.json"
expect 2 "$work/truncated.json"
echo '{"name": "empty"}' >"$work/empty.json"
expect 2 "$work/empty.json"
expect 2 "$work/absent.json"
expect 2
expect 0 "$cases/smdgp.json" "$cases/igp_matern52.json"
echo "reference_check_test: passed"
