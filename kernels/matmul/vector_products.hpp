#pragma once
/// Products of a vector with several matrices of 16-bit floats, whose terms are contiguous, in one launch. The vector is of f32
/// and rounded to T, as are those of matvec.
#include "elementwise/gated.hpp"
#include "matmul/matmul.hpp"

namespace kg {

/// A matrix and its results.
template <class T>
struct VectorProduct {
  const T* w;
  i64 step;  ///< between rows
  u64 rows;
  f32* y;

  KG_DEVICE VectorProduct(const T* w, i64 step, u64 rows, f32* y) : w(w), step(step), rows(rows), y(y) {}
  KG_DEVICE const T* row(u64 r) const { return w + static_cast<i64>(r) * step; }
};

}  // namespace kg

#if KG_GPU
#include "matmul/vector_products_gpu.hpp"
#else
#include "matmul/vector_products_cpu.hpp"
#endif

namespace kg {

/// y[i] = Σ_t w[i, t] · x[t] for each of three matrices, which may have no rows. With a gate, the first and the second matrix
/// have as many rows, and y of the first is the gate's function of both sums. On a GPU, rows and x are aligned for packs of 16
/// bytes of T.
template <class T>
KG_DEVICE void vector_products(const VectorProduct<T>& first, const VectorProduct<T>& second,
                               const VectorProduct<T>& third, const f32* x, u64 terms, u32 gate) {
  if (static_cast<GateType>(gate) == GateType::none)
    detail::multiply_each(first, second, third, x, terms);
  else
    detail::multiply_gated(first, second, x, terms, static_cast<GateType>(gate));
}

}  // namespace kg
