#!/usr/bin/env bash
# Dependencies point one way: a folder of src/mdgp includes only those before it in the list of
# CONTRIBUTING.md, which README's tree repeats. Usage: includes_test.sh PROJECT
set -euo pipefail
cd "$1"
list=$(tr '\n' ' ' <CONTRIBUTING.md | grep -o 'before it in this list:[^.]*' | sed 's/.*: *//; s/,//g')
read -ra folders <<<"$list"
failures=0
failed() { echo "includes_test: $*" >&2 && failures=$((failures + 1)); }

[[ "$(printf '%s\n' "${folders[@]}" | sort)" == "$(ls -d src/mdgp/*/ | xargs -n 1 basename | sort)" ]] ||
  failed "the list of CONTRIBUTING.md is not the folders of src/mdgp: ${folders[*]}"
[[ "$(sed -n '/^src\/mdgp/,/^apps/s/^  \([a-z]*\)\/.*/\1/p' README.md | xargs)" == "${folders[*]}" ]] ||
  failed "README's tree has other folders than the list of CONTRIBUTING.md"
before=
for folder in "${folders[@]}"; do
  before+="${before:+|}$folder"
  if grep -rnE '#include "mdgp/' "src/mdgp/$folder" | grep -vE "#include \"mdgp/($before)/"; then
    failed "$folder includes what comes after it"
  fi
done
((failures == 0))
