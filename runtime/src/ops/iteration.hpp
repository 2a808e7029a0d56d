#pragma once
#include <algorithm>
#include <array>
#include <cstdint>

#include "kernelgen/layout.hpp"
#include "plan/divisor.hpp"
#include "tensor/checked.hpp"

namespace kernelgen {

static_assert(max_rank <= kg::max_rank, "kernels walk as many dims as tensors have");

/// Maximum elements of one strided launch.
inline constexpr std::int64_t launch_limit = divisor_limit;

/// The loop nest over N strided operands of one shape: innermost dim first. Dims of one element are dropped;
/// adjacent dims with compatible strides in every operand are merged.
template <int N>
struct Iteration {
  int rank = 0;
  std::array<std::int64_t, kg::max_rank> extent{};
  std::array<std::array<std::int64_t, kg::max_rank>, N> stride{};

  /// `layouts` all have the shape `shape`, which has no dim of extent 0.
  Iteration(const Shape& shape, const std::array<const Layout*, N>& layouts) {
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (shape[d] == 1) continue;
      bool merges = rank > 0;
      for (int k = 0; k < N; ++k)
        merges = merges && Checked(stride[k][rank - 1]) * extent[rank - 1] == layouts[k]->strides[d];
      if (merges) {
        extent[rank - 1] *= shape[d];
        continue;
      }
      extent[rank] = shape[d];
      for (int k = 0; k < N; ++k) stride[k][rank] = layouts[k]->strides[d];
      ++rank;
    }
    if (rank == 0) extent[rank++] = 1;
  }

  std::int64_t elements() const {
    std::int64_t count = 1;
    for (int d = 0; d < rank; ++d) count *= extent[d];
    return count;
  }

  /// Calls f(layout, offsets, first) for pieces that fit a launch: the kernel argument, the piece's offset in
  /// each operand, and the flat index of its first element. Almost always one piece.
  template <class F>
  void for_each_piece(F f) const {
    std::array<std::int64_t, N> offsets{};
    split(rank, offsets, 0, f);
  }

 private:
  template <class F>
  void split(int dims, const std::array<std::int64_t, N>& offsets, std::int64_t first, F& f) const {
    std::int64_t inner = 1;
    for (int d = 0; d + 1 < dims; ++d) inner *= extent[d];
    const std::int64_t outer = extent[dims - 1];
    const std::int64_t step = inner > launch_limit ? 1 : launch_limit / inner;
    for (std::int64_t i = 0; i < outer; i += step) {
      std::array<std::int64_t, N> at = offsets;
      for (int k = 0; k < N; ++k) at[k] += i * stride[k][dims - 1];
      if (inner > launch_limit)
        split(dims - 1, at, first + i * inner, f);
      else
        f(piece(dims, std::min(step, outer - i)), at, first + i * inner);
    }
  }

  kg::Strided<N> piece(int dims, std::int64_t outer) const {
    kg::Strided<N> layout{};
    layout.rank = static_cast<unsigned>(dims);
    layout.elements = 1;
    for (int d = 0; d < dims; ++d) {
      layout.dim[d] = divisor(static_cast<unsigned>(d + 1 < dims ? extent[d] : outer));
      layout.elements *= layout.dim[d].extent;
      for (int k = 0; k < N; ++k) layout.stride[k][d] = stride[k][d];
    }
    return layout;
  }
};

}  // namespace kernelgen
