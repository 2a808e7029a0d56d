#pragma once
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "kernelgen/tensor.hpp"

/// Arguments common to all operations.
namespace kernelgen {

/// A number passed to an operation. It is rounded to a floating-point dtype; an integer dtype must represent
/// it exactly.
class Scalar {
 public:
  template <class T>
    requires std::is_arithmetic_v<T>
  Scalar(T value) {
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
  /// Writes the value as one element of `dtype` (size_of(dtype) bytes). Throws Error(invalid_argument) for a
  /// quantized dtype, and for a value that an integer dtype cannot represent: a fraction, NaN, or one out of
  /// its range.
  void store(DType dtype, void* element) const;

 private:
  double real_ = 0;
  std::int64_t integer_ = 0;
  bool is_real_ = false;
};

/// Dims of a tensor; negative ones count from the end.
using Axes = std::span<const std::int64_t>;

/// The stream and the output of an operation.
struct CallOptions {
  Stream stream = {};
  /// Written instead of a new tensor: contiguous, of the result's shape and dtype. For element-wise
  /// operations it may be one of the inputs (same memory, same layout); they then work in place.
  const Tensor* out = nullptr;
};

/// The results of an operation.
using Results = std::vector<Tensor>;

/// Elements and their indices: two results of one shape.
struct Indexed {
  Tensor values;   ///< of the input's dtype
  Tensor indices;  ///< u32
};

/// As CallOptions, for operations that return elements and their indices.
struct IndexedOptions {
  Stream stream = {};
  /// Written instead of new tensors: contiguous, of the results' shape, of the input's dtype and of u32. They
  /// must not overlap each other or an input.
  const Tensor* values = nullptr;
  const Tensor* indices = nullptr;
};

}  // namespace kernelgen
