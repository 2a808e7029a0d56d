#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "inputs.hpp"
#include "kernelgen/ops.hpp"
#include "layouts.hpp"

/// Tensors of quantized dtypes to test with. Elements of such a dtype are its blocks: they count and copy these.
namespace kernelgen::conformance {

inline constexpr DType activation_dtypes[] = {DType::f32, DType::f16, DType::bf16};

/// Those that a format's products are tested with. All formats share the code that converts them, so that the formats after
/// the first fourteen have one.
inline std::span<const DType> product_dtypes(DType format) {
  const std::span<const DType> all = activation_dtypes;
  return format > DType::mxfp4 ? all.first(1) : all;
}

/// How rows of blocks are in memory: of the last dim always one after another.
enum class RowKind {
  contiguous,
  offset,      ///< from an odd block on
  sliced,      ///< a part of every dim, of the last one too
  transposed,  ///< the other dims in reverse order
  reversed,    ///< the other dims from their ends
  row,         ///< one row repeated
};
std::string_view name_of(RowKind kind);
inline constexpr RowKind row_kinds[] = {RowKind::contiguous, RowKind::offset,   RowKind::sliced,
                                        RowKind::transposed, RowKind::reversed, RowKind::row};

/// A tensor of that shape, in elements, over a storage of its own that is filled from `blocks`, over and over; and what
/// its elements are by the reference, in row-major order.
struct BlockInput {
  Tensor tensor;
  std::vector<float> values;
};
BlockInput make_block_input(RowKind kind, const Shape& shape, const Elements& blocks);

/// Blocks with random codes and scales of moderate size, finite all of them.
Elements moderate_blocks(DType format, std::int64_t count, std::uint64_t stream);

/// A flat tensor of these blocks on the device under test.
Tensor upload_blocks(const Elements& blocks);

/// Runs an operation whose result is `wanted` into the middle of a larger storage: that must be right bit for bit, but for
/// which NaN there is, and all around it stay.
void expect_exactly(const std::string& what, const Shape& shape, const Elements& wanted,
                    const std::function<Tensor(const CallOptions&)>& operation);

/// As elements of a plain dtype, rounded once.
Elements rounded(DType dtype, const std::vector<float>& values);

/// Those of indexed_matmul with plain weights.
void register_expert_matmul_tests();

}  // namespace kernelgen::conformance
