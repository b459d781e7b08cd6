#include "mdgp/kernels/kernel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <stdexcept>

#include "mdgp/kernels/types.h"
#include "mdgp/linalg/check.h"

namespace mdgp {
namespace {

// Every kernel that a user can name.
constexpr std::array kTypes = {&kernels::rbf,       &kernels::matern12, &kernels::matern32,
                               &kernels::matern52,  &kernels::linear,   &kernels::constant,
                               &kernels::white,     &kernels::coregion, &kernels::private_,
                               &kernels::tasklinear};

// Those that know a task's points from another's, and so make sense beside coregion only.
constexpr std::array kOfTasks = {&kernels::private_, &kernels::tasklinear};

// expression = term {"+" term}, term = factor {"*" factor}, factor = name | "(" expression ")".
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Kernel parse() {
    Kernel kernel = expression();
    if (at_ != text_.size()) fail(fmt::format("unexpected '{}'", text_[at_]));
    return kernel;
  }

 private:
  Kernel expression() {
    return chain('+', &kernels::sum, [this] { return term(); });
  }
  Kernel term() {
    return chain('*', &kernels::product, [this] { return factor(); });
  }

  template <class Part>
  Kernel chain(char separator, const KernelType* type, Part part) {
    Kernel first = part();
    if (!accept(separator)) return first;
    Kernel all{type, {}, {std::move(first)}};
    do {
      all.children.push_back(part());
    } while (accept(separator));
    return all;
  }

  Kernel factor() {
    if (accept('(')) {
      if (++depth_ > 64) fail("parentheses are nested too deeply");
      Kernel inner = expression();
      --depth_;
      if (!accept(')')) fail("a ')' is missing");
      return inner;
    }
    skip_space();
    const std::size_t begin = at_;
    while (at_ < text_.size() && std::isalnum(static_cast<unsigned char>(text_[at_]))) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    for (const KernelType* type : kTypes) {
      if (type->name == name) {
        skip_space();
        return {type, {}, {}};
      }
    }
    at_ = begin;
    fail(fmt::format("'{}' is not a kernel; there are {}", name, fmt::join(kernel_names(), ", ")));
  }

  bool accept(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    skip_space();
    return true;
  }
  void skip_space() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw std::invalid_argument(
        fmt::format("make_kernel: '{}', position {}: {}", text_, at_ + 1, what));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

// Some leaves have names of their own; others share theirs.
bool has_own_name(const Kernel& leaf) {
  return leaf.type == &kernels::coregion || leaf.type == &kernels::white ||
         leaf.type == &kernels::private_;
}

bool needs_parentheses(const Kernel& child, const Kernel& parent) {
  return parent.type == &kernels::product && child.type == &kernels::sum;
}

}  // namespace

Kernel make_kernel(std::string_view expression, const KernelContext& context,
                   const std::string& prefix, Parameters& parameters) {
  check_positive("make_kernel", "inputs", static_cast<double>(context.inputs));
  Kernel kernel = Parser(expression).parse();

  int shared_names = 0, white = 0, coregion = 0, own = 0, of_tasks = 0;
  for_leaves(kernel, [&](const Kernel& leaf) {
    shared_names += has_own_name(leaf) ? 0 : 1;
    white += leaf.type == &kernels::white ? 1 : 0;
    coregion += leaf.type == &kernels::coregion ? 1 : 0;
    own += leaf.type == &kernels::private_ ? 1 : 0;
    of_tasks += static_cast<int>(std::count(kOfTasks.begin(), kOfTasks.end(), leaf.type));
  });
  if (white > 1 || coregion > 1 || own > 1) {
    throw std::invalid_argument(
        fmt::format("make_kernel: '{}' has white, coregion or private more than once", expression));
  }
  if (of_tasks > 0 && coregion == 0) {
    throw std::invalid_argument(fmt::format(
        "make_kernel: '{}': {} is for models whose tasks are correlated (cmdgp, cgp, exact-icm); "
        "in the others every task has kernels of its own",
        expression, kernel_of_tasks(expression)));
  }
  if (coregion > 0) {
    check_positive("make_kernel", "tasks", static_cast<double>(context.tasks));
    check_positive("make_kernel", "rank", static_cast<double>(context.rank));
  }
  int position = 0;
  for_leaves(kernel, [&](Kernel& leaf) {
    std::string start = prefix;
    if (has_own_name(leaf)) {
      start += fmt::format("{}.", leaf.type->name);
    } else if (shared_names > 1) {
      start += fmt::format("{}_{}.", leaf.type->name, position++);
    }
    leaf.parameters = leaf.type->declare(context, start, parameters);
  });
  return kernel;
}

std::string to_string(const Kernel& kernel) {
  if (kernel.children.empty()) return std::string(kernel.type->name);
  std::string text;
  for (const Kernel& child : kernel.children) {
    if (!text.empty()) text += kernel.type == &kernels::sum ? " + " : " * ";
    const std::string inner = to_string(child);
    text += needs_parentheses(child, kernel) ? "(" + inner + ")" : inner;
  }
  return text;
}

std::string describe_parameters(const Kernel& kernel, const Parameters& parameters) {
  std::vector<std::string> parts;
  for_leaves(kernel, [&](const Kernel& leaf) {
    for (const int id : leaf.parameters) {
      const ConstView values = parameters.view(id);
      const std::string& name = parameters[id].name;
      if (values.size() == 1) {
        parts.push_back(fmt::format("{} = {:.4g}", name, values(0, 0)));
      } else {
        parts.push_back(
            fmt::format("{} from {:.4g} to {:.4g}", name, values.minCoeff(), values.maxCoeff()));
      }
    }
  });
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<std::string_view> kernel_names() {
  std::vector<std::string_view> names;
  for (const KernelType* type : kTypes) names.push_back(type->name);
  return names;
}

std::string_view kernel_of_tasks(std::string_view expression) {
  for (const KernelType* type : kOfTasks) {
    if (expression.find(type->name) != std::string_view::npos) return type->name;
  }
  return {};
}

bool is_coregionalised(const Kernel& kernel) {
  return kernel.type == &kernels::coregion ||
         std::any_of(kernel.children.begin(), kernel.children.end(), is_coregionalised);
}

bool is_linear(const Kernel& leaf) {
  return leaf.type == &kernels::linear || leaf.type == &kernels::tasklinear;
}

void check_kernel(std::string_view function, const Kernel& kernel, const Parameters& parameters) {
  for_leaves(kernel, [&](const Kernel& leaf) {
    for (const int id : leaf.parameters) {
      const Parameter& p = parameters[id];
      if (p.constraint == Constraint::positive) {
        check_positive(function, p.name, parameters.view(id));
      } else {
        check_finite(function, p.name, parameters.view(id));
      }
    }
  });
}

}  // namespace mdgp
