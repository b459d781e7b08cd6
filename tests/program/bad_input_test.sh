#!/usr/bin/env bash
# Wrong calls and wrong files: one line that says what is wrong, where, and what would be right; exit
# code 2; and no file made or changed. Every case runs twice: where there is no output file yet, and
# where there is an old one.
set -euo pipefail
source "$(dirname "$0")/checks.sh"

# The directory as it is: every file with its number, size and time of change.
state() { find . -type d -printf '%p\n' -or -printf '%p %i %s %T@\n' | sort; }

# refuse MESSAGE ARGUMENT…: exit code 2, that line (after "mdgp: ") and no other, nothing touched.
refuse() {
  local message=$1 found code=0
  shift
  found=$(timeout 20 "$mdgp" "$@" 2>&1 >/dev/null </dev/null) || code=$?
  check_equal "mdgp $*" "$code $found" "2 mdgp: $message"
  check_untouched "mdgp $*"
}

# Everything as `remember` saw it; put back where it is not, so that the cases after do not suffer.
remember() {
  rm -rf ../before
  cp -a . ../before
  before=$(state)
}
check_untouched() {
  checks=$((checks + 1))
  local after
  after=$(state)
  [[ $after == "$before" ]] && return
  failed "$1 changes files:"$'\n'"$(diff <(echo "$before") <(echo "$after") | grep '^[<>]')"
  find . -mindepth 1 -delete
  cp -a ../before/. .
  before=$(state)
}
mkdir here
cd here

wide_table 40 >wide.csv
long_table 64 >long.csv
few=(--steps 3 --inducing 5)
"$mdgp" fit wide.csv --targets a,b,up,n --inputs x1,colour "${few[@]}" -o wide.mdgp >/dev/null
"$mdgp" fit long.csv --task joint --target value "${few[@]}" -o long.mdgp >/dev/null

# --- Calls ---------------------------------------------------------------------------------------------
bad_calls() {
  local help="see mdgp --help"
  refuse "say what to do: fit, predict, evaluate, info, demo or experiment; $help"
  refuse "there is no command 'nonsense'; $help" nonsense
  refuse "there is no command 'prdict'; did you mean 'predict'?; $help" prdict wide.mdgp wide.csv
  refuse "there is no flag '--nonsense'; $help" --nonsense
  refuse "there is no command 'tyo'; did you mean 'toy'?; see mdgp experiment --help" experiment tyo
  help="see mdgp fit --help"
  refuse "TABLE is required; $help" fit
  refuse "TABLE is required; $help" fit --targets a -o out.mdgp
  refuse "--out is required; $help" fit wide.csv --targets a
  refuse "there is no flag '--widht'; did you mean '--width'?; $help" \
    fit wide.csv --targets a --widht 3 -o out.mdgp
  refuse "there is no flag '--stepz'; did you mean '--steps'?; $help" \
    fit wide.csv --targets a --stepz=3 -o out.mdgp
  refuse "there is no flag '--optimizer'; did you mean '--optimiser'?; $help" \
    fit wide.csv --targets a --optimizer adam -o out.mdgp
  refuse "--width needs a value, but '--targets' follows; $help" \
    fit wide.csv --width --targets a -o out.mdgp
  refuse "--width: 1 required N missing; $help" fit wide.csv --targets a -o out.mdgp --width
  refuse "--steps: At Most 1 required but received 2; $help" \
    fit wide.csv --targets a --steps 3 --steps 4 -o out.mdgp
  refuse "The following argument was not expected: more.csv; $help" \
    fit wide.csv more.csv --targets a -o out.mdgp
  refuse "--threads: Value 0 not in range 1 to 256; $help" \
    fit wide.csv --targets a --threads 0 -o out.mdgp
  help="see mdgp predict --help"
  refuse "MODEL is required; $help" predict
  refuse "TABLE is required; $help" predict wide.mdgp
  refuse "--quantiles: 1.5 is not a level between 0 and 1, such as 0.95; $help" \
    predict wide.mdgp wide.csv --quantiles 0.5,1.5 -o out.csv
  refuse "--quantiles: 0 is not a level between 0 and 1, such as 0.95; $help" \
    predict wide.mdgp wide.csv --quantiles 0 -o out.csv
  refuse "--quantiles: median is not a level between 0 and 1, such as 0.95; $help" \
    predict wide.mdgp wide.csv --quantiles median -o out.csv
  refuse "--samples: Value 0 not in range 1 to 8192; $help" \
    predict wide.mdgp wide.csv --samples 0 -o out.csv
  refuse "--seed: -1 is not a whole number from 0 to 2^64 - 1; $help" \
    predict wide.mdgp wide.csv --seed -1 -o out.csv
  refuse "--seed: 1.5 is not a whole number from 0 to 2^64 - 1; $help" \
    predict wide.mdgp wide.csv --seed 1.5 -o out.csv
  refuse "TABLE is required; see mdgp evaluate --help" evaluate wide.mdgp
  refuse "there is no flag '--jsn'; did you mean '--json'?; see mdgp evaluate --help" \
    evaluate wide.mdgp wide.csv --jsn
  refuse "MODEL is required; see mdgp info --help" info
}

# --- Tables --------------------------------------------------------------------------------------------
: >empty.csv
head -n 1 wide.csv >header.csv
printf '%s\n' x,y,x 1,2,3 >duplicate.csv
printf '%s\n' x,,y 1,2,3 >nameless.csv
printf '%s\n' x,y 1,2 3 5,6 >ragged.csv
printf '%s\n' x,y 1,2 3,4,5 >too_wide.csv
printf '%s\n' x,y 1,2 '' 3,4 >blank.csv
printf '%s\n' x,y 1,2 '"3,4' >open_quote.csv
printf '%s\n' x,y '"1"2,3' >after_quote.csv
printf 'x,y\n1,\0002\n' >nul.csv
gzip -c wide.csv | head -c 200 >cut.csv.gz
printf '%s\n' 1,2 3,4 >numbers.csv
mkdir folder

bad_tables() {
  local fit=(--targets y -o out.mdgp "${few[@]}") file
  refuse "none.csv: no such file" fit none.csv "${fit[@]}"
  refuse "folder: a directory, not a file" fit folder "${fit[@]}"
  refuse "standard input: empty; a table needs a header line" fit - "${fit[@]}"
  refuse "empty.csv: empty; a table needs a header line" fit empty.csv "${fit[@]}"
  refuse "header.csv: no rows" fit header.csv --targets a -o out.mdgp
  refuse "duplicate.csv, line 1: columns 1 and 3 are both named 'x'; each needs a name of its own in \
the header" fit duplicate.csv "${fit[@]}"
  refuse "nameless.csv, line 1: column 2 has no name; each needs a name of its own in the header" \
    fit nameless.csv "${fit[@]}"
  refuse "numbers.csv, line 1: only numbers; a table needs a header line with the names of its \
columns" fit numbers.csv "${fit[@]}"
  refuse "ragged.csv, line 3: 1 cell, but the header has 2" fit ragged.csv "${fit[@]}"
  refuse "too_wide.csv, line 3: 3 cells, but the header has 2" fit too_wide.csv "${fit[@]}"
  refuse "blank.csv, line 3: blank, but the header has 2 columns" fit blank.csv "${fit[@]}"
  refuse "open_quote.csv, line 3: a quote opens a cell and never closes it" \
    fit open_quote.csv "${fit[@]}"
  refuse "after_quote.csv, line 2: text after a closing quote; a quote within quotes must be doubled" \
    fit after_quote.csv "${fit[@]}"
  refuse "nul.csv, line 2: a NUL byte; a table must be text" fit nul.csv "${fit[@]}"
  refuse "cut.csv.gz: the compressed data ends in the middle; is the file complete?" \
    fit cut.csv.gz --targets a -o out.mdgp
  file=$corpus/csv/utf16.csv
  refuse "$file: UTF-16 is not read; save it as CSV in UTF-8" fit "$file" "${fit[@]}"
  file=$corpus/npy/cut.npy
  refuse "$file: 40 bytes of items, but its header says 48; is it complete?" fit "$file" "${fit[@]}"
  file=$corpus/npy/cube.npy
  refuse "$file: 3 dimensions; a table needs one or two" fit "$file" "${fit[@]}"
  file=$corpus/npy/object.npy
  refuse "$file: Python objects (dtype object) are not read" fit "$file" "${fit[@]}"
  file=$corpus/npy/damaged.npz
  refuse "$file, array 'y': CRC error" fit "$file" "${fit[@]}"
  file=$corpus/npy/unequal.npz
  refuse "$file: array 'y' has 2 rows, but the ones before it have 3" fit "$file" "${fit[@]}"
  file=$corpus/npy/spreadsheet.npz
  refuse "$file: a zip archive without NumPy arrays; save a spreadsheet as CSV" \
    fit "$file" "${fit[@]}"
  file=$corpus/mat/cut.mat
  refuse "$file: a damaged MATLAB file: an element ends early; is the file complete?" \
    fit "$file" "${fit[@]}"
  file=$corpus/mat/claims.mat
  refuse "$file: a damaged MATLAB file: a compressed element ends early" fit "$file" "${fit[@]}"
  file=$corpus/mat/version73.mat
  refuse "$file: HDF5 (MATLAB 7.3) is not read; save it from MATLAB with -v7, or as CSV" \
    fit "$file" "${fit[@]}"
}

# --- Which columns, and what they are ---------------------------------------------------------------------
printf '%s\n' x,a,b 1,2, 2,3, >no_target.csv
printf '%s\n' x,t,y 1,p,3 2,q, >no_target_long.csv
printf '%s\n' x,t,y 1,,3 2,,4 >no_task.csv
printf '%s\n' x,y 1,up 2,up 3,up >one_label.csv
printf '%s\n' x,y ,1 ,2 >empty_input.csv
printf '%s\n' x,y 1,3 2,-4 3,5 >negative.csv
printf '%s\n' x,y 1,3.5 2,4.25 3,bad 4,5.5 5,6 >word.csv
printf '%s\n' x,y -1e300,1 0,2 1e300,3 >huge_input.csv
printf '%s\n' x,y 1,-1e300 2,0 3,1e300 >huge_target.csv

bad_columns() {
  local out=(-o out.mdgp "${few[@]}")
  local names="there are x1, x2, colour, a, b, up, n"
  refuse "wide.csv: there is no column 'colur' (--target); did you mean 'colour'?" \
    fit wide.csv --target colur "${out[@]}"
  refuse "wide.csv: there is no column 'zebra' (--targets); $names" \
    fit wide.csv --targets a,zebra "${out[@]}"
  # One letter is as far from any other: no use to suggest one.
  refuse "wide.csv: there is no column 'q' (--targets); $names" fit wide.csv --targets q "${out[@]}"
  refuse "wide.csv: there is no column '' (--targets); $names" \
    fit wide.csv --targets a,,b "${out[@]}"
  refuse "wide.csv: there is no column 'b:q' (--targets); $names" \
    fit wide.csv --targets b:q "${out[@]}"
  refuse "wide.csv: there is no column 'q*' (--targets); $names" \
    fit wide.csv --targets 'q*' "${out[@]}"
  refuse "wide.csv: there is no column 'x3' (--inputs); did you mean 'x1'?" \
    fit wide.csv --targets a --inputs x1,x3 "${out[@]}"
  refuse "long.csv: there is no column 'jiont' (--task); did you mean 'joint'?" \
    fit long.csv --task jiont --target value "${out[@]}"
  refuse "wide.csv: column 'a' cannot be an input: it is the target" \
    fit wide.csv --targets a --inputs x1,a "${out[@]}"
  refuse "long.csv: column 'joint' cannot be an input: it is the task" \
    fit long.csv --task joint --target value --inputs joint,x "${out[@]}"
  refuse "--task goes with --target; with --targets every column is a task" \
    fit long.csv --task joint --targets value "${out[@]}"
  refuse "--task and --target are both 'a'; the one names the task of a row, the other has its value" \
    fit wide.csv --task a --target a "${out[@]}"
  refuse "--target and --targets exclude each other; --targets is for tables where every task has a \
column of its own" fit wide.csv --target a --targets a "${out[@]}"
  refuse "--task joint: say with --target COLUMN where the values of the tasks stand" \
    fit long.csv --task joint "${out[@]}"
  refuse "say what to predict: --target COLUMN (with --task COLUMN where a column names the task), or \
--targets A,B,… where every task has a column of its own" fit wide.csv "${out[@]}"
  refuse "wide.csv: no column is left to be an input; inputs are all other columns of numbers, or \
those of --inputs" fit wide.csv --targets x1,x2,a,b,n "${out[@]}" --types n=regression
  refuse "no_target.csv: task 'b' has no target" fit no_target.csv --targets a,b "${out[@]}"
  refuse "no_target_long.csv: task 'q' has no target" \
    fit no_target_long.csv --task t --target y "${out[@]}"
  refuse "no_task.csv: column 't' names no task" fit no_task.csv --task t --target y "${out[@]}"
  refuse "one_label.csv: task 'y' has 1 different label; binary needs two" \
    fit one_label.csv --targets y "${out[@]}"
  refuse "empty_input.csv: column 'x' is empty; leave it out with --inputs" \
    fit empty_input.csv --targets y "${out[@]}"
  refuse "--types: 'a=colour' is not NAME=KIND with a kind of regression, binary, classes, count" \
    fit wide.csv --targets a --types a=colour "${out[@]}"
  refuse "--types: 'a' is not NAME=KIND with a kind of regression, binary, classes, count" \
    fit wide.csv --targets a --types a "${out[@]}"
  refuse "--types: there is no task 'elbw'; did you mean 'elbow'?" \
    fit long.csv --task joint --target value --types elbw=count "${out[@]}"
  refuse "wide.csv, line 2: the target 'no' of task 'up' is not a number, which regression needs" \
    fit wide.csv --targets up --types up=regression "${out[@]}"
  refuse "negative.csv, line 3: the target '-4' of task 'y' is not a count (0, 1, 2, …)" \
    fit negative.csv --targets y --types y=count "${out[@]}"
  refuse "wide.csv: task 'a' has 40 different labels; binary needs two" \
    fit wide.csv --targets a --types a=binary "${out[@]}"
  # A number that is none must not make classes of all the others.
  refuse "word.csv, line 4: the target 'bad' of task 'y' is not a number, but most others are; leave \
it empty, or say --types y=classes" fit word.csv --targets y "${out[@]}"
  refuse "huge_input.csv: column 'x' has numbers too large to work with; scale it" \
    fit huge_input.csv --targets y "${out[@]}"
  refuse "huge_target.csv: task 'y' has numbers too large to work with; scale it" \
    fit huge_target.csv --targets y "${out[@]}"
}

# --- Settings ---------------------------------------------------------------------------------------------
bad_settings() {
  refuse "--components 3: at most 2, as there are 40 rows to train on and 2 inputs" \
    fit wide.csv --targets a,b --inputs x1,x2 --reduce pca --components 3 -o out.mdgp
  refuse "--components goes with --reduce pca or sparse-pca" \
    fit wide.csv --targets a,b --inputs x1,x2 --components 1 -o out.mdgp
  refuse "--reduce: 'pcs' is not known; did you mean 'pca'? (one of none, pca, sparse-pca)" \
    fit wide.csv --targets a,b --reduce pcs -o out.mdgp
  local fit=(fit wide.csv --targets a,b --inputs x1 -o out.mdgp)
  refuse "--valid is 1.5, but must be a number from 0 to 0.9" "${fit[@]}" --valid 1.5
  refuse "--valid 0.001: none of 40 rows is held out; give a larger share" "${fit[@]}" --valid 0.001
  refuse "--steps is 0, but must be a whole number from 1 to 10000000" "${fit[@]}" --steps 0
  refuse "--steps is 'many', but must be a whole number from 1 to 10000000" "${fit[@]}" --steps many
  refuse "--seed is -5, but must be a whole number from 0 to 2^64 - 1" "${fit[@]}" --seed -5
  refuse "--learning-rate is 0, but must be a number above 0 and at most 1" \
    "${fit[@]}" --learning-rate 0
  refuse "--time is '5x', but must be a time such as 90, 90s, 10m or 1.5h" "${fit[@]}" --time 5x
  refuse "--propagate-inputs is 'yes', but must be true or false" "${fit[@]}" --propagate-inputs yes
  refuse "--model: 'smgdp' is not known; did you mean 'smdgp'? (one of smdgp, mmdgp, cmdgp, idgp, \
cgp, igp, exact-gp, exact-icm, mann2, mann3, mbnn2, mbnn3, irf)" "${fit[@]}" --model smgdp
  refuse "--kernel rbf: for Gaussian processes; mann2 is a network" \
    "${fit[@]}" --model mann2 --kernel rbf
  refuse "--inducing 10: for Gaussian processes; mbnn3 is a network" \
    "${fit[@]}" --model mbnn3 --inducing 10
  refuse "--dropout 0.1: for mann2 and mann3; mbnn2 has a prior instead" \
    "${fit[@]}" --model mbnn2 --dropout 0.1
  refuse "--kl-weight 0.5: for models with a KL; mann3 has none" \
    "${fit[@]}" --model mann3 --kl-weight 0.5
  refuse "--units 5: for networks: mann2, mann3, mbnn2, mbnn3" "${fit[@]}" --units 5
  refuse "--dropout is 1, but must be a number from 0 to 0.99" \
    "${fit[@]}" --model mann2 --dropout 1
  refuse "--kernel: 'matern', position 1: 'matern' is not a kernel; there are rbf, matern12, \
matern32, matern52, linear, constant, white, coregion, private, tasklinear" "${fit[@]}" --kernel matern
  refuse "--kernel rbf + private: private is for correlated tasks; every task of igp has its own \
kernel" "${fit[@]}" --model igp --kernel "rbf + private"
  refuse "--kernel tasklinear: tasklinear is for correlated tasks; every task of igp has its own \
kernel" "${fit[@]}" --model igp --kernel tasklinear
  refuse "--model exact-gp: for regression with gaussian noise only; igp and cgp take any task" \
    fit wide.csv --targets n --inputs x1 --model exact-gp -o out.mdgp
  refuse "--kernel rbf: for Gaussian processes; irf is a forest" "${fit[@]}" --model irf --kernel rbf
  refuse "--units 5: for networks; irf is a forest" "${fit[@]}" --model irf --units 5
  refuse "--steps 5: irf is trained in one go; --trees says how long" "${fit[@]}" --model irf --steps 5
  refuse "--regression student_t: irf takes gaussian and softmax" \
    "${fit[@]}" --model irf --regression student_t
  refuse "--resume: irf is trained in one go; start again" "${fit[@]}" --model irf --resume
  refuse "--trees 5: for forests: irf" "${fit[@]}" --trees 5
  refuse "--trees is 0, but must be a whole number from 1 to 100000" "${fit[@]}" --model irf --trees 0
  refuse "--depth 2: cgp has one layer" "${fit[@]}" --model cgp --depth 2
  refuse "--depth 1: mmdgp has two layers at least; igp and cgp have one" \
    "${fit[@]}" --model mmdgp --depth 1
  refuse "--optimiser lbfgs: for igp and cgp; cmdgp is trained with adam" \
    "${fit[@]}" --optimiser lbfgs
  refuse "--model cgp: its tasks must have equally many classes; use smdgp or mmdgp for tasks of \
different kinds" fit long.csv --task joint --target value --model cgp -o out.mdgp
}

# --- Configurations ---------------------------------------------------------------------------------------
printf '%s\n' 'steps = 3' 'width = = 3' >syntax.toml
printf '%s\n' 'model = smdgp' >quotes.toml
printf '%s\n' '# a comment' 'steps = 3' 'widht = 3' >key.toml
printf '%s\n' 'width = 0' >range.toml
printf '%s\n' 'width = "5"' >type.toml
printf '%s\n' 'model = 3' >number.toml
printf '%s\n' 'targets = ["a", 3]' >list.toml
printf '%s\n' '[model]' 'width = 3' >section.toml
printf '%s\n' 'steps = 99999999999999999999' >long.toml

bad_configurations() {
  local fit=(fit wide.csv --targets a --inputs x1 -o out.mdgp --config)
  refuse "none.toml: no such file" "${fit[@]}" none.toml
  refuse "folder: is a directory, but must be a file" "${fit[@]}" folder
  refuse "wide.csv, line 1: cannot read key-value pair: expected '=', saw ','" "${fit[@]}" wide.csv
  refuse "syntax.toml, line 2: cannot read value: could not determine value type; text must be in \
quotes" "${fit[@]}" syntax.toml
  refuse "quotes.toml, line 1: cannot read value: could not determine value type; text must be in \
quotes" "${fit[@]}" quotes.toml
  refuse "key.toml, line 3: unknown key 'widht'; did you mean 'width'?" "${fit[@]}" key.toml
  refuse "range.toml, line 1: width is 0, but must be a whole number from 1 to 1000" \
    "${fit[@]}" range.toml
  refuse "type.toml, line 1: width is \"5\", but must be a whole number from 1 to 1000, without \
quotes" "${fit[@]}" type.toml
  refuse "number.toml, line 1: model is 3, but must be one of smdgp, mmdgp, cmdgp, idgp, cgp, igp, \
exact-gp, exact-icm, mann2, mann3, mbnn2, mbnn3, irf, in quotes" "${fit[@]}" number.toml
  refuse "list.toml, line 1: targets is a list with other things than text, but must be text, in \
quotes" "${fit[@]}" list.toml
  refuse "section.toml, line 1: 'model' is a section, but a configuration has none; keys stand \
alone, as in 'width = 5'" "${fit[@]}" section.toml
  refuse "long.toml, line 1: cannot read decimal integer: '99999999999999999999' is not \
representable in 64 bits" "${fit[@]}" long.toml
}

# --- Outputs, and runs to go on with --------------------------------------------------------------------
# An unfinished run, from a training that is stopped at its first checkpoint.
run=(fit wide.csv --targets a,b --inputs x1,x2 --inducing 5 -o run.mdgp)
MDGP_CHECKPOINT_SECONDS=0.02 "$mdgp" "${run[@]}" --steps 1000000 >/dev/null 2>&1 &
training=$!
until [[ -e run.mdgp.checkpoint ]]; do sleep 0.02; done
kill -INT $training
wait $training || true
for copy in finished damaged cut; do cp run.mdgp.checkpoint $copy.mdgp.checkpoint; done
cp wide.mdgp finished.mdgp.checkpoint
echo "not a checkpoint" >damaged.mdgp.checkpoint
head -c -8 run.mdgp.checkpoint >cut.mdgp.checkpoint
sed '3s/^[^,]*/7/' wide.csv >other_rows.csv
head -n 4 wide.csv >fewer_rows.csv

bad_outputs() {
  local fit=(fit wide.csv --targets a --inputs x1 "${few[@]}" -o) predict=(predict wide.mdgp wide.csv)
  local begun="--resume: the run at run.mdgp.checkpoint was started"
  refuse "-o none/out.mdgp: there is no directory none" "${fit[@]}" none/out.mdgp
  refuse "-o folder: is a directory; give the name of a file" "${fit[@]}" folder
  refuse "/dev/full: is not a regular file" "${fit[@]}" /dev/full
  check_equal "refused before anything is read" "$("$mdgp" "${fit[@]}" /dev/full 2>/dev/null)" ""
  refuse "-o wide.csv/out.mdgp: there is no directory wide.csv" "${fit[@]}" wide.csv/out.mdgp
  refuse "-o: the name of the file is empty" "${fit[@]}" ""
  refuse "-o -: a model goes into a file; give its name" "${fit[@]}" -
  refuse "-o wide.csv: is the table itself, which it would replace; give another name" \
    "${fit[@]}" wide.csv
  refuse "-o ./wide.csv: is the table itself, which it would replace; give another name" \
    "${fit[@]}" ./wide.csv
  refuse "-o none/out.csv: there is no directory none" "${predict[@]}" -o none/out.csv
  refuse "-o folder: is a directory; give the name of a file" "${predict[@]}" -o folder
  refuse "-o wide.csv: is the table itself, which it would replace; give another name" \
    "${predict[@]}" -o wide.csv
  refuse "-o wide.mdgp: is the model itself, which it would replace; give another name" \
    "${predict[@]}" -o wide.mdgp
  refuse "--resume: there is no unfinished run at out.mdgp.checkpoint" "${fit[@]}" out.mdgp --resume
  refuse "$begun with --steps 1000000, not 50" "${run[@]}" --resume --steps 50
  refuse "$begun with --seed 1, not 2" "${run[@]}" --resume --steps 1000000 --seed 2
  refuse "$begun with --noise unset, not 0.3" "${run[@]}" --resume --steps 1000000 --noise 0.3
  refuse "$begun with --model mmdgp, not igp" "${run[@]}" --resume --steps 1000000 --model igp
  refuse "run.mdgp.checkpoint holds an unfinished run; --resume goes on with it, else delete it first" \
    "${run[@]}" --steps 1000000
  refuse "$begun with --inputs x1,x2, not x1" fit wide.csv --targets a,b --inputs x1 --inducing 5 \
    --steps 1000000 --resume -o run.mdgp
  refuse "$begun on other rows than other_rows.csv has now" fit other_rows.csv --targets a,b \
    --inputs x1,x2 --inducing 5 --steps 1000000 --resume -o run.mdgp
  # Fewer rows than inducing points: these are fewer too, but that is not the point.
  refuse "$begun on other rows than fewer_rows.csv has now" fit fewer_rows.csv --targets a,b \
    --inputs x1,x2 --steps 1000000 --resume -o run.mdgp
  refuse "finished.mdgp.checkpoint: a finished model, not a checkpoint" \
    "${fit[@]}" finished.mdgp --resume
  refuse "damaged.mdgp.checkpoint: damaged or not a model file: its header reaches beyond the file" \
    "${fit[@]}" damaged.mdgp --resume
  refuse "cut.mdgp.checkpoint: damaged or not a model file: tensor 'train.numbers' reaches beyond the \
file" "${fit[@]}" cut.mdgp --resume
  # Results that do not arrive anywhere are no success.
  local command
  for command in "predict wide.mdgp wide.csv" "evaluate wide.mdgp wide.csv" \
    "evaluate wide.mdgp wide.csv --json" "info wide.mdgp" "fit --options"; do
    local code=0 found
    # shellcheck disable=SC2086
    found=$("$mdgp" $command 2>&1 >/dev/full) || code=$?
    check_equal "mdgp $command >/dev/full" "$code $found" "1 mdgp: standard output cannot be written"
  done
}

# --- Models -----------------------------------------------------------------------------------------------
# A file with that header, as safetensors has it: 8 bytes of length, JSON, here one number.
with_header() { printf "\\x$(printf %02x ${#1})\0\0\0\0\0\0\0%s\0\0\0\0\0\0\0\0" "$1"; }
: >empty.mdgp
head -c 300 wide.mdgp >cut_header.mdgp
head -c -8 wide.mdgp >cut_tensor.mdgp
{ cat wide.mdgp && echo; } >longer.mdgp
sed 's/"mdgp":"1"/"mdgp":"9"/' wide.mdgp >future.mdgp
printf '\377\377\377\377\377\377\377\177{}' >huge_header.mdgp
with_header '{"a":{"dtype":"F64","shape":[4294967296,4294967296],"data_offsets":[0,8]}}' >huge_shape.mdgp
with_header '{"a":{"dtype":"F64","shape":[1],"data_offsets":[0,18446744073709551615]}}' >huge_offset.mdgp
with_header '{"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}}' >stranger.mdgp
with_header '{"a":' >not_json.mdgp

bad_models() {
  local damaged="damaged or not a model file" command
  for command in predict evaluate; do
    refuse "none.mdgp: no such file" $command none.mdgp wide.csv
    refuse "folder: is not a regular file" $command folder wide.csv
    refuse "wide.csv: $damaged: its header reaches beyond the file" $command wide.csv wide.csv
    refuse "empty.mdgp: $damaged: shorter than its header" $command empty.mdgp wide.csv
    refuse "cut_header.mdgp: $damaged: its header reaches beyond the file" \
      $command cut_header.mdgp wide.csv
    refuse "cut_tensor.mdgp: $damaged: tensor 'likelihood3.rate' reaches beyond the file" \
      $command cut_tensor.mdgp wide.csv
    refuse "longer.mdgp: $damaged: there are bytes that no tensor claims" \
      $command longer.mdgp wide.csv
    refuse "huge_header.mdgp: $damaged: its header reaches beyond the file" \
      $command huge_header.mdgp wide.csv
    refuse "huge_shape.mdgp: $damaged: tensor 'a' claims more than the file holds" \
      $command huge_shape.mdgp wide.csv
    refuse "huge_offset.mdgp: $damaged: tensor 'a' reaches beyond the file" \
      $command huge_offset.mdgp wide.csv
    refuse "not_json.mdgp: $damaged: its header is not a JSON object" $command not_json.mdgp wide.csv
    refuse "stranger.mdgp: a safetensors file, but not a model of mdgp" $command stranger.mdgp wide.csv
    refuse "future.mdgp: its format is version '9', and this program reads versions 1 and 2; use the \
version of mdgp that wrote it, or fit again" $command future.mdgp wide.csv
  done
  refuse "none.mdgp: no such file" info none.mdgp
  refuse "wide.csv: $damaged: its header reaches beyond the file" info wide.csv
}

# --- Tables that do not suit the model --------------------------------------------------------------------
cut -d, -f2- wide.csv >no_x1.csv
sed '1s/x1/X1/' wide.csv >capital.csv
sed '3s/^[^,]*/oops/' wide.csv >word_in_x1.csv
sed '3s/^[^,]*/inf/' wide.csv >infinite.csv
printf '%s\n' x 0.003 -1.7e308 >far.csv
sed '3s/blue/bleu/' wide.csv >new_word.csv
sed '3s/,no,/,maybe,/;3s/,yes,/,maybe,/' wide.csv >new_label.csv
sed '3s/,[^,]*$/,-3/' wide.csv >negative_count.csv
awk -F, -v OFS=, 'NR == 3 { $4 = "high" } 1' wide.csv >word_in_a.csv
cut -d, -f1-3 wide.csv >no_targets.csv
sed '3s/^[^,]*/knee/' long.csv >new_task.csv
cut -d, -f2- long.csv >no_task_column.csv
cut -d, -f1-3 long.csv >no_value.csv
awk -F, -v OFS=, 'NR > 1 { $1 = "" } 1' wide.csv >all_gaps.csv
printf '%s\n' x,y 0.001,1 0.002,2 0.003,4 >narrow.csv
"$mdgp" fit narrow.csv --targets y "${few[@]}" -o narrow.mdgp >/dev/null

bad_matches() {
  local command out
  for command in predict evaluate; do
    out=()
    [[ $command == evaluate ]] || out=(-o out.csv)
    refuse "no_x1.csv: the model's input 'x1' is missing; did you mean 'x2'?" \
      $command wide.mdgp no_x1.csv "${out[@]}"
    refuse "capital.csv: the model's input 'x1' is missing; did you mean 'X1'?" \
      $command wide.mdgp capital.csv "${out[@]}"
    refuse "word_in_x1.csv, line 3, column 'x1': 'oops' is not a number" \
      $command wide.mdgp word_in_x1.csv "${out[@]}"
    refuse "infinite.csv, line 3, column 'x1': 'inf' is not finite" \
      $command wide.mdgp infinite.csv "${out[@]}"
    refuse "new_word.csv, line 3, column 'colour': 'bleu' was not there in training; did you mean \
'blue'?" $command wide.mdgp new_word.csv "${out[@]}"
    refuse "new_label.csv, line 3: task 'up' has no label 'maybe'; it has no, yes" \
      $command wide.mdgp new_label.csv "${out[@]}"
    refuse "negative_count.csv, line 3: the target -3 of task 'n' is not a count (0, 1, 2, …)" \
      $command wide.mdgp negative_count.csv "${out[@]}"
    refuse "word_in_a.csv, line 3: the target 'high' of task 'a' is not a number" \
      $command wide.mdgp word_in_a.csv "${out[@]}"
    refuse "new_task.csv, line 3, column 'joint': the model has no task 'knee'; there are blinks, \
elbow, shoulder, wrist" $command long.mdgp new_task.csv "${out[@]}"
    refuse "no_task_column.csv: the task column 'joint' is missing; there are x, z, value" \
      $command long.mdgp no_task_column.csv "${out[@]}"
    refuse "ragged.csv: the model's input 'x1' is missing; did you mean 'x'?" \
      $command wide.mdgp ragged.csv "${out[@]}"
    refuse "none.csv: no such file" $command wide.mdgp none.csv "${out[@]}"
  done
  refuse "far.csv, line 3, column 'x': -1.7e+308 is too far from the numbers in training" \
    predict narrow.mdgp far.csv -o out.csv
  refuse "no_targets.csv: no target is there (a, b, up, n)" evaluate wide.mdgp no_targets.csv
  refuse "no_value.csv: no target is there (value)" evaluate long.mdgp no_value.csv
  refuse "header.csv: no row has all inputs and a target" evaluate wide.mdgp header.csv
  refuse "all_gaps.csv: no row has all inputs and a target" evaluate wide.mdgp all_gaps.csv
}

# --- Experiments ----------------------------------------------------------------------------------------
mkdir sarcos_alone sarcos_wrong results_wrong
echo q1 >sarcos_alone/sarcos_train_pool.csv.gz
printf '%s\n' q1,q2 1,2 >sarcos_wrong/sarcos_train_pool.csv.gz
cp sarcos_wrong/sarcos_train_pool.csv.gz sarcos_wrong/sarcos_test.csv.gz
echo '{"model":"igp"}' >results_wrong/results.jsonl
mkdir mnist_cut mnist_words
printf '\0\0\010\003\0\0\0\002\0\0\0\034\0\0\0\034abc' >mnist_cut/backgrounds-idx3-ubyte
for part in mnist mnist_background_random mnist_background_images; do
  awk 'BEGIN { for (i = 0; i < 784; i++) printf "0.5 "; print 10 }' >mnist_words/${part}_train.amat
done

bad_experiments() {
  local mnist=(experiment mnist)
  refuse "--data none: no such directory; without data digits are drawn" "${mnist[@]}" --data none
  refuse "mnist_cut/backgrounds-idx3-ubyte: ends within image 0 of 2; is the file complete?" \
    "${mnist[@]}" --data mnist_cut
  refuse "mnist_words/mnist_train.amat, line 1: the label is 10, but must be a digit from 0 to 9" \
    "${mnist[@]}" --data mnist_words
  refuse "--size: 2000 training images of each task, but the data have no more than 1333" \
    "${mnist[@]}" --size 2000
  refuse "--size 5: run 0 has no training image of the digit 0 for the task standard; ask for more \
images or another --seed" "${mnist[@]}" --size 5
  refuse "--size: Value 0 not in range 1 to 1000000; see mdgp experiment mnist --help" \
    "${mnist[@]}" --size 0
  local sarcos=(experiment sarcos) help="see mdgp experiment sarcos --help"
  refuse "there is no command 'sarcs'; did you mean 'sarcos'?; see mdgp experiment --help" \
    experiment sarcs
  refuse "there is no flag '--model'; did you mean '--models'?; $help" "${sarcos[@]}" --model igp
  refuse "--sizes: 13 is not a whole number from 14 on (two points of each torque); $help" \
    "${sarcos[@]}" --sizes 100,13
  refuse "--sizes: many is not a whole number from 14 on (two points of each torque); $help" \
    "${sarcos[@]}" --sizes many
  refuse "--sizes: 15001 is more than the 15000 points there are to draw from" \
    "${sarcos[@]}" --sizes 100,15001
  refuse "--models exact-icm: for 6000 observations at most of correlated tasks, or of one task; --sizes \
has 7000" "${sarcos[@]}" --sizes 100,7000 --models igp,exact-icm
  refuse "--protocol: 'fair' is not known (one of clean, paper, held-out); $help" "${sarcos[@]}" --protocol fair
  refuse "--runs: Value 0 not in range 1 to 10000; $help" "${sarcos[@]}" --runs 0
  refuse "--models: 'smgdp' is not known; did you mean 'smdgp'? (one of smdgp, mmdgp, cmdgp, idgp, \
cgp, igp, exact-gp, exact-icm, mann2, mann3, mbnn2, mbnn3, irf)" "${sarcos[@]}" --models igp,smgdp
  refuse "--preset: 'paper-sarco' is not known; did you mean 'paper-sarcos'? (one of paper-sarcos, \
paper-mnist, paper-faims)" "${sarcos[@]}" --preset paper-sarco
  refuse "--preset paper-mnist: this experiment has paper-sarcos only" \
    "${sarcos[@]}" --preset paper-mnist
  refuse "--data none: no such directory; without data an arm is simulated" "${sarcos[@]}" --data none
  MDGP_DATA=none refuse "MDGP_DATA none: no such directory; without data an arm is simulated" \
    "${sarcos[@]}"
  refuse "--data folder: neither sarcos_train_pool.csv.gz nor sarcos_inv.mat is there or in its \
folder sarcos; give the directory that holds one of them" "${sarcos[@]}" --data folder
  refuse "sarcos_alone/sarcos_test.csv.gz: no such file; it must stand beside \
sarcos_train_pool.csv.gz" "${sarcos[@]}" --data sarcos_alone
  refuse "sarcos_wrong/sarcos_train_pool.csv.gz: there is no column 'q3'; it must have 24 columns, \
q1 to in_test" "${sarcos[@]}" --data sarcos_wrong
  refuse "--out wide.csv: the directory cannot be made (Not a directory)" \
    "${sarcos[@]}" --out wide.csv
  refuse "results_wrong/results.jsonl, line 1: not a record of an experiment; delete that line or \
choose another --out" "${sarcos[@]}" --out results_wrong
}

mkdir faims_gap faims_label faims_column
study() { # three recordings of twelve subjects
  awk 'BEGIN { print "ID,Recording,Status,Gender,a,b"
               for (s = 0; s < 12; s++) for (r = 1; r <= 3; r++)
                 print "S" s "," r "," s % 2 ",1," s % 2 + sin(s * r) "," cos(s + r) }'
}
study | sed 6d >faims_gap/parkinson_replicated.csv
study | sed '6s/,1,1,/,7,1,/' >faims_label/parkinson_replicated.csv
study | sed '1s/Recording/recording/' >faims_column/parkinson_replicated.csv
bad_studies() {
  local faims=(experiment faims)
  refuse "--data none: no such directory; without data a study is simulated" "${faims[@]}" --data none
  refuse "--data folder: parkinson_replicated.csv is not there or in its folder \
parkinson_replicated; give the directory that holds it" "${faims[@]}" --data folder
  refuse "faims_gap/parkinson_replicated.csv: subject 'S1' has no recording 2; every subject must \
have recordings 1 to 3" "${faims[@]}" --data faims_gap
  refuse "faims_label/parkinson_replicated.csv, line 6: Status is 7, but must be a whole number \
from 0 to 1" "${faims[@]}" --data faims_label
  refuse "faims_column/parkinson_replicated.csv: there is no column 'Recording'; did you mean \
'recording'?; it must have ID, Recording, Status and columns of features" \
    "${faims[@]}" --data faims_column
}

all_cases() {
  bad_calls
  bad_tables
  bad_columns
  bad_settings
  bad_configurations
  bad_outputs
  bad_models
  bad_matches
  bad_experiments
  bad_studies
}
remember
all_cases
for old in out.mdgp out.csv run.mdgp finished.mdgp damaged.mdgp cut.mdgp; do echo old >$old; done
remember
all_cases
finish
