#include "mdgp/autodiff/tape.h"

#include <algorithm>

namespace mdgp {
namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kFirstBlock = std::size_t{1} << 16;

}  // namespace

void Arena::add_block(std::size_t size) {
  blocks_.push_back({std::unique_ptr<std::byte[], Free>(
                         static_cast<std::byte*>(::operator new[](size, std::align_val_t{kLine}))),
                     size});
  used_ = 0;
}

void* Arena::allocate(std::size_t bytes) {
  const std::size_t rounded = (bytes + kLine - 1) / kLine * kLine;
  if (blocks_.empty() || used_ + rounded > blocks_.back().size) {
    const std::size_t last = blocks_.empty() ? kFirstBlock : blocks_.back().size;
    add_block(std::max(rounded, 2 * last));
  }
  void* result = blocks_.back().data.get() + used_;
  used_ += rounded;
  return result;
}

std::size_t Arena::capacity() const {
  std::size_t total = 0;
  for (const Block& b : blocks_) total += b.size;
  return total;
}

void Arena::reserve(std::size_t bytes) {
  if (bytes <= capacity()) return;
  blocks_.clear();
  add_block(bytes);
}

void Arena::clear() {
  if (blocks_.size() > 1) {
    const std::size_t total = capacity();
    blocks_.clear();
    add_block(total);
  }
  used_ = 0;
}

View Tape::matrix(Index rows, Index cols) {
  constexpr Index kLineDoubles = kLine / sizeof(double);
  const Index stride = (rows + kLineDoubles - 1) / kLineDoubles * kLineDoubles;
  return {array<double>(stride * cols), rows, cols, Eigen::OuterStride<>(stride)};
}

Var Tape::variable(Index rows, Index cols) {
  Var v = used_once(rows, cols);
  if (recording_) std::fill_n(v.adjoint.data(), v.adjoint.outerStride() * cols, 0.0);
  return v;
}

Var Tape::used_once(Index rows, Index cols) {
  return {matrix(rows, cols), recording_ ? matrix(rows, cols) : no_view()};
}

void Tape::reverse() {
  for (auto it = callbacks_.rbegin(); it != callbacks_.rend(); ++it) it->call(it->state);
}

void Tape::clear() {
  callbacks_.clear();
  arena_.clear();
}

void Tape::match(const Tape& other) {
  clear();
  arena_.reserve(other.arena_.capacity());
  callbacks_.reserve(other.callbacks_.capacity());
}

}  // namespace mdgp
