#!/usr/bin/env bash
# What a user does when all is well: every form of table, every command, and bits that do not depend
# on how they came about.
set -euo pipefail
source "$(dirname "$0")/checks.sh"

# Short runs; a later flag cannot override an earlier one, so only what the call leaves open.
fit() {
  local few=(--inducing 10)
  [[ " $* " == *" --steps "* || " $* " == *" --time "* ]] || few+=(--steps 30)
  "$mdgp" fit "$@" "${few[@]}" >fit.txt 2>fit_error.txt || { cat fit_error.txt >&2; return 1; }
}
predict() { "$mdgp" predict "$@" 2>predict_error.txt; }

# The field of that number in every line of a CSV file without quotes.
column() { cut -d, -f"$2" "$1"; }

# The column of a name, without the header.
named_column() {
  awk -F, -v name="$2" 'NR == 1 { for (c = 1; c <= NF; c++) if ($c == name) at = c; next }
                        { print $at }' "$1"
}

# json_value FILE SCOPE KEY: of an object without objects in it, such as "overall" or a task's.
json_value() {
  grep -oE "\"$2\":\{[^{}]*\}" "$1" | grep -oE "\"$3\":(\"[^\"]*\"|[-0-9.e+]+|null)" |
    head -n 1 | cut -d: -f2- || true
}

close() { awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(d < 1e-6 && d > -1e-6) }'; }

wide_table 40 >wide.csv
long_table 64 >long.csv

# --- The wide form, with gaps -----------------------------------------------------------------------
check "fit: wide form" fit wide.csv --targets a,b --inputs x1,x2 -o wide.mdgp
check_line "fit: says what it read" fit.txt "^table +wide.csv: 40 rows, 2 inputs, 70 targets$"
check_line "fit: says what it predicts" fit.txt "^tasks +a regression, b regression$"
check_line "fit: says what it wrote" fit.txt "^written +wide.mdgp$"
check_equal "fit: nothing on standard error" "$(cat fit_error.txt)" ""
check "fit: the checkpoint is gone" test ! -e wide.mdgp.checkpoint

check "predict: wide form" predict wide.mdgp wide.csv --quantiles 0.05,0.5,0.95 >wide.out
check_equal "predict: header, wide form" "$(head -n 1 wide.out)" \
  "row,a_mean,a_sd,a_q0.05,a_q0.5,a_q0.95,a_log_density,b_mean,b_sd,b_q0.05,b_q0.5,b_q0.95,b_log_density"
check_equal "predict: a line for every row" "$(wc -l <wide.out)" 41
check_equal "predict: rows count from 1" "$(column wide.out 1 | sed 1d | tr '\n' ' ')" \
  "$(seq -s ' ' 40) "
check "predict: quantiles rise, around the median" awk -F, \
  'NR > 1 && !($4 < $5 && $5 < $6 && $3 > 0 && $4 < $2 && $2 < $6) { exit 1 }' wide.out
check_equal "predict: nothing on standard error" "$(cat predict_error.txt)" ""
# A log density where there is a target, and only there.
paste -d, <(named_column wide.csv b) <(named_column wide.out b_log_density) >pairs.csv
check "predict: log density where there is a target" awk -F, '($1 == "") != ($2 == "") { exit 1 }' \
  pairs.csv
# Draws go by the number of a row in the table: neither gaps nor other rows change them.
"$mdgp" evaluate wide.mdgp wide.csv --json >wide.json
check "evaluate: the densities of predict" close "$(json_value wide.json b nlpp)" \
  "$(named_column wide.out b_log_density | awk 'NF { sum -= $1; n++ } END { printf "%.12g", sum / n }')"
awk -F, -v OFS=, 'NR == 3 { $1 = "" } 1' wide.csv >gap.csv
"$mdgp" predict wide.mdgp gap.csv --quantiles 0.05,0.5,0.95 >gap.out 2>gap.txt
nine_digits() { sed '1d;3d' "$1" | awk -F, '{ for (i = 1; i <= NF; i++) printf "%.9g ", $i; print "" }'; }
check_equal "predict: an empty input of one row changes no other" "$(nine_digits gap.out)" \
  "$(nine_digits wide.out)"
check "fit: tasks of three kinds" fit wide.csv --targets a,b,up,n -o kinds.mdgp
check_line "fit: kinds are told from the values" fit.txt \
  "^tasks +a regression, b regression, up binary \(2 labels\), n count$"
check_line "fit: text that nobody named is left out" fit.txt "text columns left out: colour"

# --- The long form, with tasks of all kinds ----------------------------------------------------------
check "fit: long form" fit long.csv --task joint --target value -o long.mdgp
check_line "fit: kinds in the long form" fit.txt \
  "^tasks +blinks count, elbow regression, shoulder binary \(2 labels\), wrist classes \(3 labels\)$"
check "predict: long form" predict long.mdgp long.csv --quantiles 0.1,0.9 >long.out
check_equal "predict: header, long form" "$(head -n 1 long.out)" \
  "row,joint,mean,sd,q0.1,q0.9,label,p_no,p_yes,p_high,p_low,p_mid,log_density"
check "predict: a row fills its task's columns" awk -F, '
  $2 == "elbow" || $2 == "blinks" { if ($3 == "" || $6 == "" || $7 != "") exit 1 }
  $2 == "shoulder" { if ($3 != "" || $7 !~ /^(yes|no)$/ || $8 == "" || $10 != "") exit 1 }
  $2 == "wrist" { if ($3 != "" || $7 !~ /^(low|mid|high)$/ || $8 != "" || $10 == "") exit 1 }
  NR > 1 && $13 == "" { exit 1 }' long.out
check "predict: probabilities sum to 1, and the label has the largest" awk -F, '
  function near(s) { return s > 1 - 1e-9 && s < 1 + 1e-9 }
  $2 == "shoulder" { if (!near($8 + $9) || ($7 == "yes") != ($9 > $8)) exit 1 }
  $2 == "wrist" { if (!near($10 + $11 + $12)) exit 1 }
  $2 == "wrist" && $7 == "mid" { if ($12 < $10 || $12 < $11) exit 1 }' long.out
check "predict: quantiles of counts are counts" awk -F, \
  '$2 == "blinks" && ($5 !~ /^[0-9]+$/ || $6 !~ /^[0-9]+$/ || $5 > $6) { exit 1 }' long.out
cut -d, -f1-3 long.csv >long_inputs.csv
check "predict: long form without targets" predict long.mdgp long_inputs.csv --quantiles 0.1,0.9 \
  >long_inputs.out
check_same "predict: the same without targets, but no log density" long_inputs.out \
  <(cut -d, -f1-12 long.out)

# --- Forms of files --------------------------------------------------------------------------------
expect_same_predictions() { # WHAT TABLE: as from wide.csv
  check "predict: $1" predict wide.mdgp "$2" --quantiles 0.05,0.5,0.95 >form.out
  check_same "predict: $1, the same" form.out wide.out
}
gzip -c wide.csv >wide.csv.gz
expect_same_predictions "gzipped" wide.csv.gz
cp wide.csv.gz misnamed.npy
expect_same_predictions "told from the content, not the name" misnamed.npy
expect_same_predictions "standard input" - <wide.csv
expect_same_predictions "gzipped standard input" - <wide.csv.gz
tr ',.' ';,' <wide.csv >semicolon.csv
expect_same_predictions "semicolons and decimal commas" semicolon.csv
tr ',' '\t' <wide.csv >tab.tsv
expect_same_predictions "tabs" tab.tsv
{ printf '\357\273\277' && sed 's/$/\r/' wide.csv && printf '\r\n'; } >windows.csv
expect_same_predictions "byte order mark, CRLF and a blank last line" windows.csv
sed '2,$s/^\([^,]*\),\([^,]*\)/"\1"," \2 "/' wide.csv >quotes.csv
expect_same_predictions "quoted numbers" quotes.csv
awk -F, -v OFS=, '{ print $5, "more" NR, $2, $7, $4, $3, $1 }' wide.csv >other_order.csv
expect_same_predictions "other order, another column, one fewer" other_order.csv
cp wide.csv 'a b;$(c).csv'
expect_same_predictions "a path with blanks and signs" 'a b;$(c).csv'
fit - --targets a,b --inputs x1,x2 -o input.mdgp <wide.csv || failed "fit: standard input"
predict input.mdgp wide.csv --quantiles 0.05,0.5,0.95 >form.out || failed "predict: of it"
check_same "fit: standard input, the same" form.out wide.out
for form in wide.csv.gz semicolon.csv windows.csv; do
  check "fit: $form" fit "$form" --targets a,b --inputs x1,x2 -o form.mdgp
  check "predict: of $form" predict form.mdgp wide.csv --quantiles 0.05,0.5,0.95 >form.out
  check_same "fit: $form, the same" form.out wide.out
done

# Names with commas and quotes come back quoted.
printf '%s\n' '"size, cm","say ""y"""' 1,2 2,3 3,1 4,5 >names.csv
check "fit: a name with a comma" fit names.csv --targets 'size, cm' -o names.mdgp
predict names.mdgp names.csv >names.out
check_equal "predict: a name with a comma" "$(head -n 1 names.out)" \
  'row,"size, cm_mean","size, cm_sd","size, cm_log_density"'
check "fit: a name with quotes" fit names.csv --targets 'say "y"' -o names.mdgp
predict names.mdgp names.csv >names.out
check_equal "predict: a name with quotes" "$(head -n 1 names.out)" \
  'row,"say ""y""_mean","say ""y""_sd","say ""y""_log_density"'
# A task whose name has a comma, next to another: a list in a file keeps them apart.
printf '%s\n' x,'"size, cm"',y 1,2,1 2,3,2 3,1,4 >names.csv
echo 'targets = ["size, cm", "y"]' >names.toml
check "fit: a list of names in a file" fit names.csv --config names.toml -o names.mdgp

# Arrays: X is 3 x 2 with a gap, y has 3 numbers, as in the CSV.
printf '%s\n' X0,X1,y 1,2.5,1 ,-4,2 5,6,3 >arrays.csv
check "fit: for arrays" fit arrays.csv --targets y -o arrays.mdgp
predict arrays.mdgp arrays.csv >arrays.out
for array in npy/stored.npz mat/plain.mat mat/packed.mat; do
  check "predict: $array" predict arrays.mdgp "$corpus/$array" >array.out
  check_same "predict: $array, the same" array.out arrays.out
  check "fit: $array" fit "$corpus/$array" --targets y -o array.mdgp
  predict array.mdgp arrays.csv >array.out
  check_same "fit: $array, the same" array.out arrays.out
done
printf '%s\n' x0,x1 1,2.5 ,-4 5,6 >matrix.csv
check "fit: for a matrix" fit matrix.csv --targets x1 -o matrix.mdgp
predict matrix.mdgp matrix.csv >matrix.out
for array in matrix.npy fortran.npy big_endian.npy version2.npy; do
  check "predict: $array" predict matrix.mdgp "$corpus/npy/$array" >array.out
  check_same "predict: $array, the same" array.out matrix.out
done

# --- Which columns, and what they are ---------------------------------------------------------------
for inputs in x2,x1 x1:x2 'x*' 'x[12]' 'x?,x1'; do
  check "fit: --inputs $inputs" fit wide.csv --targets a,b --inputs "$inputs" -o form.mdgp
  predict form.mdgp wide.csv --quantiles 0.05,0.5,0.95 >form.out
  check_same "fit: --inputs $inputs, the same" form.out wide.out
done
check "fit: --targets as a range" fit wide.csv --targets a:b --inputs 'x*' -o form.mdgp
predict form.mdgp wide.csv --quantiles 0.05,0.5,0.95 >form.out
check_same "fit: --targets as a range, the same" form.out wide.out
check "fit: one task by --target" fit wide.csv --target a --inputs x1 -o one.mdgp
check_line "fit: one task has one model" fit.txt "^model +idgp: one task"
check "fit: text as an input" fit wide.csv --targets a --inputs x1,colour -o words.mdgp
check_line "fit: a column of text is one input per word" fit.txt "40 rows, 3 inputs, 40 targets"
"$mdgp" info words.mdgp >words.txt
check_line "info: words" words.txt "^inputs +x1, colour \(2 words\)$"
check "fit: --types" fit wide.csv --targets a,up,n --types n=regression,up=classes -o types.mdgp
check_line "fit: --types rules" fit.txt "^tasks +a regression, up classes \(2 labels\), n regression$"

# --- Fewer inputs -----------------------------------------------------------------------------------
for reduce in pca sparse-pca; do
  check "fit: --reduce $reduce" fit wide.csv --targets a,b --inputs x1,x2,colour --reduce $reduce \
    --components 2 --valid 0.2 -o reduced.mdgp
  check_line "fit: --reduce $reduce, says so" fit.txt "inputs reduced to 2 components \($reduce\)$"
  "$mdgp" info reduced.mdgp >reduced.txt
  check_line "info: $reduce" reduced.txt "reduced to 2 components \($reduce\)$"
  check_line "info: $reduce, names of components" reduced.txt "pc2"
  check "predict: $reduce" predict reduced.mdgp wide.csv -o reduced.csv
  check "evaluate: $reduce" "$mdgp" evaluate reduced.mdgp wide.csv >reduced.txt
done
check "fit: --reduce, as many components as there are" fit wide.csv --targets a,b --inputs x1,x2 \
  --reduce pca -o reduced.mdgp
check_line "fit: --reduce, as many as there are" fit.txt "inputs reduced to 2 components \(pca\)$"

# --- Settings --------------------------------------------------------------------------------------
cat >fit.toml <<'END'
# What the flags do not say.
targets = ["a", "b"]
inputs = "x*"
model = "smdgp"
steps = 7
width = 2
learning-rate = 0.05
propagate-inputs = false
END
check "fit: --config" fit wide.csv --config fit.toml --width 3 --steps 9 -o config.mdgp
"$mdgp" info config.mdgp >config.txt
for setting in model=smdgp targets=a,b 'inputs=x\*' learning-rate=0.05 propagate-inputs=false \
  width=3 steps=9; do
  check_line "fit: --config and flags give $setting" config.txt " $setting( |$)"
done
for model in smdgp mmdgp cmdgp idgp cgp igp; do
  check "fit: $model" fit wide.csv --targets a,b --inputs x1,x2 --model $model -o $model.mdgp
  check_line "fit: says $model" fit.txt "^model +$model: "
  check "predict: $model" predict $model.mdgp wide.csv >$model.out
  check "predict: $model gives numbers" awk -F, \
    'NR > 1 && ($2 !~ /^-?[0-9]/ || !($3 > 0)) { exit 1 }' $model.out
  "$mdgp" info $model.mdgp >$model.txt
  check_line "info: $model" $model.txt "^model +$model, [0-9]+ numbers$"
done
# A forest is no Gaussian process: none of what `fit` adds here.
forest=("$mdgp" fit wide.csv --targets a,b,up,n --inputs x1,x2 --model irf --trees 50)
check "fit: irf" "${forest[@]}" --valid 0.2 -o irf.mdgp >fit.txt
check_line "fit: says irf" fit.txt "^model +irf: a random forest for each task, 50 trees"
check_line "fit: irf scores held-out rows" fit.txt "^held-out rows$"
check "fit: irf again, with one thread" "${forest[@]}" --valid 0.2 --threads 1 -o irf_again.mdgp >fit.txt
check_same "fit: irf gives the same bits with any threads" irf.mdgp irf_again.mdgp
check "predict: irf" predict irf.mdgp wide.csv --quantiles 0.05,0.95 >irf.out
check "predict: irf gives numbers" awk -F, 'NR > 1 && ($2 !~ /^-?[0-9]/ || !($3 > 0)) { exit 1 }' irf.out
check "evaluate: irf" "$mdgp" evaluate irf.mdgp wide.csv >irf.txt
"$mdgp" info irf.mdgp >irf.txt
check_line "info: irf" irf.txt "^  50 trees, [0-9]+ nodes each; a$"
check "fit: --steps with L-BFGS" fit wide.csv --targets a --inputs x1 --model igp --steps 5 -o few.mdgp
check_line "fit: --steps counts for L-BFGS too" fit.txt "^trained +[1-5] steps "
started=$(date +%s%N)
check "fit: --time" fit wide.csv --targets a,b --inputs x1,x2 --time 2s -o time.mdgp
elapsed=$((($(date +%s%N) - started) / 1000000))
check "fit: --time 2s takes $elapsed ms" test "$elapsed" -lt 4000
check_line "fit: --time does what there is time for" fit.txt "^trained +[0-9]{2,} steps"
wide_table 4000 >long_fit.csv
check "fit: --time with L-BFGS" fit long_fit.csv --targets a,b --inputs x1 --model igp \
  --optimiser lbfgs --time 0.1s -o time.mdgp
check_line "fit: --time counts for L-BFGS too" fit.txt "^trained .*\(0\.1 s are over\)"

# --- Gaps in the inputs ------------------------------------------------------------------------------
sed -e '3s/^[^,]*//' -e '5s/^[^,]*/NaN/' wide.csv >gaps.csv
check "predict: gaps in inputs" predict wide.mdgp gaps.csv >gaps.out
check_equal "predict: the note" "$(cat predict_error.txt)" \
  "mdgp: 2 rows with an empty input have no prediction"
check_equal "predict: empty cells" "$(sed -n '3p;5p' gaps.out | tr '\n' ' ')" "2,,,,,, 4,,,,,, "
check_equal "predict: no other empty cells" "$(column gaps.out 2 | grep -c '^$')" 2
sed '3s/^[^,]*//' wide.csv >gap.csv
predict wide.mdgp gap.csv >gap.out
check_equal "predict: the note of one row" "$(cat predict_error.txt)" \
  "mdgp: 1 row with an empty input has no prediction"
check "fit: gaps in inputs" fit gaps.csv --targets a --inputs x1,x2 -o gaps.mdgp
check_line "fit: says so" fit.txt "^ +2 rows with an empty input are left out$"
check "evaluate: gaps in inputs" "$mdgp" evaluate wide.mdgp gaps.csv >gaps.txt 2>gaps_error.txt
check_equal "evaluate: the note" "$(cat gaps_error.txt)" \
  "mdgp: 2 rows with an empty input are left out"

# --- Bits --------------------------------------------------------------------------------------------
check "predict: to a file" predict wide.mdgp wide.csv --quantiles 0.05,0.5,0.95 -o file.out
check_same "predict: file and standard output" file.out wide.out
check_equal "predict: a file, and nothing else" "$(echo file.out*)" file.out
predict wide.mdgp wide.csv --quantiles 0.05,0.5,0.95 >again.out
check_same "predict: twice" again.out wide.out
cp wide.mdgp elsewhere.bin
predict elsewhere.bin wide.csv --quantiles 0.05,0.5,0.95 >again.out
check_same "predict: from a copy of the model" again.out wide.out
predict wide.mdgp wide.csv --quantiles 0.05,0.5,0.95 --seed 2 >again.out
check "predict: another seed, other draws" test "$(cmp wide.out again.out | wc -l)" = 1
for threads in 1 2 3; do
  check "fit: $threads threads" fit wide.csv --targets a,b,up,n --threads $threads -o threads.mdgp
  check_same "fit: $threads threads, the same model" threads.mdgp kinds.mdgp
  predict wide.mdgp wide.csv --quantiles 0.05,0.5,0.95 --threads $threads >again.out
  check_same "predict: $threads threads" again.out wide.out
done
# Longer than the pieces that a table is read in; a row does not depend on those after it.
wide_table 5000 >many.csv
head -n 101 many.csv >few.csv
check "predict: many rows" predict wide.mdgp many.csv >many.out
predict wide.mdgp few.csv >few.out
check_equal "predict: a line for each of many rows" "$(wc -l <many.out)" 5001
check_same "predict: a row does not depend on those after it" few.out <(head -n 101 many.out)
# A name that is not a file's: what it names stays what it is.
mkfifo pipe
cat pipe >pipe.out &
reader=$!
predict wide.mdgp wide.csv --quantiles 0.05,0.5,0.95 -o pipe || failed "predict: -o a pipe"
checks=$((checks + 1))
if [[ -p pipe ]]; then
  wait $reader
  check_same "predict: -o a pipe, the same" pipe.out wide.out
else
  failed "predict: -o a pipe: it is replaced by a file"
  kill $reader
fi
echo old >target.out
ln -s target.out link.out
predict wide.mdgp wide.csv --quantiles 0.05,0.5,0.95 -o link.out
check "predict: -o a link, which stays one" test -L link.out
check_same "predict: -o a link, where it leads" target.out wide.out

# --- How good it is ----------------------------------------------------------------------------------
check "evaluate: table" "$mdgp" evaluate kinds.mdgp wide.csv >scores.txt
check_line "evaluate: heading" scores.txt "^task +rows +RMSE .*std\. RMSE +std\. NLPP .*accuracy"
for line in "a +40 " "b +30 " "up +40 " "n +40 " "mean "; do
  check_line "evaluate: a line '$line'" scores.txt "^$line"
done
check "evaluate: --json" "$mdgp" evaluate kinds.mdgp wide.csv --json >scores.json
if python3 -c '' 2>/dev/null; then
  check "evaluate: JSON" python3 -m json.tool scores.json /dev/null
fi
check_equal "evaluate: JSON is one line" "$(wc -l <scores.json)" 1
for key in rmse smse nlpp srmse snlpp accuracy log_loss roc_auc calibration_error coverage50 \
  coverage80 coverage95; do
  check "evaluate: overall.$key" test -n "$(json_value scores.json overall $key)"
done
for key in a.rmse a.nlpp a.srmse b.snlpp b.coverage95 up.accuracy up.log_loss up.roc_auc n.rmse \
  n.nlpp; do
  check "evaluate: tasks.$key" test -n "$(json_value scores.json "${key%.*}" "${key#*.}")"
done
check_equal "evaluate: tasks.a.kind" "$(json_value scores.json a kind)" '"regression"'
check_equal "evaluate: tasks.up.kind" "$(json_value scores.json up kind)" '"binary"'
check_equal "evaluate: tasks.n.kind" "$(json_value scores.json n kind)" '"count"'
check_equal "evaluate: tasks.b.rows" "$(json_value scores.json b rows)" 30
rmse=$(json_value scores.json a rmse)
check_line "evaluate: table and JSON agree" scores.txt "^a +40 +$(printf '%.3f' "$rmse") "
# The same from the predictions.
predict kinds.mdgp wide.csv >kinds.out
paste -d, <(named_column wide.csv a) <(named_column kinds.out a_mean) \
  <(named_column kinds.out a_log_density) >pairs.csv
check "evaluate: RMSE is that of the predictions" close "$rmse" \
  "$(awk -F, '{ s += ($1 - $2) ^ 2 } END { printf "%.12g", sqrt(s / NR) }' pairs.csv)"
check "evaluate: NLPP is that of the predictions" close "$(json_value scores.json a nlpp)" \
  "$(awk -F, '{ s -= $3 } END { printf "%.12g", s / NR }' pairs.csv)"
"$mdgp" evaluate kinds.mdgp wide.csv --json --threads 1 >again.json
check_same "evaluate: threads" again.json scores.json
check "evaluate: long form" "$mdgp" evaluate long.mdgp long.csv --json >long.json
check_equal "evaluate: a task of the long form" "$(json_value long.json wrist kind)" '"classes"'
# Large counts are no more work than small ones.
awk 'BEGIN { print "x,y"; for (i = 0; i < 40; i++) printf "%g,%d\n", i, 3000 + 2000 * sin(i / 10) }' \
  >counts.csv
check "fit: large counts" fit counts.csv --targets y --types y=count --steps 300 -o counts.mdgp
check "evaluate: large counts, in 3 s" timeout 3 "$mdgp" evaluate counts.mdgp counts.csv >counts.txt
check "predict: large counts, in 3 s" timeout 3 "$mdgp" predict counts.mdgp counts.csv \
  --quantiles 0.1,0.9 >counts.out
cut -d, -f1-4 wide.csv >only_a.csv
check "evaluate: some targets" "$mdgp" evaluate wide.mdgp only_a.csv --json >only_a.json
check_equal "evaluate: only tasks that are there" \
  "$(json_value only_a.json a rows)$(json_value only_a.json b rows)" 40

# --- What is in a model ------------------------------------------------------------------------------
"$mdgp" info kinds.mdgp >info.txt
check_line "info: task a" info.txt "^  a +regression +gaussian +40 targets +noise sd [0-9.]+"
check_line "info: task up" info.txt "^  up +binary +bernoulli +40 targets +labels no, yes"
check_line "info: task n" info.txt "^  n +count +poisson +40 targets"
check_line "info: layers" info.txt "^layer 1"
check_line "info: the diagram's heading" info.txt "^what each task listens to"
check_line "info: the diagram's columns" info.txt "g0\[0\] .*h0\[0\] .*x1 x2$"
check_line "info: the diagram's row" info.txt "^up .*[█■▪·]"
check_line "info: the training" info.txt "wide.csv: 40 rows, 150 targets; 30 steps"
check_line "info: the settings" info.txt "seed=1 .*steps=30"

# --- Rows held out, and what a model file keeps -----------------------------------------------------
# `fit` scores the rows held out with the model in memory; a loaded model must give the same bits.
# Which rows these are shows when one of them has another target: the model is in the units of the
# rows that it is trained on, which do not change then.
head -n 25 wide.csv >held.csv
unit_without() { # ROW: the unit of the target, to nine digits, where that row has another one
  awk -F, -v OFS=, -v row="$1" 'NR == row + 1 { $4 = 1000 } 1' held.csv >asked.csv
  "$mdgp" fit asked.csv --targets a --inputs x1,x2 --valid 0.3 --steps 1 --inducing 2 \
    -o asked.mdgp >asked.txt
  tr -d '\\' <asked.mdgp | grep -aoE '"tasks":\[\{"deviation":[^,]*' | cut -d: -f3 |
    awk '{ printf "%.9g\n", $1 }'
}
check "fit: --valid" fit held.csv --targets a --inputs x1,x2 --valid 0.3 --patience 10 -o held.mdgp
check_line "fit: --valid says how many" fit.txt "^ +[0-9]+ rows held out$"
check_line "fit: --valid scores them" fit.txt "^held-out rows$"
"$mdgp" info held.mdgp >held.txt
check_line "info: rows held out" held.txt "^  held-out rows: .*rmse [0-9.]+"
unit=$(unit_without 99)
all=$(sed -n 's/^ *\([0-9]*\) rows held out$/\1/p' asked.txt)
check_equal "fit: --valid holds out the share, rounded" "$all" 7
head -n 1 held.csv >held_rows.csv
for row in $(seq 24); do
  [[ $(unit_without "$row") != "$unit" ]] || sed -n "$((row + 1))p" held.csv >>held_rows.csv
done
check_equal "fit: --valid holds out what it says" "$(sed 1d held_rows.csv | wc -l)" "$all"
"$mdgp" evaluate held.mdgp held_rows.csv --json >held.json
# In the file, the scores are JSON within a string of JSON.
tr -d '\\' <held.mdgp | grep -aoE '"held_out":\{[^}]*\}' >stored.json
for key in rmse smse nlpp srmse snlpp; do
  check_equal "a saved model gives the same bits: $key" "$(json_value held.json overall $key)" \
    "$(json_value stored.json held_out $key)"
done

# --- Networks ----------------------------------------------------------------------------------------
for model in mann2 mann3 mbnn2 mbnn3; do
  network=("$mdgp" fit long.csv --task joint --target value --model "$model" --units 10 --steps 40)
  check "fit: $model" "${network[@]}" -o "$model.mdgp" >fit.txt
  check_line "fit: $model says what it is" fit.txt "^model +$model: .*network, .*10 units, a head"
  check "fit: $model, one thread" "${network[@]}" --threads 1 -o one.mdgp >fit.txt
  check_same "fit: $model, the same file" "$model.mdgp" one.mdgp
  check "predict: $model" predict "$model.mdgp" long.csv --quantiles 0.1,0.9 >network.out
  check_equal "predict: $model, a line for every row" "$(wc -l <network.out)" 65
  check "predict: $model, no holes" awk -F, 'NR > 1 && $13 == "" { exit 1 }' network.out
  check "evaluate: $model" "$mdgp" evaluate "$model.mdgp" long.csv >evaluate.txt
  check "info: $model" "$mdgp" info "$model.mdgp" >info.txt
  check_line "info: $model has layers" info.txt "^  hidden +10 units of +2 inputs; all tasks$"
  check_line "info: $model has heads" info.txt "^  head +3 outputs of 10 units; wrist$"
done
check "fit: a network for some time" "$mdgp" fit long.csv --task joint --target value \
  --model mann2 --time 0.2s --valid 0.3 --patience 50 -o time.mdgp >fit.txt

# --- Experiments -------------------------------------------------------------------------------------
# Others are in experiments_test.sh.
sarcos() { "$mdgp" experiment sarcos --sizes 20,28 --runs 2 --models exact-gp "$@"; }
# An igp takes hundreds of steps, which is seconds under the sanitizers: one at each size.
sarcos_igp() { "$mdgp" experiment sarcos --sizes 20,28 --runs 1 --models igp,exact-gp "$@"; }
# The records without what is measured by the clock; they come in the order in which they are done.
records() { sed -E 's/"(seconds|bound_ms)":[-0-9.e+]+,?//g' "$1/results.jsonl" | sort; }
check "experiment sarcos" sarcos --out first >first.txt 2>first_error.txt
check_equal "experiment sarcos: nothing on standard error" "$(cat first_error.txt)" ""
check_line "experiment sarcos: says what it did" first.txt "^SARCOS \(simulated\), 4 of 4 fits, "
check_line "experiment sarcos: a column for every size" first.txt "^RMSE +20 +28$"
check_line "experiment sarcos: mean and standard error" first.txt \
  "^exact-gp( +[0-9.]+ \([0-9.]+\)){2}$"
check_equal "experiment sarcos: a line for every fit" "$(wc -l <first/results.jsonl)" 4
check "experiment sarcos: one fit at a time" sarcos --out second --jobs 1 --threads 1 >/dev/null
check "experiment sarcos: another model" sarcos_igp --out first >/dev/null
check "experiment sarcos: another model, one fit at a time" sarcos_igp --out second --jobs 1 \
  --threads 1 >/dev/null
check_equal "experiment sarcos: a line for every fit of both" "$(wc -l <first/results.jsonl)" 6
check_same "experiment sarcos: the same records" <(records first) <(records second)
cp first/results.jsonl before.jsonl
check "experiment sarcos: again" sarcos_igp --out first >again.txt
check_line "experiment sarcos: all was done" again.txt "4 of 4 fits \(4 of them done before\)"
check_same "experiment sarcos: and stays as it was" first/results.jsonl before.jsonl
head -c -10 before.jsonl >first/results.jsonl
check "experiment sarcos: after a kill in a line" sarcos_igp --out first >again.txt
check_line "experiment sarcos: that fit is done again" again.txt "\(3 of them done before\)"
check_same "experiment sarcos: with the same record" <(records first) <(records second)
finish
