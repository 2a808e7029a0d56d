#pragma once
#include "device/index_faults.hpp"
#include "kernelgen/tensor.hpp"

namespace kernelgen {

/// The matrix each result is computed with.
struct ExpertChoice {
  const Tensor& ids;                   ///< of the experts, one for each result; contiguous
  std::int64_t experts, expert_bytes;  ///< number of matrices, and bytes from one to the next
  const IndexFaults::Call& call;
  const IndexOperation& operation;
};

/// Groups columns by expert, in `tiles` of up to `width`: u32 [tiles, kg::expert_tile_words(width)]. Rows of y [columns, rows]
/// without an expert get zeros. Words of columns that a tile lacks are the type's largest value if `is_padded`, otherwise
/// unspecified.
Tensor group_columns(const ExpertChoice& choice, std::int64_t tiles, std::uint32_t width, bool is_padded,
                     const Tensor& y, const Stream& stream);

}  // namespace kernelgen
