# Makes hires.csv, held_out.csv and sunday.csv: awk -f make_data.awk
#
# Bikes hired in an hour at three stations of a town. Everywhere people ride to work on weekdays and
# to the river at weekends, more of them when it is warm; the stations see the same riders in
# different measure. Their counters are old: each has lost about a third of the hours.

# A generator of our own gives the same numbers with every awk (Park and Miller, 1988).
function uniform() {
  state = (16807 * state) % 2147483647
  return state / 2147483647
}
function normal() { return sqrt(-2 * log(uniform())) * cos(2 * pi * uniform()) }
function bump(hour, at, width) { return exp(-((hour - at) / width) ^ 2 / 2) }
function poisson(mean, n, p) {  # by multiplying (Knuth)
  for (p = uniform(); p > exp(-mean); p *= uniform()) ++n
  return n + 0
}
function kept(count) { return uniform() < 0.7 ? count : "" }

BEGIN {
  pi = atan2(0, -1)
  state = 20230509
  split("Mon,Tue,Wed,Thu,Fri,Sat,Sun", names, ",")
  header = "weekday,hour,temperature,market,river,school"
  print header > "hires.csv"
  print header > "held_out.csv"
  for (row = 0; row < 200; ++row) {
    d = int(1 + 7 * uniform())
    hour = int(6 + 17 * uniform())
    temperature = 14 + 6 * bump(hour, 15, 4) + 5 * normal()
    warm = 0.3 + 0.7 / (1 + exp(-(temperature - 14) / 3))
    riders = d <= 5 ? bump(hour, 8, 2) + 0.9 * bump(hour, 17, 2.5) : 0.9 * bump(hour, 14, 3)
    riders *= warm
    market = poisson(1 + 20 * riders)
    river = poisson(0.3 + 18 * riders * riders)
    school = poisson(0.5 + 12 * sqrt(riders) * riders)
    start = sprintf("%s,%d,%.1f", names[d], hour, temperature)
    if (row < 100) {
      print start "," kept(market) "," kept(river) "," kept(school) > "hires.csv"
    } else {
      print start "," market "," river "," school > "held_out.csv"
    }
  }
  print "weekday,hour,temperature" > "sunday.csv"
  for (hour = 8; hour <= 20; hour += 3) {
    printf "Sun,%d,%.1f\n", hour, 12 + 7 * bump(hour, 15, 4) > "sunday.csv"
  }
}
