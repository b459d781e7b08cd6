#!/bin/sh
# Writes corpus/model_file/, the models that the fuzzer begins with: make_model_seeds.sh build/mdgp
set -eu
mdgp=$(realpath "$1")
out=$(dirname "$(realpath "$0")")/corpus/model_file
rows=$(mktemp -d)
trap 'rm -rf "$rows"' EXIT
mkdir -p "$out"
cd "$rows"

cat > wide.csv <<END
x,a,b
1,0.5,-1.25
2,1.5,
3,0.75,2
4,-0.5,0.5
5,,1
END
cat > long.csv <<END
who,colour,x,y
up,red,1,no
up,blue,2,yes
up,red,3,yes
kind,red,1,a
kind,blue,2,b
kind,red,4,c
seen,blue,1,0
seen,red,2,3
seen,blue,3,1
END

fit() {
  name=$1
  shift
  "$mdgp" fit "$@" --inducing 2 --steps 3 -o "$out/$name.mdgp" > /dev/null
}
fit mmdgp wide.csv --targets a,b --model mmdgp --width 2
fit cmdgp wide.csv --targets a,b --model cmdgp --width 1 --depth 3 --propagate-inputs false
fit kinds long.csv --task who --target y --inputs colour --model smdgp --width 1 --mean zero
fit cgp wide.csv --targets a,b --model cgp --kernel "rbf + linear" --regression student_t
# Without --inducing, which these do not have: members, a network, a forest.
"$mdgp" fit wide.csv --targets a,b --model exact-gp --kernel linear --hyperparameter-samples 2 -o "$out/members.mdgp" >/dev/null
"$mdgp" fit wide.csv --targets a,b --model mbnn2 --units 2 --steps 3 -o "$out/mbnn2.mdgp" >/dev/null
"$mdgp" fit long.csv --task who --target y --inputs colour --model irf --trees 2 -o "$out/irf.mdgp" >/dev/null
