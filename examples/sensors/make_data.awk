# Makes sensors.csv and held_out.csv: awk -f make_data.awk
#
# Six days of a small house, every two hours. The sun through the clouds, which nobody measures,
# warms it; four thermometers see that, each in its own way. Each thermometer failed for some time.
# What it would have shown then is in held_out.csv, as if its own memory had been read out later.

# A generator of our own gives the same numbers with every awk (Park and Miller, 1988).
function uniform() {
  state = (16807 * state) % 2147483647
  return state / 2147483647
}
function normal() { return sqrt(-2 * log(uniform())) * cos(2 * pi * uniform()) }
function positive(x) { return x > 0 ? x : 0 }
function tanh(x) { return 1 - 2 / (exp(2 * x) + 1) }

# 1 where the sky is clear, 0 in thick cloud.
function clear_sky(day) {
  return 0.5 + 0.3 * sin(2 * pi * day / 1.9 + 1) + 0.2 * sin(2 * pi * day / 0.7)
}
function failed(sensor, day) {
  return (sensor == "kitchen" && day >= 1.2 && day < 2.1) ||
         (sensor == "study" && day >= 2.8 && day < 3.9) ||
         (sensor == "attic" && ((day >= 0.3 && day < 0.9) || (day >= 4.3 && day < 4.9))) ||
         (sensor == "cellar" && day >= 3.5 && day < 5.5)
}

BEGIN {
  pi = atan2(0, -1)
  state = 20240301
  count = split("kitchen,study,attic,cellar", sensor, ",")
  header = "day,outside,wind"
  for (s = 1; s <= count; ++s) header = header "," sensor[s]
  print header > "sensors.csv"
  print header > "held_out.csv"
  wind = 4
  for (hour = 0; hour < 144; hour += 2) {
    day = hour / 24
    sun = positive(sin(2 * pi * (day - 0.27))) * clear_sky(day)
    warmth = 0.55 * warmth + 1.6 * sun  # walls keep some of it
    wind = positive(4 + 0.9 * (wind - 4) + 0.8 * normal())
    outside = 6 + 0.4 * day - 4 * cos(2 * pi * (day - 0.1)) + 0.5 * normal()
    loss = (20 - outside) * (1 + 0.08 * wind) / 20
    value["kitchen"] = 20.5 + 3 * tanh(warmth) - 1.2 * loss + 0.15 * normal()
    value["study"] = 19.5 + 1.1 * warmth - 1.5 * loss + 0.15 * normal()
    value["attic"] = outside + 4 + 2.2 * warmth * warmth - 0.2 * wind + 0.4 * normal()
    value["cellar"] = 12 + 0.5 * sqrt(warmth) + 0.06 * outside + 0.08 * normal()
    start = sprintf("%.3f,%.1f,%.1f", day, outside, wind)
    kept = lost = ""
    any = 0
    for (s = 1; s <= count; ++s) {
      reading = sprintf("%.2f", value[sensor[s]])
      gone = failed(sensor[s], day)
      any += gone
      kept = kept "," (gone ? "" : reading)
      lost = lost "," (gone ? reading : "")
    }
    print start kept > "sensors.csv"
    if (any) print start lost > "held_out.csv"
  }
}
