// Every reference case within its limits, and a comparison that notices a wrong number.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <functional>
#include <stdexcept>

#include "reference/case.h"

namespace mdgp::reference {
namespace {

std::vector<std::string> case_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(MDGP_REFERENCE_DIR)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string stem(const std::string& path) {
  std::string name = std::filesystem::path(path).stem().string();
  std::replace_if(
      name.begin(), name.end(),
      [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

class ReferenceCase : public testing::TestWithParam<std::string> {};

TEST_P(ReferenceCase, IsWithinLimits) {
  for (const Error& error : compare(read_case(GetParam()))) {
    EXPECT_LE(error.relative, error.limit) << error.quantity;
  }
}

TEST_P(ReferenceCase, GivesTheGradientOfEveryTrainableParameter) {
  const Case c = read_case(GetParam());
  for (const Parameter& p : c.model.parameters.table) {
    if (!p.trainable) continue;
    EXPECT_TRUE(std::any_of(c.expected_gradients.begin(), c.expected_gradients.end(),
                            [&](const Case::Gradient& g) { return g.name == p.name; }))
        << p.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, ReferenceCase, testing::ValuesIn(case_files()),
                         [](const auto& test) { return stem(test.param); });

// One expected number changed by little more than its limit.
struct Corruption {
  std::string quantity;
  std::function<void(Case&)> corrupt;
};

class CorruptedCase : public testing::TestWithParam<Corruption> {};

TEST_P(CorruptedCase, IsCaughtInThatQuantityAlone) {
  Case c = read_case(case_files().front());
  GetParam().corrupt(c);
  for (const Error& error : compare(c)) {
    EXPECT_EQ(error.relative > error.limit, error.quantity == GetParam().quantity)
        << error.quantity;
  }
}

void change_largest(Matrix& m, double relative) {
  Index i = 0, j = 0;
  m.cwiseAbs().maxCoeff(&i, &j);
  m(i, j) *= 1.0 + relative;
}

std::vector<Corruption> corruptions() {
  std::vector<Corruption> all = {
      {"elbo", [](Case& c) { c.expected.bound *= 1.0 + 3e-8; }},
      {"expected_log_likelihood",
       [](Case& c) { c.expected.expected_log_likelihood *= 1.0 + 3e-8; }},
      {"kl", [](Case& c) { c.expected.kl *= 1.0 + 3e-8; }},
      {"top_mean", [](Case& c) { change_largest(c.expected_top.mean, 3e-8); }},
      {"top_variance", [](Case& c) { change_largest(c.expected_top.variance, 3e-8); }},
  };
  const Case first = read_case(case_files().front());
  for (std::size_t g = 0; g < first.expected_gradients.size(); ++g) {
    all.push_back({"gradient of " + first.expected_gradients[g].name,
                   [g](Case& c) { change_largest(c.expected_gradients[g].value, 3e-7); }});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Quantities, CorruptedCase, testing::ValuesIn(corruptions()),
                         [](const auto& test) { return stem(test.param.quantity + ".x"); });

TEST(ReadCase, NamesTheFileThatIsNotThere) {
  try {
    read_case("/nowhere/case.json");
    FAIL() << "nothing thrown";
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find("/nowhere/case.json"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace mdgp::reference
