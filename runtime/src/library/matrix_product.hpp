#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>

#include "kernelgen/dtype.hpp"

namespace kernelgen {

/// Products of the slices of two batches: y[slice, row of a, row of b] = Σ a[slice, row, term] · b[slice, row, term],
/// y contiguous. Strides in elements.
struct MatrixProduct {
  /// A matrix, its rows counted along what the result keeps: b's are the columns of the usual notation.
  struct Side {
    const std::byte* data;
    std::int64_t rows, row_stride, term_stride;
    std::int64_t slice_stride = 0;
  };

  DType dtype;
  DType result;  ///< of y: dtype, or for bf16 f32 too
  Side a, b;
  std::int64_t terms;
  std::byte* y;
  std::int64_t slices = 1;

  std::int64_t slice_elements() const { return a.rows * b.rows; }
  /// Multiplications in one slice.
  double slice_work() const { return static_cast<double>(slice_elements()) * static_cast<double>(terms); }
  /// Moved on by element offsets.
  MatrixProduct at(std::int64_t a_offset, std::int64_t b_offset, std::int64_t y_offset) const;
};

/// How BLAS is told of a matrix one stride of which is 1.
struct BlasOperand {
  bool terms_together;   ///< the terms of a row follow one another, else the rows of a term
  std::int64_t leading;  ///< the other stride

  /// Nothing where neither stride is 1, rows would overlap, or a size does not fit BLAS's int.
  static std::optional<BlasOperand> of(const MatrixProduct::Side& side, std::int64_t terms);
};

/// A library that multiplies matrices on one device, or kind of device.
class MatrixLibrary {
 public:
  virtual ~MatrixLibrary() = default;
  /// Puts the product into the stream. False, and nothing done, where the library does not take such a product.
  virtual bool multiply(const MatrixProduct& product, void* stream) const = 0;
};

}  // namespace kernelgen
