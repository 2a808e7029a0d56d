#pragma once
#include <functional>
#include <string>
#include <vector>

#include "launcher.hpp"
#include "reference/conv.hpp"

/// Strided images for candle's kernels, and launches whose results are compared.
namespace kernelgen::candle {

using reference::Real;
using reference::Sums;

using Size = std::uint64_t;

inline constexpr DType image_dtypes[] = {DType::bf16, DType::f16, DType::f32,
                                         DType::f64,  DType::u8,  DType::u32};

/// The layout of a tensor.
enum class Kind { contiguous, reversed_dims, gaps, one_batch };
inline constexpr Kind kinds[] = {Kind::contiguous, Kind::reversed_dims, Kind::gaps, Kind::one_batch};

struct View {
  Layout layout;
  Tensor tensor;
  Elements values;  ///< row-major

  View(Kind kind, const Shape& shape, const Elements& source);
};

/// Dims and strides of each.
Tensor info_of(const std::vector<Layout>& layouts);

/// Numbers whose products add up: integers wrap, all of them of u8.
Elements factors(DType dtype, std::uint64_t stream);

using Comparison = std::function<void(const std::string& what, const Elements& result)>;

/// Launches under every cut with `arguments(out)`; `compare` judges. The output has room on both ends, which has to stay as
/// it is.
void check(const std::string& kernel, const std::string& what, DType dtype, std::int64_t count,
           const std::function<Block(void*)>& arguments, const Comparison& compare);

/// Sums, each within `error` times its magnitude.
Comparison within(const Sums& sums, DType dtype, Real error);
Comparison same_bits(const Elements& wanted);

}  // namespace kernelgen::candle
