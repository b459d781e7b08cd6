# Makes visits.csv, held_out.csv and new.csv: awk -f make_data.awk
#
# A small trial of a drug. At a visit some of four things are noted: two that are measured, whether
# the patient feels sick, and how well the drug works. Behind all of them is how much of the drug is
# in the body, which nobody measures: it rises with the dose, more so in old age, and falls over the
# months as the body gets used to it.

# A generator of our own gives the same numbers with every awk (Park and Miller, 1988).
function uniform() {
  state = (16807 * state) % 2147483647
  return state / 2147483647
}
function normal() { return sqrt(-2 * log(uniform())) * cos(2 * pi * uniform()) }
function logistic(x) { return 1 / (1 + exp(-x)) }

# The chance of being noted at a visit: pressure is cheap, the others are not.
function noted(what) {
  return held_out || uniform() < (what == "pressure" ? 0.9 : what == "glucose" ? 0.5 : 0.4)
}
function note(what, value) {
  if (noted(what)) print patient, age, dose, month, what, value > file
}

BEGIN {
  OFS = ","
  pi = atan2(0, -1)
  state = 19970612
  for (p = 1; p <= 60; ++p) {
    held_out = p > 36
    file = held_out ? "held_out.csv" : "visits.csv"
    if (p == 1 || p == 37) print "patient", "age", "dose", "month", "measure", "value" > file
    patient = sprintf("P%02d", p)
    age = int(35 + 50 * uniform())
    dose = 5 * int(1 + 8 * uniform())
    for (visit = 1; visit <= 2; ++visit) {
      month = int(visit == 1 ? 1 + 4 * uniform() : 6 + 6 * uniform())
      level = dose / 40 * (0.6 + 0.8 * logistic((age - 62) / 5)) * exp(-month / 14)
      effect = logistic(9 * (level - 0.45))
      note("pressure", sprintf("%.0f", 158 - 26 * effect + 3 * normal()))
      note("glucose", sprintf("%.1f", 8.5 - 2.2 * effect + 1.1 * effect * effect + 0.25 * normal()))
      note("sick", uniform() < logistic(9 * (level - 0.6)) ? "yes" : "no")
      score = effect + 0.08 * normal()
      note("response", score > 0.75 ? "full" : score > 0.3 ? "partial" : "none")
    }
  }
  print "patient", "age", "dose", "month", "measure" > "new.csv"
  count = split("pressure,sick,response", measures, ",")
  for (dose = 10; dose <= 30; dose += 20) {
    for (m = 1; m <= count; ++m) print "P61", 71, dose, 2, measures[m] > "new.csv"
  }
}
