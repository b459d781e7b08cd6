#!/usr/bin/env bash
# run.sh BUILD SECONDS: every fuzzer of the build for that long, from the seeds in corpus/. What it
# finds is kept in BUILD/found; a finding ends the script with an exit code that is not 0.
set -euo pipefail
build=$1 seconds=$2
here=$(dirname "${BASH_SOURCE[0]}")
mkdir -p "$build/found"
fuzz() {
  local fuzzer=$1 name log
  name=$(basename "$fuzzer" _fuzz)
  mkdir -p "$build/found/$name"
  log=$build/found/$name.log
  if ! "$fuzzer" "$build/found/$name" "$here/corpus/$name" -max_total_time="$seconds" -max_len=65536 \
    -timeout=20 -rss_limit_mb=2048 -artifact_prefix="$build/found/$name-" >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    echo "fuzz: $name: a finding; see $log" >&2
    return 1
  fi
  echo "fuzz: $name: $(sed -n 's/^Done \([0-9]*\) runs.*/\1/p' "$log") runs, nothing found"
}
export build seconds here
export -f fuzz
printf '%s\0' "$build"/*_fuzz | xargs -0 -n 1 -P "$(nproc)" bash -c 'fuzz "$1" || exit 255' _
