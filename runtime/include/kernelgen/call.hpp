#pragma once
#include <cstdint>
#include <type_traits>

#include "kernelgen/tensor.hpp"

/// What every operation is called with besides its tensors.
namespace kernelgen {

/// A number given to an operation. It is converted to the tensor's dtype by the cast rules (0.5 on integers
/// is 0).
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
  /// Writes the value as one element of `dtype` (size_of(dtype) bytes). Throws Error(invalid_argument)
  /// for a quantized one.
  void store(DType dtype, void* element) const;

 private:
  double real_ = 0;
  std::int64_t integer_ = 0;
  bool is_real_ = false;
};

/// Where an operation works, and what it writes to.
struct CallOptions {
  Stream stream = {};
  /// Written instead of a new tensor: contiguous, of the result's shape and dtype. May be one of the inputs
  /// (same memory, same layout) for element-wise operations: then they work in place.
  const Tensor* out = nullptr;
};

/// Elements and where they were found: two results of one shape.
struct Indexed {
  Tensor values;   ///< of the input's dtype
  Tensor indices;  ///< u32
};

/// The same for operations that give elements and their places.
struct IndexedOptions {
  Stream stream = {};
  /// Written instead of new tensors: contiguous, of the results' shape; the input's dtype, and u32. Each is memory of
  /// its own.
  const Tensor* values = nullptr;
  const Tensor* indices = nullptr;
};

}  // namespace kernelgen
