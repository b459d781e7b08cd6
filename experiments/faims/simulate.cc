#include "simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mdgp/random/normal.h"

namespace mdgp::experiments {
namespace {

constexpr std::uint64_t kSeed = 0xFA'1A5'0000'0003;
constexpr std::uint32_t kCompounds = 24;
constexpr std::uint32_t kInformative = 6;  // the first ones
constexpr double kLowestVoltage = -1.5, kHighestVoltage = 4.5;

// What a draw is for: the step of its key.
enum Step : std::uint32_t { kCompoundStep, kPatientStep, kRunStep, kNoiseStep = 16 };

// The chances of one study.
struct Chance {
  std::uint64_t seed;
  double uniform(std::uint32_t step, std::uint64_t row, std::uint32_t column, double low,
                 double high) const {
    return low + (high - low) * mdgp::uniform({seed, Purpose::data, step}, row, column);
  }
  double normal(std::uint32_t step, std::uint64_t row, std::uint32_t column) const {
    return mdgp::normal({seed, Purpose::data, step}, row, column);
  }
};

// An ion's path over the dispersion field f in [0, 1]: its peak stands at the compensation voltage
// curve f² and fades as faster ions are lost.
struct Compound {
  double curve, width, fade;
  double amount;              // logarithm of the mean
  double rate;                // of evaporation, per run
  double diet[2];             // how it follows what people ate
  double effect[2] = {0, 0};  // of the two forms of the disease, on the logarithm
};

Compound make_compound(const Chance& chance, std::uint32_t i) {
  const auto value = [&](std::uint32_t column, double low, double high) {
    return chance.uniform(kCompoundStep, i, column, low, high);
  };
  Compound c{};
  c.curve = value(0, -1.0, 4.0);
  c.width = value(1, 0.12, 0.25);
  c.fade = value(2, 0.5, 2.0);
  c.amount = value(3, -0.5, 0.5);
  c.rate = value(4, 0.3, 1.4);
  for (const std::uint32_t k : {0U, 1U}) c.diet[k] = value(5 + k, -0.5, 0.5);
  if (i >= kInformative) return c;
  // Slow to evaporate and scarce: early runs are full of other compounds, which take their charge.
  c.rate = value(4, 0.05, 0.4);
  c.amount = value(3, -1.0, -0.5);
  c.curve = -0.8 + 0.9 * i;  // apart from each other
  c.effect[0] = i < 4 ? 1.2 : 0.0;
  c.effect[1] = i < 2 ? -0.8 : 1.2;
  return c;
}

// The logarithms of a patient's compounds in the sample, and how fast they leave it.
struct Patient {
  std::array<double, kCompounds> amount;
  double speed;
};

Patient make_patient(const Chance& chance, Index p, int label,
                     const std::vector<Compound>& compounds) {
  const auto row = static_cast<std::uint64_t>(p);
  const double dilution = 0.4 * chance.normal(kPatientStep, row, 0);
  const double diet[2] = {chance.normal(kPatientStep, row, 2), chance.normal(kPatientStep, row, 4)};
  const bool second = chance.uniform(kPatientStep, row, 6, 0.0, 1.0) < 0.4;
  Patient patient{};
  patient.speed = std::exp(0.2 * chance.normal(kPatientStep, row, 8));
  for (std::uint32_t i = 0; i < kCompounds; ++i) {
    const Compound& c = compounds[i];
    patient.amount[i] = c.amount + dilution + c.diet[0] * diet[0] + c.diet[1] * diet[1] +
                        0.5 * chance.normal(kPatientStep, row, 100 + 2 * i) +
                        (label == 1 ? c.effect[second ? 1 : 0] : 0.0);
  }
  return patient;
}

// Cases are kCases patients at random.
std::vector<int> make_labels(const Chance& chance) {
  std::vector<std::pair<double, std::size_t>> drawn;
  for (std::size_t p = 0; p < kPatients; ++p) {
    drawn.emplace_back(chance.uniform(kPatientStep, p, 10, 0.0, 1.0), p);
  }
  std::sort(drawn.begin(), drawn.end());
  std::vector<int> label(kPatients, 0);
  for (std::size_t i = 0; i < kCases; ++i) label[drawn[i].second] = 1;
  return label;
}

void record(const Chance& chance, const Patient& patient, const std::vector<Compound>& compounds,
            std::uint64_t id, std::uint32_t run, Eigen::Ref<Eigen::RowVectorXd> spectrum) {
  const std::uint32_t step = kRunStep + run;
  const auto time = static_cast<double>(run);
  std::array<double, kCompounds> amount{};
  double all = 0.0;
  for (std::uint32_t i = 0; i < kCompounds; ++i) {
    amount[i] = std::exp(patient.amount[i] - compounds[i].rate * patient.speed * time +
                         0.25 * chance.normal(step, id, 100 + 2 * i));
    all += amount[i];
  }
  // There is only so much charge; the instrument's gain and its voltage drift from run to run.
  const double gain = std::pow(0.9, time) * std::exp(0.1 * chance.normal(step, id, 0));
  const double charge = gain / (1.0 + all / 8.0);
  const double shift = 0.03 * time + 0.03 * chance.normal(step, id, 2);
  for (Index f = 0; f < kFields; ++f) {
    const double field = static_cast<double>(f + 1) / kFields;
    for (Index v = 0; v < kVoltages; ++v) {
      const double voltage = kLowestVoltage + (kHighestVoltage - kLowestVoltage) *
                                                  static_cast<double>(v) / (kVoltages - 1);
      const Index at = f * kVoltages + v;
      double sum = 0.01 * chance.normal(kNoiseStep + run, id, static_cast<std::uint32_t>(2 * at));
      for (std::uint32_t i = 0; i < kCompounds; ++i) {
        const Compound& c = compounds[i];
        const double z = (voltage - shift - c.curve * field * field) / c.width;
        if (std::abs(z) < 5.0) {
          sum += charge * amount[i] * std::exp(-0.5 * z * z - c.fade * field);
        }
      }
      spectrum[at] = sum;
    }
  }
}

}  // namespace

FaimsData simulate_faims(std::uint64_t study) {
  const Chance chance{kSeed + study};
  std::vector<Compound> compounds;
  for (std::uint32_t i = 0; i < kCompounds; ++i) compounds.push_back(make_compound(chance, i));
  FaimsData data;
  data.origin = "simulated";
  data.label = make_labels(chance);
  for (Index f = 0; f < kFields; ++f) {
    for (Index v = 0; v < kVoltages; ++v) data.features.push_back(fmt::format("f{}v{}", f, v));
  }
  for (std::uint32_t run = 0; run < kFaimsRuns; ++run) {
    data.x[run].resize(kPatients, kFields * kVoltages);
  }
  Eigen::RowVectorXd spectrum(kFields * kVoltages);
  for (Index p = 0; p < kPatients; ++p) {
    const Patient patient =
        make_patient(chance, p, data.label[static_cast<std::size_t>(p)], compounds);
    for (std::uint32_t run = 0; run < kFaimsRuns; ++run) {
      record(chance, patient, compounds, static_cast<std::uint64_t>(p), run, spectrum);
      data.x[run].row(p) = spectrum;
    }
  }
  return data;
}

}  // namespace mdgp::experiments
