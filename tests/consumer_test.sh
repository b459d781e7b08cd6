#!/usr/bin/env bash
# Installs BUILD into a temporary place, builds CONSUMER against it and runs it.
set -euo pipefail
build=$1 consumer=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/installed" >"$work/log"
cmake -S "$consumer" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/installed" \
  -DCMAKE_BUILD_TYPE=Release >>"$work/log" || { cat "$work/log"; exit 1; }
cmake --build "$work/build" >>"$work/log" || { cat "$work/log"; exit 1; }
output=$("$work/build/consumer")
echo "$output"
[[ $output == "bound -"*"= expected log-likelihood -"*" - KL "*"derivatives" ]]
"$work/installed/bin/mdgp" --version
