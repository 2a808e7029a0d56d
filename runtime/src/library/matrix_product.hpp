#pragma once
#include <array>
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
  DType result;  ///< of y: dtype, or for f16 and bf16 f32 too
  Side a, b;
  std::int64_t terms;
  std::byte* y;
  std::int64_t slices = 1;
  bool is_mixed = false;  ///< b is f32, to be rounded to dtype: for our vector kernel only

  std::int64_t slice_elements() const { return a.rows * b.rows; }
  /// Multiplications in one slice.
  double slice_work() const { return static_cast<double>(slice_elements()) * static_cast<double>(terms); }
  /// A copy with element offsets added.
  MatrixProduct at(std::int64_t a_offset, std::int64_t b_offset, std::int64_t y_offset) const;
};

/// A matrix with one unit stride, in BLAS terms.
struct BlasOperand {
  bool terms_together;   ///< whether the terms of a row are contiguous; else the rows of a term
  std::int64_t leading;  ///< the other stride

  /// Nothing if neither stride is 1, rows would overlap, or a size exceeds BLAS's int.
  static std::optional<BlasOperand> of(const MatrixProduct::Side& side, std::int64_t terms);
};

/// A product in BLAS terms.
struct BlasProblem {
  const MatrixProduct& product;
  BlasOperand a, b;

  /// Nothing if BLAS supports no layout of an operand, the number of slices exceeds its int, or a batch
  /// stride is negative.
  static std::optional<BlasProblem> of(const MatrixProduct& product);
  /// A plan's key except addresses, in a fixed order.
  std::array<std::int64_t, 12> numbers() const {
    return {static_cast<std::int64_t>(product.dtype),
            static_cast<std::int64_t>(product.result),
            product.a.rows,
            product.b.rows,
            product.terms,
            a.terms_together,
            a.leading,
            b.terms_together,
            b.leading,
            product.slices,
            product.a.slice_stride,
            product.b.slice_stride};
  }
};

/// alpha and beta in the library's encoding: f64 for f64, else f32.
class BlasFactors {
 public:
  explicit BlasFactors(DType dtype) : is_f64_(dtype == DType::f64) {}
  const void* one() const { return is_f64_ ? static_cast<const void*>(&one_f64) : &one_f32; }
  const void* zero() const { return is_f64_ ? static_cast<const void*>(&zero_f64) : &zero_f32; }

 private:
  static constexpr double one_f64 = 1, zero_f64 = 0;
  static constexpr float one_f32 = 1, zero_f32 = 0;
  bool is_f64_;
};

/// A library that multiplies matrices on one device or kind of device.
class MatrixLibrary {
 public:
  virtual ~MatrixLibrary() = default;
  /// Enqueues the product. Returns false and enqueues nothing if the library does not support it.
  virtual bool multiply(const MatrixProduct& product, void* stream) const = 0;
  /// Whether it would leave most of the device idle, as far as it says.
  virtual bool leaves_idle(const MatrixProduct&) const { return false; }
};

}  // namespace kernelgen
