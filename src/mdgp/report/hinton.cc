#include "mdgp/report/hinton.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>

#include "mdgp/linalg/check.h"
#include "mdgp/report/text.h"

namespace mdgp {
namespace {

constexpr std::size_t kMostCells = 99, kMostRowName = 20, kMostColumnName = 12;
constexpr std::string_view kGap = "  ";  // between a row's name and its glyphs
constexpr std::string_view kBetweenColumns = " ", kBetweenGroups = " │ ";

// Limits about midway between the areas of the glyphs. All are one cell wide and of the old
// WGL4 set, which nearly every terminal font has (◼ is not, and ◾ is two cells wide).
struct Glyph {
  std::string_view text;
  double from;  // share of the row's largest weight
};
constexpr Glyph kGlyphs[] = {{"█", 0.75}, {"■", 0.35}, {"▪", 0.1}, {"·", 0.0}};

using Text = std::vector<std::string>;  // one code point each

// Names come from files: what could move the cursor, or is not UTF-8, becomes U+FFFD.
Text characters(std::string_view text) {
  Text out;
  while (!text.empty()) {
    std::size_t bytes = 1;
    while (bytes < text.size() && (static_cast<unsigned char>(text[bytes]) & 0xC0U) == 0x80) {
      ++bytes;
    }
    const std::string one(text.substr(0, bytes));
    const bool printable = bytes == 1 ? one[0] >= ' ' && one[0] <= '~' : escape_xml(one) == one;
    out.push_back(printable ? one : "\xEF\xBF\xBD");
    text.remove_prefix(bytes);
  }
  return out;
}

Text cut(Text text, std::size_t most) {
  if (text.size() <= most) return text;
  text.resize(most - 1);
  text.emplace_back("…");
  return text;
}

struct Column {
  Index index;  // in weights
  int group;
  Text name;
  double share = -1.0, weight = 0.0;  // the largest of all rows; share -1: no row sees it
};

bool weaker(const Column& a, const Column& b) {
  return std::tie(a.share, a.weight) < std::tie(b.share, b.weight);
}

// The largest weight that the row sees; 0 where it sees none.
double row_largest(const Matrix& weights, Index row) {
  double largest = 0.0;
  for (const double w : weights.row(row)) {
    if (w > largest) largest = w;
  }
  return largest;
}

double share_of(double weight, double largest) { return largest > 0.0 ? weight / largest : 0.0; }

std::string glyph(double weight, double largest) {
  if (std::isnan(weight)) return " ";
  for (const Glyph& g : kGlyphs) {
    if (share_of(weight, largest) >= g.from) return std::string(g.text);
  }
  return " ";
}

// In the order of their groups.
std::vector<Column> make_columns(const std::vector<std::string>& names,
                                 const std::vector<int>& group, const Matrix& weights) {
  std::vector<Column> columns;
  for (Index c = 0; c < weights.cols(); ++c) {
    columns.push_back({c, group[at(c)], cut(characters(names[at(c)]), kMostColumnName)});
  }
  for (Index r = 0; r < weights.rows(); ++r) {
    const double largest = row_largest(weights, r);
    for (Column& column : columns) {
      const double weight = weights(r, column.index);
      if (std::isnan(weight)) continue;
      column.share = std::max(column.share, share_of(weight, largest));
      column.weight = std::max(column.weight, weight);
    }
  }
  std::stable_sort(columns.begin(), columns.end(),
                   [](const Column& a, const Column& b) { return a.group < b.group; });
  return columns;
}

struct Diagram {
  std::vector<Column> columns;
  std::size_t name_width = 0;  // of the rows
  bool vertical = false;       // column names

  std::size_t width(const Column& column) const {
    return vertical ? 1 : std::max<std::size_t>(column.name.size(), 1);
  }
  bool new_group(std::size_t c) const { return columns[c].group != columns[c - 1].group; }
  bool fits() const;
  std::vector<Column> drop_weakest();
  std::string line(const Text& name, const std::vector<Text>& cells) const;
  std::string header() const;
  std::string row(const Text& name, const Matrix& weights, Index r) const;
};

bool Diagram::fits() const {
  std::size_t cells = name_width + kGap.size();
  for (std::size_t c = 0; c < columns.size(); ++c) {
    cells += width(columns[c]);
    if (c > 0) cells += new_group(c) ? 3 : 1;
  }
  return cells <= kMostCells;
}

// Until the others fit. Of equals the last goes first.
std::vector<Column> Diagram::drop_weakest() {
  std::vector<Column> dropped;
  while (!fits()) {
    const auto weakest = std::min_element(columns.rbegin(), columns.rend(), weaker);
    dropped.push_back(*weakest);
    columns.erase(std::next(weakest).base());
  }
  return dropped;
}

// The cells are centred in their columns, and nothing trails.
std::string Diagram::line(const Text& name, const std::vector<Text>& cells) const {
  std::string out = fmt::format("{}", fmt::join(name, ""));
  out.append(name_width - name.size(), ' ');
  out += kGap;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (c > 0) out += new_group(c) ? kBetweenGroups : kBetweenColumns;
    const std::size_t room = width(columns[c]) - cells[c].size();
    out.append(room / 2, ' ');
    out += fmt::format("{}", fmt::join(cells[c], ""));
    out.append(room - room / 2, ' ');
  }
  out.erase(out.find_last_not_of(' ') + 1);
  return out + '\n';
}

std::string Diagram::header() const {
  std::vector<Text> cells(columns.size());
  if (!vertical) {
    for (std::size_t c = 0; c < columns.size(); ++c) cells[c] = columns[c].name;
    return line({}, cells);
  }
  std::size_t height = 0;
  for (const Column& column : columns) height = std::max(height, column.name.size());
  std::string out;
  for (std::size_t i = 0; i < height; ++i) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const Text& name = columns[c].name;
      // Ends stand on one line: names of one kind differ there, and it is next to the glyphs.
      const std::size_t skipped = height - name.size();
      cells[c] = i < skipped ? Text{} : Text{name[i - skipped]};
    }
    out += line({}, cells);
  }
  return out;
}

std::string Diagram::row(const Text& name, const Matrix& weights, Index r) const {
  const double largest = row_largest(weights, r);
  std::vector<Text> cells;
  for (const Column& column : columns) cells.push_back({glyph(weights(r, column.index), largest)});
  return line(name, cells);
}

// The next larger number of two digits.
double rounded_up(double value) {
  const double positive = std::max(value, 1e-12);
  const double step = std::pow(10.0, std::floor(std::log10(positive)) - 1.0);
  return (std::floor(positive / step + 1e-9) + 1.0) * step;
}

std::string describe_dropped(const std::vector<Column>& dropped) {
  if (dropped.empty()) return "";
  double largest = 0.0;
  for (const Column& column : dropped) largest = std::max(largest, column.weight);
  if (largest == 0.0) return fmt::format("… {} more without weight\n", dropped.size());
  return fmt::format("… {} more with weights below {:.2g}\n", dropped.size(), rounded_up(largest));
}

std::string legend() {
  std::string out = "of the row's largest weight: ";
  for (const Glyph& g : kGlyphs) {
    out += g.from > 0.0 ? fmt::format("{} from {:.0f}%, ", g.text, 100.0 * g.from)
                        : fmt::format("{} less; blank: not seen\n", g.text);
  }
  return out;
}

void check_arguments(const std::vector<std::string>& rows, const std::vector<std::string>& columns,
                     const std::vector<int>& group, const Matrix& weights) {
  check_shape("hinton_text", "weights", view_of(weights), std::ssize(rows), std::ssize(columns));
  check_size("hinton_text", "group", std::ssize(group), std::ssize(columns));
  for (const double w : weights.reshaped()) {
    if (w < 0.0 || std::isinf(w)) {
      refuse("hinton_text", "weight", fmt::format("{}", w), "finite and not negative, or NaN");
    }
  }
}

}  // namespace

std::string hinton_text(const std::vector<std::string>& rows,
                        const std::vector<std::string>& columns, const std::vector<int>& group,
                        const Matrix& weights) {
  check_arguments(rows, columns, group, weights);
  if (weights.size() == 0) return "";
  std::vector<Text> names;
  Diagram diagram{.columns = make_columns(columns, group, weights)};
  for (const std::string& row : rows) {
    names.push_back(cut(characters(row), kMostRowName));
    diagram.name_width = std::max(diagram.name_width, names.back().size());
  }
  diagram.vertical = !diagram.fits();
  const std::vector<Column> dropped = diagram.drop_weakest();

  std::string out = diagram.header();
  for (Index r = 0; r < weights.rows(); ++r) out += diagram.row(names[at(r)], weights, r);
  return out + describe_dropped(dropped) + legend();
}

}  // namespace mdgp
