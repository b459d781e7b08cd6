#include "mdgp/autodiff/parameters.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace mdgp {
namespace {

Parameters two_blocks() {
  Parameters p;
  p.add("a.W", 2, 3, Constraint::none, 0.5);
  p.add("a.kappa", 2, 1, Constraint::positive, 1.5);
  return p;
}

TEST(Parameters, StartEmpty) { EXPECT_EQ(Parameters().size(), 0); }

TEST(Parameters, AddReturnsIdsInOrder) {
  Parameters p;
  EXPECT_EQ(p.add("a", 1, 1, Constraint::none, 0.0), 0);
  EXPECT_EQ(p.add("b", 1, 1, Constraint::none, 0.0), 1);
}

TEST(Parameters, AddFillsAndAppends) {
  const Parameters p = two_blocks();
  Vector expected(8);
  expected << 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1.5, 1.5;
  EXPECT_EQ(p.values, expected);
}

TEST(Parameters, AddKeepsEarlierValues) {
  Parameters p;
  p.view(p.add("a", 2, 1, Constraint::none, 0.0)) << 3.0, 4.0;
  p.add("b", 100, 100, Constraint::none, 0.0);
  EXPECT_EQ(Matrix(p.view("a")), (Matrix{{3.0}, {4.0}}));
}

TEST(Parameters, TheTableSaysWhatABlockIs) {
  const Parameters p = two_blocks();
  EXPECT_EQ(p[1].name, "a.kappa");
  EXPECT_EQ(p[1].offset, 6);
  EXPECT_EQ(p[1].rows, 2);
  EXPECT_EQ(p[1].cols, 1);
  EXPECT_EQ(p[1].size(), 2);
  EXPECT_EQ(p[1].constraint, Constraint::positive);
  EXPECT_TRUE(p[1].trainable);
}

TEST(Parameters, FindReturnsTheId) {
  const Parameters p = two_blocks();
  EXPECT_EQ(p.find("a.W"), 0);
  EXPECT_EQ(p.find("a.kappa"), 1);
}

TEST(Parameters, FindNamesWhatIsMissing) {
  const Parameters p = two_blocks();
  try {
    p.find("a");  // a prefix is not a name
    FAIL() << "nothing thrown";
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "Parameters::find: there is no parameter 'a'");
  }
}

TEST(Parameters, AViewIsAWindowInColumnMajorOrder) {
  Parameters p = two_blocks();
  p.view("a.W")(1, 2) = 9.0;
  EXPECT_EQ(p.values[5], 9.0);
  p.values[2] = 8.0;
  EXPECT_EQ(p.view(0)(0, 1), 8.0);
}

TEST(Parameters, AConstViewSeesTheSameValues) {
  Parameters p = two_blocks();
  p.view(1)(1, 0) = 9.0;
  const Parameters& c = p;
  EXPECT_EQ(c.view(1)(1, 0), 9.0);
  EXPECT_EQ(c.view("a.kappa")(1, 0), 9.0);
}

TEST(Leaves, ValueIsTheParameter) {
  const Parameters p = two_blocks();
  const Leaves leaves{&p, nullptr, 0};
  EXPECT_EQ(leaves.value(1).data(), p.values.data() + 6);
}

TEST(Leaves, AdjointHasTheLayoutOfTheValues) {
  const Parameters p = two_blocks();
  Vector adjoints = Vector::Zero(p.size());
  const Leaves leaves{&p, adjoints.data(), 0};
  leaves.adjoint(0)(1, 2) = 2.0;
  leaves.adjoint(1)(0, 0) = 3.0;
  Vector expected = Vector::Zero(8);
  expected[5] = 2.0;
  expected[6] = 3.0;
  EXPECT_EQ(adjoints, expected);
}

TEST(Leaves, AdjointsMayBeARangeOnly) {
  const Parameters p = two_blocks();
  Vector adjoints = Vector::Zero(2);
  const Leaves leaves{&p, adjoints.data(), p[1].offset};
  EXPECT_EQ(leaves.adjoint(1).data(), adjoints.data());
}

TEST(Leaves, RecordWhereThereAreAdjoints) {
  const Parameters p = two_blocks();
  double adjoint = 0.0;
  EXPECT_TRUE((Leaves{&p, &adjoint, 0}).recording());
  EXPECT_FALSE((Leaves{&p, nullptr, 0}).recording());
}

}  // namespace
}  // namespace mdgp
