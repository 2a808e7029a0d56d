#pragma once
#include <algorithm>
#include <array>
#include <cstdint>

#include "ops/iteration.hpp"
#include "plan/coordinates.hpp"
#include "tensor/checked.hpp"

namespace kernelgen {

/// One dim of a contiguous result: its extent, and the extent, stride and first coordinate of the source.
struct CoordinateDim {
  std::int64_t to, from, stride, start;

  bool is_whole() const { return to == from && start == 0; }
};

/// The dims of a contiguous result, innermost first, and the pieces that fit a launch.
class CoordinateNest {
 public:
  /// Adds the next dim outwards. With `may_merge` it becomes one with the dim inside it if the two have
  /// compatible strides and that one is whole.
  void add(const CoordinateDim& dim, bool may_merge) {
    CoordinateDim* const inside = rank_ > 0 ? &dims_[rank_ - 1] : nullptr;
    if (may_merge && inside != nullptr && inside->is_whole() &&
        Checked(inside->stride) * inside->to == dim.stride)
      *inside = {dim.to * inside->to, dim.from * inside->to, inside->stride, dim.start * inside->to};
    else
      dims_[rank_++] = dim;
  }

  /// Calls f(coordinates, first) for pieces that fit a launch: the kernel argument and the index of the
  /// piece's first element. Almost always one piece.
  template <class F>
  void for_each_piece(F f) const {
    CoordinateNest nest = *this;
    if (nest.rank_ == 0) nest.dims_[nest.rank_++] = {1, 1, 1, 0};
    kg::Coordinates piece{};
    piece.rank = static_cast<unsigned>(nest.rank_);
    for (int d = 0; d < nest.rank_; ++d) {
      piece.dim[d] = divisor(static_cast<unsigned>(std::min(nest.dims_[d].to, launch_limit)));
      piece.start[d] = nest.dims_[d].start;
      piece.extent[d] = nest.dims_[d].from;
      piece.stride[d] = nest.dims_[d].stride;
    }
    nest.split(nest.rank_ - 1, piece, 0, f);
  }

 private:
  /// The elements from `first` on: all of the dims up to `outermost`, at the coordinates of the others that
  /// `piece` has.
  template <class F>
  void split(int outermost, kg::Coordinates piece, std::int64_t first, F& f) const {
    std::int64_t inner = 1;
    for (int d = 0; d < outermost; ++d) inner *= dims_[d].to;
    const CoordinateDim& dim = dims_[outermost];
    const std::int64_t step = inner > launch_limit ? 1 : launch_limit / inner;
    for (std::int64_t i = 0; i < dim.to; i += step) {
      const std::int64_t count = std::min(step, dim.to - i);
      piece.dim[outermost] = divisor(static_cast<unsigned>(count));
      piece.start[outermost] = dim.start + i;
      piece.elements = static_cast<unsigned>(count * inner);
      if (inner > launch_limit)
        split(outermost - 1, piece, first + i * inner, f);
      else
        f(piece, first + i * inner);
    }
  }

  std::array<CoordinateDim, kg::max_rank> dims_{};
  int rank_ = 0;
};

}  // namespace kernelgen
