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

/// A product as BLAS takes it.
struct BlasProblem {
  const MatrixProduct& product;
  BlasOperand a, b;

  /// Nothing where an operand is none of BLAS's, the slices are more than its int counts, or they run backwards.
  static std::optional<BlasProblem> of(const MatrixProduct& product);
  /// Everything but the addresses that a plan for it depends on, in one order.
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

/// The factors of a product and of what was there before, as libraries read them: f64's in f64, else in f32.
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

/// A library that multiplies matrices on one device, or kind of device.
class MatrixLibrary {
 public:
  virtual ~MatrixLibrary() = default;
  /// Puts the product into the stream. False, and nothing done, where the library does not take such a product.
  virtual bool multiply(const MatrixProduct& product, void* stream) const = 0;
};

}  // namespace kernelgen
