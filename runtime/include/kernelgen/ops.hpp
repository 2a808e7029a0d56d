#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include "kernelgen/tensor.hpp"

/// The backend's operations. Each takes every layout of its inputs, broadcasts them to a common shape by
/// NumPy's rule, and gives a new contiguous tensor, or writes `options.out`. Work is put into the stream and
/// not waited for. All throw Error(invalid_argument), before anything is launched, for a dtype, shape or
/// device the operation does not take; the message names the operation, what was given and what it accepts.
/// All are thread-safe.
namespace kernelgen {

/// A number given to an operation. It is converted to the tensor's dtype by the cast rules (0.5 on integers
/// is 0).
class Scalar {
 public:
  template <class T>
  requires std::is_arithmetic_v<T> Scalar(T value) {
    if constexpr (std::is_floating_point_v<T>) {
      real_ = static_cast<double>(value);
      is_real_ = true;
    } else {
      integer_ = static_cast<std::int64_t>(value);
    }
  }
  bool is_real() const { return is_real_; }
  double real() const { return is_real_ ? real_ : static_cast<double>(integer_); }
  std::int64_t integer() const { return integer_; }
  /// Writes the value as one element of `dtype` (size_of(dtype) bytes).
  void store(DType dtype, void* element) const;

 private:
  double real_ = 0;
  std::int64_t integer_ = 0;
  bool is_real_ = false;
};

struct CallOptions {
  Stream stream = {};
  /// Written instead of a new tensor: contiguous, of the result's shape and dtype. May be one of the inputs
  /// (same memory, same layout) for element-wise operations: then they work in place.
  const Tensor* out = nullptr;
};

/// Any element-wise operation of the device's package by name, a user's own "expr" operations too.
/// Throws Error(not_found) with the nearest name.
Tensor call(std::string_view operation, std::span<const Tensor> inputs, std::span<const Scalar> scalars = {},
            const CallOptions& options = {});

Tensor to_dtype(const Tensor& x, DType dtype, const CallOptions& options = {});

#define KERNELGEN_UNARY_OPERATIONS(X)                                                                 \
  X(exp)                                                                                              \
  X(log) X(sin) X(cos) X(tanh) X(erf) X(ceil) X(floor) X(round) X(sqrt) X(sqr) X(abs) X(neg) X(recip) \
      X(sign) X(gelu) X(gelu_erf) X(silu) X(relu) X(sigmoid) X(normcdf)
#define KERNELGEN_BINARY_OPERATIONS(X) X(add) X(sub) X(mul) X(div) X(maximum) X(minimum)
/// Result u8, 0 or 1.
#define KERNELGEN_COMPARE_OPERATIONS(X) X(eq) X(ne) X(lt) X(le) X(gt) X(ge)

#define KERNELGEN_DECLARE(op) Tensor op(const Tensor& x, const CallOptions& options = {});
KERNELGEN_UNARY_OPERATIONS(KERNELGEN_DECLARE)
#undef KERNELGEN_DECLARE
#define KERNELGEN_DECLARE(op) Tensor op(const Tensor& a, const Tensor& b, const CallOptions& options = {});
KERNELGEN_BINARY_OPERATIONS(KERNELGEN_DECLARE)
KERNELGEN_COMPARE_OPERATIONS(KERNELGEN_DECLARE)
#undef KERNELGEN_DECLARE

/// x^e; pow(x, 0) is 1 for every x, NaN too.
Tensor powf(const Tensor& x, const Scalar& e, const CallOptions& options = {});
/// x where x > 0, else alpha · expm1(x).
Tensor elu(const Tensor& x, const Scalar& alpha, const CallOptions& options = {});
/// x · mul + add.
Tensor affine(const Tensor& x, const Scalar& mul, const Scalar& add, const CallOptions& options = {});
/// a where condition ≠ 0, else b. The condition is u8, u32, i16, i32 or i64; a and b share a dtype.
Tensor where_cond(const Tensor& condition, const Tensor& a, const Tensor& b, const CallOptions& options = {});

/// A contiguous copy (candle's copy_strided_src and try_clone).
Tensor copy(const Tensor& x, const CallOptions& options = {});
/// Writes the elements of `source` into the view `destination` (any layout without overlap, same dtype and
/// shape) and nothing else of its storage. The two must not overlap in memory.
void copy_into(const Tensor& destination, const Tensor& source, const Stream& stream = {});
/// Copies `rows` runs of `columns` elements between contiguous tensors; row r starts at offset + r · stride.
/// Offsets and strides in elements, strides not negative; destination rows must not overlap, and all must lie
/// inside the tensors.
void copy2d(const Tensor& destination, const Tensor& source, std::int64_t rows, std::int64_t columns,
            std::int64_t destination_stride, std::int64_t source_stride, std::int64_t destination_offset = 0,
            std::int64_t source_offset = 0, const Stream& stream = {});
/// Sets every element of the view (any layout) and nothing else of its storage.
void const_set(const Tensor& destination, const Scalar& value, const Stream& stream = {});

/// Random numbers, the same on every device: element i depends on the device's seed, on how many of these
/// calls came after set_seed, and on i alone. Floating point.
/// In [low, high), which both must be finite and differ in that dtype; rounded down where it is coarser.
Tensor rand_uniform(const Device& device, const Shape& shape, DType dtype, const Scalar& low,
                    const Scalar& high, const CallOptions& options = {});
/// Normally distributed. `deviation` is not negative.
Tensor rand_normal(const Device& device, const Shape& shape, DType dtype, const Scalar& mean,
                   const Scalar& deviation, const CallOptions& options = {});

}  // namespace kernelgen
