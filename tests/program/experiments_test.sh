#!/usr/bin/env bash
# The paper's experiments as their users run them: small ones, again, and after a kill.
set -euo pipefail
source "$(dirname "$0")/checks.sh"

# The records without what is measured by the clock; they come in the order in which they are done.
records() { sed -E 's/"(seconds|bound_ms)":[-0-9.e+]+,?//g' "$1/results.jsonl" | sort; }
mnist() { "$mdgp" experiment mnist --size 60 --steps 5 --runs 1 --models igp,mmdgp "$@"; }
check "experiment mnist" mnist --out mnist_first >mnist.txt 2>mnist_error.txt
check_equal "experiment mnist: nothing on standard error" "$(cat mnist_error.txt)" ""
check_line "experiment mnist: says what it did" mnist.txt "^MNIST \(drawn, 5 steps\), 2 of 2 fits, "
check_line "experiment mnist: a column for every task" mnist.txt "^accuracy +standard +random +images +all "
check_line "experiment mnist: says what became of claims" mnist.txt "^not tested \(no runs of smdgp, idgp\): smdgp"
check_line "experiment mnist: a report" mnist_first/report.md "^\| model \| all \| standard \| random \|"
check_line "experiment mnist: an inducing image" mnist_first/report.html "private, after"
check "experiment mnist: one thread" mnist --out mnist_second --jobs 1 --threads 1 >/dev/null
check_same "experiment mnist: the same records" <(records mnist_first) <(records mnist_second)

mkdir study # three recordings of twelve subjects
awk 'BEGIN { print "ID,Recording,Status,Gender,a,b,c"
             for (s = 0; s < 12; s++) for (r = 1; r <= 3; r++)
               print "S" s "," r "," s % 2 ",1," s % 2 + sin(s * r) / 2 "," cos(s + r) "," sin(s) }' \
  >study/parkinson_replicated.csv
faims() { "$mdgp" experiment faims --data study --runs 1 "$@"; }
check "experiment faims" faims --models igp,smdgp,logistic,logistic-all --out first_faims >first.txt 2>first_error.txt
check_equal "experiment faims: nothing on standard error" "$(cat first_error.txt)" ""
check_line "experiment faims: says what it did" first.txt "^FAIMS \(parkinson\), 4 of 4 fits, "
check_line "experiment faims: a column for every run" first.txt "^ROC-AUC +run 1 +run 2 +run 3 +all "
check_line "experiment faims: a row for every model" first.txt "^smdgp( +[0-9.]+){6}$"
check_line "experiment faims: claims" first.txt "^mdgp models over igp: smdgp .*hold"
check "experiment faims: again" faims --models igp,logistic --out first_faims >again.txt
check_line "experiment faims: all was done" again.txt "2 of 2 fits \(2 of them done before\)"
check "experiment faims: one fit at a time" \
  faims --models igp --out second_faims --jobs 1 --threads 1 >/dev/null
check_same "experiment faims: the same record" \
  <(records first_faims | grep '"igp"') <(records second_faims)
# The same file with other numbers in it is other data.
cp study/parkinson_replicated.csv before.csv
cp first_faims/results.jsonl before.jsonl
sed '2s/[^,]*$/7/' before.csv >study/parkinson_replicated.csv
code=0
faims --models igp --out first_faims >other.txt 2>other_error.txt || code=$?
check_equal "experiment faims: other data, exit code" "$code" 2
check_equal "experiment faims: other data" "$(cat other_error.txt)" \
  "mdgp: first_faims/results.jsonl: its fits are of other data than these; choose another --out"
check_same "experiment faims: other data, nothing written" first_faims/results.jsonl before.jsonl
cp before.csv study/parkinson_replicated.csv
# Draws of another seed, and another experiment in the same folder, are not taken for the same runs.
# Both simulate where there are no data, so that nothing but their names tells them apart.
check "experiment faims: simulated" "$mdgp" experiment faims --models logistic --runs 1 --out first_faims >/dev/null
check "experiment sarcos: beside faims" \
  "$mdgp" experiment sarcos --sizes 20 --runs 1 --models exact-gp --out first_faims >sarcos.txt
check_line "experiment sarcos: the call that does it again" first_faims/report.md \
  "^    mdgp experiment sarcos --sizes 20 --models exact-gp --runs 1 --seed 1 --out first_faims$"
of_first_seed=$(grep "^| exact-gp" first_faims/report.md)
for seed in 2 1; do
  "$mdgp" experiment sarcos --sizes 20 --runs 1 --models exact-gp --out first_faims --seed $seed >/dev/null
  if ((seed == 2)); then of_second_seed=$(grep "^| exact-gp" first_faims/report.md); fi
done
check "experiment sarcos: another seed, other scores" test "$of_first_seed" != "$of_second_seed"
check_equal "experiment sarcos: the first seed again" "$(grep "^| exact-gp" first_faims/report.md)" \
  "$of_first_seed"
# The report has the fits of both calls, the command is of the last.
check "experiment sarcos: another size" \
  "$mdgp" experiment sarcos --sizes 28 --runs 1 --models exact-gp --out first_faims >/dev/null
check_line "experiment sarcos: fits of other calls" first_faims/report.md \
  "^    mdgp experiment sarcos --sizes 28 .* --out first_faims  # the last call; others before it"
# As another build would have left them.
sed -i -E '/"sarcos"/s/"program":"[0-9a-f]{8}"/"program":"00000000"/' first_faims/results.jsonl
check "experiment sarcos: another build" \
  "$mdgp" experiment sarcos --sizes 30 --runs 1 --models exact-gp --out first_faims >/dev/null
check_line "experiment sarcos: fits of another build" first_faims/report.md \
  "# not all by the same build of mdgp$"
finish
