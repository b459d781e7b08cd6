#!/usr/bin/env bash
# A training that is killed or interrupted at any moment goes on where it was, and ends with the same
# bytes as one that was left alone. Whatever ends the program, no half-written file remains.
set -euo pipefail
source "$(dirname "$0")/checks.sh"

readonly kKills=20
readonly kSeconds=6     # that the training takes when it is left alone
readonly kLongest=0.45  # until a kill, at most
export MDGP_CHECKPOINT_SECONDS=0.05
RANDOM=1

wide_table 60 >wide.csv
fit=(fit wide.csv --targets a,b --inputs x1,x2 --inducing 20 --batch 40 --threads 1)

# As many steps as fill the time on this machine, by the processor's time: others may be at work too.
TIMEFORMAT=%U
taken=$({ time "$mdgp" "${fit[@]}" --steps 1500 -o speed.mdgp >/dev/null; } 2>&1)
steps=$(awk -v taken="$taken" -v wanted=$kSeconds 'BEGIN { print int(1500 * wanted / (taken + 0.001)) }')
fit+=(--steps "$steps")
"$mdgp" "${fit[@]}" -o whole.mdgp >/dev/null
check "left alone: a model" test -s whole.mdgp
check_equal "left alone: nothing else" "$(echo whole.mdgp*)" whole.mdgp

# begin OUT: the training in the background, from its checkpoint if there is one; sets $training.
begin() {
  local resume=()
  [[ ! -e $1.checkpoint ]] || resume=(--resume)
  "$mdgp" "${fit[@]}" "${resume[@]}" -o "$1" >output.txt 2>error.txt &
  training=$!
}

# Waits for it; sets $code, 128 and the signal where one ended it.
await() {
  code=0
  { wait "$training" || code=$?; } 2>/dev/null
}

# expect_interrupted SIGNAL OUT: that signal was sent; the run must end in order.
expect_interrupted() {
  check_equal "$1: exit code" "$code" 1
  check_equal "$1: one line" "$(wc -l <error.txt)" 1
  check_line "$1: how to go on" error.txt \
    "^mdgp: interrupted after step [0-9]+ of $steps; the same command with --resume goes on from there$"
  check "$1: a checkpoint" test -s "$2.checkpoint"
  check_equal "$1: no model, no other file" "$(echo "$2"*)" "$2.checkpoint"
}

# --- kill -9 --------------------------------------------------------------------------------------------
# expect_whole WHAT OUT: the run came to its end.
expect_whole() {
  check_equal "$1: the run ends well: $(cat error.txt)" "$code" 0
  check_same "$1: the same model" "$2" whole.mdgp
  check_equal "$1: no other file" "$(echo "$2"*)" "$2"
}

kills=0 resumed=0
while ((kills < kKills)); do
  [[ ! -e killed.mdgp.checkpoint ]] || resumed=$((resumed + 1))
  begin killed.mdgp
  sleep "$(awk -v most=$kLongest -v draw=$RANDOM 'BEGIN { print 0.02 + (most - 0.02) * draw / 32768 }')"
  kill -KILL "$training" 2>/dev/null || true
  await
  if ((code != 137)); then # faster than foreseen; there are kills left for another one
    expect_whole "kill -9, after $kills kills" killed.mdgp
    rm -f killed.mdgp*
    ((code == 0)) || break
    continue
  fi
  kills=$((kills + 1))
  check "kill $kills: no model yet" test ! -e killed.mdgp
done
check "kill -9: most runs were resumed ones ($resumed)" test "$resumed" -gt $((kKills / 2))
begin killed.mdgp
await
expect_whole "kill -9" killed.mdgp
check_line "kill -9: the last run is a resumed one" output.txt "^resumed +after step [0-9]+ of $steps$"

# --- SIGINT, then SIGTERM -----------------------------------------------------------------------------
begin stopped.mdgp
until [[ -e stopped.mdgp.checkpoint ]]; do sleep 0.05; done
sleep 0.5
kill -INT "$training"
await
expect_interrupted SIGINT stopped.mdgp
begin stopped.mdgp
sleep 0.7
kill -TERM "$training"
await
expect_interrupted SIGTERM stopped.mdgp
begin stopped.mdgp
await
expect_whole "after the signals" stopped.mdgp
# Over an old model: that stays until the new one is whole.
echo old >over.mdgp
begin over.mdgp
sleep 0.5
kill -INT "$training"
await
check_equal "SIGINT: the old model stays" "$(cat over.mdgp)" old

# --- Work that cannot be taken up again --------------------------------------------------------------
wide_table 1500 >many.csv
"$mdgp" fit many.csv --targets a,b --inputs x1,x2 --model igp --optimiser lbfgs -o lbfgs.mdgp \
  >output.txt 2>error.txt &
training=$!
sleep 1
kill -INT "$training"
await
check_equal "L-BFGS: exit code" "$code" 1
check_equal "L-BFGS: one line" "$(cat error.txt)" \
  "mdgp: interrupted; L-BFGS cannot be resumed, so start again"
check_equal "L-BFGS: no file" "$(ls lbfgs.mdgp* 2>/dev/null || true)" ""
# In the middle of reading or of predicting. `timeout` runs the program in the foreground, where bash
# does not make it ignore SIGINT.
wide_table 5000 >many.csv
for signal in INT TERM; do
  rm -f early*
  { cat wide.csv && sleep 0.7; } |
    timeout -s $signal 0.5 "$mdgp" "${fit[@]/wide.csv/-}" -o early.mdgp >/dev/null 2>&1 || true
  check_equal "SIG$signal while reading: no file" "$(ls early.mdgp* 2>/dev/null || true)" ""
  { cat many.csv && sleep 0.7; } |
    timeout -s $signal 0.5 "$mdgp" predict whole.mdgp - -o early.csv >/dev/null 2>&1 || true
  check_equal "SIG$signal while predicting: no file" "$(ls early.csv* 2>/dev/null || true)" ""
done
# A reader that waits for more must not make the user wait.
mkfifo stalled
{ cat many.csv && sleep 3; } >stalled 2>/dev/null &
started=$(date +%s%N)
timeout -s INT 0.5 "$mdgp" predict whole.mdgp - -o early.csv <stalled >/dev/null 2>&1 || true
elapsed=$((($(date +%s%N) - started) / 1000000))
check "SIGINT while waiting for rows: ends at once, not after $elapsed ms" test "$elapsed" -lt 2000
check_equal "SIGINT while waiting for rows: no file" "$(ls early.csv* 2>/dev/null || true)" ""
# --- Few rows, more inputs -----------------------------------------------------------------------------
awk 'BEGIN {
  srand(1)
  print "a,b,c,d,e,y,z"
  for (i = 0; i < 40; i++) {
    for (k = 0; k < 5; k++) printf "%.4f,", x[k] = rand()
    printf "%.4f,%.4f\n", x[0] + x[1] ^ 2 + 0.1 * rand(), x[0] - x[2] + 0.1 * rand()
  }
}' >few.csv
# Where the top layer starts as an exact GP, it stays as it is, also in a resumed training.
steps=1000
for model in smdgp cmdgp; do
  fit=(fit few.csv --targets y,z --model $model --threads 1 --steps $steps --hyperparameter-samples 0)
  "$mdgp" "${fit[@]}" -o whole.mdgp >output.txt
  check_line "exact start, $model: it is one" output.txt "exact GP"
  begin exact.mdgp
  while kill -0 "$training" 2>/dev/null && [[ ! -e exact.mdgp.checkpoint ]]; do sleep 0.02; done
  kill -INT "$training"
  await
  expect_interrupted "exact start, $model" exact.mdgp
  begin exact.mdgp
  await
  expect_whole "exact start, $model" exact.mdgp
  rm exact.mdgp
done

# And where latent functions start on labels, they keep the priors of that start.
awk 'BEGIN {
  srand(2)
  print "a,b,c,d,e,f,y,z"
  for (i = 0; i < 50; i++) {
    for (k = 0; k < 6; k++) printf "%.4f,", x[k] = rand()
    print (x[0] + x[1] > 1 ? "yes" : "no") "," (x[0] + x[2] + 0.3 * rand() > 1.2 ? "yes" : "no")
  }
}' >labels.csv
steps=1500
fit=(fit labels.csv --targets y,z --threads 1 --steps $steps)
"$mdgp" "${fit[@]}" -o whole.mdgp >output.txt
check_line "label start: it is one" output.txt "latent functions start as exact GPs of the labels"
begin labels.mdgp
while kill -0 "$training" 2>/dev/null && [[ ! -e labels.mdgp.checkpoint ]]; do sleep 0.02; done
kill -INT "$training"
await
expect_interrupted "label start" labels.mdgp
begin labels.mdgp
await
expect_whole "label start" labels.mdgp

# --- While hyperparameters are drawn, after the training -----------------------------------------------
export MDGP_CHECKPOINT_SECONDS=60 # none while it trains
fit=(fit few.csv --targets y,z --threads 1 --steps 5 --hyperparameter-samples 300)
"$mdgp" "${fit[@]}" -o whole.mdgp >/dev/null
begin drawn.mdgp
until [[ -e drawn.mdgp.checkpoint ]]; do sleep 0.05; done # the training is over
sleep 0.3
kill -INT "$training"
await
check_equal "SIGINT while drawing: exit code" "$code" 1
check_equal "SIGINT while drawing: one line" "$(cat error.txt)" \
  "mdgp: interrupted while drawing hyperparameters; the same command with --resume goes on after the training"
check_equal "SIGINT while drawing: the training is kept" "$(echo drawn.mdgp*)" drawn.mdgp.checkpoint
begin drawn.mdgp
await
expect_whole "after the signal" drawn.mdgp
finish
