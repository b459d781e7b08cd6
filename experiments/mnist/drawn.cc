#include "drawn.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "mdgp/random/normal.h"
#include "mnist_data.h"

namespace mdgp::experiments {
namespace {

constexpr double kPi = std::numbers::pi;

struct Dot {
  double x, y;
};
using Line = std::vector<Dot>;
using Shape = std::vector<Line>;

// Shapes stand in a box from (0, 0), upper left, to (1, 1).
// An arc of an ellipse; angles in degrees, clockwise from the right.
Line arc(Dot centre, double rx, double ry, double from, double to) {
  constexpr int kPieces = 14;
  Line line;
  for (int i = 0; i <= kPieces; ++i) {
    const double angle = (from + (to - from) * i / kPieces) * kPi / 180.0;
    line.push_back({centre.x + rx * std::cos(angle), centre.y + ry * std::sin(angle)});
  }
  return line;
}

Line joined(Line line, const Line& more) {
  line.insert(line.end(), more.begin(), more.end());
  return line;
}

// The ways in which a digit is written.
std::vector<Shape> shapes_of(int digit) {
  switch (digit) {
    case 0:
      return {{arc({0.5, 0.5}, 0.32, 0.48, 0, 360)}};
    case 1:
      return {{{{0.5, 0.0}, {0.5, 1.0}}}, {{{0.32, 0.2}, {0.52, 0.0}, {0.52, 1.0}}}};
    case 2: {
      const Line hook = joined(arc({0.5, 0.28}, 0.3, 0.27, -170, 35), {{0.16, 0.98}});
      return {{joined(hook, {{0.86, 0.98}})},
              {joined(joined(hook, arc({0.28, 0.88}, 0.12, 0.1, 90, 330)), {{0.86, 1.0}})}};
    }
    case 3:
      return {{joined(arc({0.47, 0.26}, 0.28, 0.25, -150, 90),
                      arc({0.47, 0.75}, 0.33, 0.25, -90, 150))},
              {joined({{0.18, 0.02}, {0.75, 0.02}, {0.45, 0.42}},
                      arc({0.45, 0.71}, 0.33, 0.28, -90, 150))}};
    case 4:
      return {{{{0.6, 0.0}, {0.12, 0.65}, {0.9, 0.65}}, {{0.66, 0.0}, {0.66, 1.0}}},
              {{{0.2, 0.05}, {0.17, 0.5}, {0.78, 0.5}}, {{0.8, 0.02}, {0.74, 1.0}}}};
    case 5:
      return {{joined({{0.82, 0.02}, {0.28, 0.02}, {0.22, 0.45}},
                      arc({0.45, 0.68}, 0.33, 0.3, -130, 140))}};
    case 6:
      return {{joined(arc({0.72, 0.62}, 0.55, 0.62, -95, -180),
                      arc({0.5, 0.72}, 0.3, 0.26, -180, 185))}};
    case 7:
      return {{{{0.14, 0.03}, {0.84, 0.03}, {0.42, 1.0}}},
              {{{0.14, 0.03}, {0.84, 0.03}, {0.42, 1.0}}, {{0.36, 0.5}, {0.8, 0.48}}}};
    case 8:
      return {{arc({0.5, 0.25}, 0.25, 0.24, 90, 450), arc({0.5, 0.75}, 0.31, 0.25, -90, 270)}};
    default:
      return {{arc({0.48, 0.28}, 0.28, 0.26, 0, 360), {{0.77, 0.25}, {0.7, 1.0}}},
              {arc({0.48, 0.28}, 0.28, 0.26, 0, 360),
               joined({{0.77, 0.25}}, arc({0.45, 0.7}, 0.32, 0.28, -10, 130))}};
  }
}

// Numbers that one image is drawn with.
class Hand {
 public:
  Hand(std::uint64_t seed, std::uint32_t set, std::uint64_t image)
      : key_{seed, Purpose::simulation, set}, image_(image) {}
  double between(double low, double high) {
    return low + (high - low) * uniform(key_, image_, column_++);
  }
  double about(double mean, double spread) {
    return mean + spread * (between(-1, 1) + between(-1, 1) + between(-1, 1));
  }

 private:
  DrawKey key_;
  std::uint64_t image_;
  std::uint32_t column_ = 0;
};

// From the box to pixels: bent by a slow wave, then slanted, stretched, turned and moved.
class Distortion {
 public:
  explicit Distortion(Hand& hand)
      : width_(hand.about(17.0, 1.6)),
        height_(hand.about(19.0, 0.8)),
        slant_(hand.about(0.15, 0.16)),
        angle_(hand.about(0.0, 0.09)),
        centre_{hand.about(13.5, 0.5), hand.about(13.5, 0.5)} {
    for (double& bend : bend_) bend = hand.about(0.0, 0.03);
    for (double& phase : phase_) phase = hand.between(0.0, 2.0 * kPi);
  }
  Dot operator()(Dot p) const {
    const double x = p.x - 0.5 + bend_[0] * std::sin(4.0 * p.y + phase_[0]) +
                     bend_[1] * std::sin(5.0 * p.x + phase_[1]);
    const double y = p.y - 0.5 + bend_[2] * std::sin(4.0 * p.x + phase_[2]) +
                     bend_[3] * std::sin(5.0 * p.y + phase_[3]);
    const double u = width_ * x - slant_ * height_ * y, v = height_ * y;
    return {centre_.x + std::cos(angle_) * u - std::sin(angle_) * v,
            centre_.y + std::sin(angle_) * u + std::cos(angle_) * v};
  }

 private:
  double width_, height_, slant_, angle_;
  Dot centre_;
  std::array<double, 4> bend_{}, phase_{};
};

// A long piece must bend too.
Line in_pieces(const Line& line) {
  constexpr int kPieces = 6;
  if (line.size() > 6) return line;
  Line fine = {line.front()};
  for (std::size_t i = 1; i < line.size(); ++i) {
    for (int k = 1; k <= kPieces; ++k) {
      const double t = static_cast<double>(k) / kPieces;
      fine.push_back({line[i - 1].x + t * (line[i].x - line[i - 1].x),
                      line[i - 1].y + t * (line[i].y - line[i - 1].y)});
    }
  }
  return fine;
}

double distance(Dot p, Dot a, Dot b) {
  const double dx = b.x - a.x, dy = b.y - a.y, length = dx * dx + dy * dy;
  const double along = length > 0.0 ? ((p.x - a.x) * dx + (p.y - a.y) * dy) / length : 0.0;
  const double t = std::clamp(along, 0.0, 1.0);
  return std::hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

// The pen's edge is a pixel wide. Only pixels near a piece are looked at.
void draw_piece(Dot a, Dot b, double pen, Pixel* image) {
  const auto from = [&](double u, double v) {
    return std::max<Index>(static_cast<Index>(std::floor(std::min(u, v) - pen)), 0);
  };
  const auto to = [&](double u, double v) {
    return std::min<Index>(static_cast<Index>(std::ceil(std::max(u, v) + pen)), kSide - 1);
  };
  for (Index r = from(a.y, b.y); r <= to(a.y, b.y); ++r) {
    for (Index c = from(a.x, b.x); c <= to(a.x, b.x); ++c) {
      const double d = distance({static_cast<double>(c), static_cast<double>(r)}, a, b);
      const auto ink = static_cast<Pixel>(255.0 * std::clamp(pen - d, 0.0, 1.0));
      image[r * kSide + c] = std::max(image[r * kSide + c], ink);
    }
  }
}

void draw_digit(int digit, Hand hand, Pixel* image) {
  const std::vector<Shape> shapes = shapes_of(digit);
  const auto ways = static_cast<double>(shapes.size());
  const Shape& shape = shapes[static_cast<std::size_t>(hand.between(0.0, ways))];
  const Distortion distort(hand);
  const double pen = hand.between(1.1, 2.3);  // half its width
  for (const Line& line : shape) {
    const Line fine = in_pieces(line);
    for (std::size_t i = 1; i < fine.size(); ++i) {
      draw_piece(distort(fine[i - 1]), distort(fine[i]), pen, image);
    }
  }
}

// Random values on a grid, smooth between.
double grain(const DrawKey& key, std::uint64_t image, std::uint32_t octave, double x, double y) {
  const double fx = std::floor(x), fy = std::floor(y);
  const auto smooth = [](double t) { return t * t * (3.0 - 2.0 * t); };
  const double u = smooth(x - fx), v = smooth(y - fy);
  const auto corner = [&](double dx, double dy) {
    const auto column = static_cast<std::uint32_t>(fx + dx) + 1024U * octave;
    const auto row = image << 32U | static_cast<std::uint32_t>(fy + dy);
    return uniform(key, row, column) - 0.5;
  };
  return (1.0 - v) * ((1.0 - u) * corner(0, 0) + u * corner(1, 0)) +
         v * ((1.0 - u) * corner(0, 1) + u * corner(1, 1));
}

}  // namespace

LabelledImages draw_digits(Index count, std::uint32_t set, std::uint64_t seed) {
  LabelledImages out;
  out.images = {count, kSide, kSide, std::vector<Pixel>(static_cast<std::size_t>(count * kPixels))};
  for (Index i = 0; i < count; ++i) {
    out.labels.push_back(static_cast<int>(i % kDigits));
    draw_digit(out.labels.back(), Hand(seed, set, static_cast<std::uint64_t>(i)),
               out.images.pixels.data() + i * kPixels);
  }
  return out;
}

Images draw_textures(Index count, Index rows, Index cols, std::uint64_t seed) {
  constexpr std::uint32_t kOctaves = 4;
  constexpr double kCoarsest = 40.0;  // pixels
  const DrawKey key{seed, Purpose::simulation, std::numeric_limits<std::uint32_t>::max()};
  Images out{count, rows, cols, {}};
  for (Index i = 0; i < count; ++i) {
    const auto image = static_cast<std::uint64_t>(i);
    const double fineness = 0.4 + 0.4 * uniform(key, image, 1024U * kOctaves);
    for (Index r = 0; r < rows; ++r) {
      for (Index c = 0; c < cols; ++c) {
        double value = 0.45, weight = 0.8, size = kCoarsest;
        for (std::uint32_t octave = 0; octave < kOctaves; ++octave) {
          value += weight * grain(key, image, octave, static_cast<double>(c) / size,
                                  static_cast<double>(r) / size);
          weight *= fineness;
          size /= 2.5;
        }
        out.pixels.push_back(static_cast<Pixel>(255.0 * std::clamp(value, 0.0, 1.0)));
      }
    }
  }
  return out;
}

MnistData draw_mnist() {
  constexpr std::uint64_t kSeed = 1;
  MnistData data;
  data.origin = "drawn";
  data.train.push_back(draw_digits(4000, 0, kSeed));
  data.test.push_back(draw_digits(2000, 1, kSeed));
  data.photographs = draw_textures(kMostPhotographs, 160, 240, kSeed);
  return data;
}

}  // namespace mdgp::experiments
