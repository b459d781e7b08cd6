// Reading kernels from text, names of their parameters, refusals.
#include <stdexcept>

#include "kernel_problem.h"

namespace mdgp::testing_kernels {
namespace {

std::string text_of(const std::string& expression) {
  Parameters parameters;
  return to_string(make_kernel(expression, {}, "", parameters));
}

std::string refusal_of(const std::string& expression, const KernelContext& context = {}) {
  Parameters parameters;
  try {
    make_kernel(expression, context, "", parameters);
  } catch (const std::invalid_argument& e) {
    EXPECT_EQ(parameters.size(), 0) << "parameters of a kernel that is none";
    return e.what();
  }
  return "(nothing thrown)";
}

std::vector<std::string> parameter_names(const std::string& expression) {
  Parameters parameters;
  make_kernel(expression, {}, "f.", parameters);
  std::vector<std::string> names;
  for (const Parameter& p : parameters.table) names.push_back(p.name);
  return names;
}

TEST(MakeKernel, IsWrittenAsItIsRead) {
  for (const std::string& expression : kAll) EXPECT_EQ(text_of(expression), expression);
}

TEST(MakeKernel, ReadsTheExamplesOfItsDocumentation) {
  for (const char* e :
       {"matern52", "matern52 + linear", "rbf * (linear + white)", "matern52 * coregion"}) {
    EXPECT_EQ(text_of(e), e);
  }
}

TEST(MakeKernel, ProductsBindTighterThanSums) {
  Parameters parameters;
  const Kernel k = make_kernel("rbf + linear * matern32 + white", {}, "", parameters);
  EXPECT_EQ(k.type->name, "sum");
  ASSERT_EQ(k.children.size(), 3U);
  EXPECT_EQ(k.children[1].type->name, "product");
}

TEST(MakeKernel, ParenthesesBindTightest) {
  Parameters parameters;
  const Kernel k = make_kernel("(rbf + linear) * matern32", {}, "", parameters);
  EXPECT_EQ(k.type->name, "product");
  ASSERT_EQ(k.children.size(), 2U);
  EXPECT_EQ(k.children[0].type->name, "sum");
}

TEST(MakeKernel, SpacesAndNeedlessParenthesesDoNotMatter) {
  EXPECT_EQ(text_of("  ((rbf)*( linear ))+white "), "rbf * linear + white");
}

TEST(MakeKernel, RefusesAnUnknownNameAndListsTheKnown) {
  EXPECT_EQ(refusal_of("rbf + matern72"),
            "make_kernel: 'rbf + matern72', position 7: 'matern72' is not a kernel; there are rbf, "
            "matern12, matern32, matern52, linear, constant, white, coregion, private, "
            "tasklinear");
}

TEST(MakeKernel, RefusesWhatIsNotAnExpression) {
  const auto starts = [](const std::string& expression, const std::string& message) {
    EXPECT_EQ(refusal_of(expression).substr(0, message.size()), message);
  };
  starts("(rbf + linear", "make_kernel: '(rbf + linear', position 14: a ')' is missing");
  starts("rbf linear", "make_kernel: 'rbf linear', position 5: unexpected 'l'");
  starts("rbf)", "make_kernel: 'rbf)', position 4: unexpected ')'");
  starts("", "make_kernel: '', position 1: '' is not a kernel");
  starts("rbf +", "make_kernel: 'rbf +', position 6: '' is not a kernel");
  starts("()", "make_kernel: '()', position 2: '' is not a kernel");
  starts("sum", "make_kernel: 'sum', position 1: 'sum' is not a kernel");
}

TEST(MakeKernel, RefusesVeryDeepNesting) {
  const std::string deep(100'000, '(');
  EXPECT_NE(refusal_of(deep + "rbf").find("nested too deeply"), std::string::npos);
}

TEST(MakeKernel, RefusesTwoLeavesThatWouldShareANameOfTheirOwn) {
  EXPECT_EQ(refusal_of("white + white"),
            "make_kernel: 'white + white' has white, coregion or private more than once");
}

TEST(MakeKernel, RefusesKernelsOfTasksThatAreNotCorrelated) {
  for (const std::string name : {"private", "tasklinear"}) {
    EXPECT_EQ(
        refusal_of("rbf + " + name),
        "make_kernel: 'rbf + " + name + "': " + name +
            " is for models whose tasks are correlated (cmdgp, cgp, exact-icm); in the others "
            "every task has kernels of its own");
    EXPECT_EQ(text_of("rbf * " + name + " * coregion"), "rbf * " + name + " * coregion");
  }
}

TEST(MakeKernel, RefusesAContextWithoutInputsTasksOrRank) {
  const std::string must = " is 0, but must be positive and finite";
  EXPECT_EQ(refusal_of("rbf", {0, true, 1, 1}), "make_kernel: inputs" + must);
  EXPECT_EQ(refusal_of("coregion", {1, true, 0, 1}), "make_kernel: tasks" + must);
  EXPECT_EQ(refusal_of("coregion", {1, true, 1, 0}), "make_kernel: rank" + must);
}

using Names = std::vector<std::string>;

TEST(ParameterNames, OfOneLeafArePlain) {
  EXPECT_EQ(parameter_names("rbf"), (Names{"f.variance", "f.lengthscales"}));
  EXPECT_EQ(parameter_names("linear"), (Names{"f.variance"}));
}

TEST(ParameterNames, OfSeveralLeavesHaveTypeAndPosition) {
  EXPECT_EQ(parameter_names("rbf * linear + rbf"),
            (Names{"f.rbf_0.variance", "f.rbf_0.lengthscales", "f.linear_1.variance",
                   "f.rbf_2.variance", "f.rbf_2.lengthscales"}));
}

TEST(ParameterNames, OfCoregionAndWhiteAreTheirOwn) {
  EXPECT_EQ(parameter_names("matern52 * coregion + white"),
            (Names{"f.variance", "f.lengthscales", "f.coregion.W", "f.coregion.kappa",
                   "f.white.variance"}));
}

TEST(Kernel, KnowsWhetherItIsCoregionalised) {
  Parameters parameters;
  EXPECT_TRUE(is_coregionalised(make_kernel("rbf * (coregion + white)", {}, "", parameters)));
  EXPECT_FALSE(is_coregionalised(make_kernel("rbf + linear", {}, "", parameters)));
}

TEST(Kernel, CoregionWithoutTasksThrows) {
  Parameters parameters;
  const Kernel k = make_kernel("coregion", {1, true, 2, 1}, "", parameters);
  const Matrix x = Matrix::Zero(2, 1);
  Tape tape;
  const Leaves leaves{&parameters, nullptr, 0};
  tape.set_recording(false);
  const std::vector<int> task = {0, 1};
  const Points with{constant(view_of(x)), task.data()}, without{constant(view_of(x))};
  EXPECT_THROW(cross(tape, leaves, k, without, with), std::invalid_argument);
  EXPECT_THROW(cross(tape, leaves, k, with, without), std::invalid_argument);
  EXPECT_THROW(gram(tape, leaves, k, without), std::invalid_argument);
  EXPECT_THROW(diagonal(tape, leaves, k, without), std::invalid_argument);
}

TEST(KernelsOfTasks, AskForTheTaskOfEveryPoint) {
  for (const std::string name : {"coregion", "private", "tasklinear"}) {
    Parameters parameters;
    const Kernel all = make_kernel(name == "coregion" ? "coregion" : name + " * coregion",
                                   {2, true, 2, 1}, "", parameters);
    const Kernel& k = all.children.empty() ? all : all.children.front();
    Tape tape;
    const Matrix x = Matrix::Ones(3, 2);
    const Points points{constant(view_of(x))};
    try {
      gram(tape, {&parameters, nullptr, 0}, k, points);
      FAIL() << name;
    } catch (const std::invalid_argument& e) {
      EXPECT_EQ(e.what(), name + ": task is missing, but every point must have one");
    }
  }
}

TEST(CheckKernel, NamesFunctionParameterAndValue) {
  Parameters parameters;
  const Kernel k = make_kernel("matern52 * coregion", {2, true, 2, 1}, "top.", parameters);
  EXPECT_NO_THROW(check_kernel("predict", k, parameters));
  const auto refused = [&](std::string_view name, double value) -> std::string {
    Parameters changed = parameters;
    changed.view(name)(1, 0) = value;
    try {
      check_kernel("predict", k, changed);
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "(nothing thrown)";
  };
  EXPECT_EQ(refused("top.lengthscales", -0.5),
            "predict: top.lengthscales[1] is -0.5, but must be positive and finite");
  EXPECT_EQ(refused("top.lengthscales", 0.0),
            "predict: top.lengthscales[1] is 0, but must be positive and finite");
  EXPECT_EQ(refused("top.coregion.W", std::nan("")),
            "predict: top.coregion.W[1] is nan, but must be finite");
  EXPECT_EQ(refused("top.coregion.W", -1.0), "(nothing thrown)");
}

}  // namespace
}  // namespace mdgp::testing_kernels
