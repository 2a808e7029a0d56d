#pragma once
/// candle's names for element-wise kernels. The operations are defined in arithmetic.hpp, activation.hpp and
/// math.hpp.
#include "candle/info.hpp"
#include "elementwise/copy.hpp"
#include "elementwise/fill.hpp"

namespace kg::candle {

#define KG_UNARY(name, value)              \
  struct name {                            \
    template <class T>                     \
    KG_DEVICE auto operator()(T x) const { \
      return value;                        \
    }                                      \
  };
#define KG_BINARY(name, value)                  \
  struct name {                                 \
    template <class T>                          \
    KG_DEVICE auto operator()(T a, T b) const { \
      return value;                             \
    }                                           \
  };

template <class From, class To>
struct CopyConstOf {
  using type = To;
};
template <class From, class To>
struct CopyConstOf<const From, To> {
  using type = const To;
};
template <class From, class To>
using CopyConst = typename CopyConstOf<From, To>::type;

namespace unary {
KG_UNARY(same, x)
KG_UNARY(neg, kg::neg(x))
KG_UNARY(recip, kg::recip(x))
KG_UNARY(exp, kg::exp(x))
KG_UNARY(log, kg::log(x))
KG_UNARY(sin, kg::sin(x))
KG_UNARY(cos, kg::cos(x))
KG_UNARY(tanh, kg::tanh(x))
KG_UNARY(erf, kg::erf(x))
KG_UNARY(ceil, kg::ceil(x))
KG_UNARY(floor, kg::floor(x))
KG_UNARY(round, kg::round(x))
KG_UNARY(normcdf, kg::normcdf(x))
KG_UNARY(abs, kg::abs(x))
KG_UNARY(sqr, kg::sqr(x))
KG_UNARY(sqrt, kg::sqrt(x))
KG_UNARY(gelu, kg::gelu(x))
KG_UNARY(gelu_erf, kg::gelu_erf(x))
KG_UNARY(relu, kg::relu(x))
KG_UNARY(silu, kg::silu(x))
KG_UNARY(sign, kg::sign(x))
KG_UNARY(sigmoid, kg::sigmoid(x))
/// Functions with one parameter.
KG_BINARY(elu, kg::elu(a, b))
KG_BINARY(powf, kg::pow(a, b))
}  // namespace unary

namespace binary {
KG_BINARY(badd, add(a, b))
KG_BINARY(bsub, sub(a, b))
KG_BINARY(bmul, mul(a, b))
KG_BINARY(bdiv, div(a, b))
KG_BINARY(bmaximum, maximum(a, b))
KG_BINARY(bminimum, minimum(a, b))
KG_BINARY(eq, a == b)
KG_BINARY(ne, a != b)
KG_BINARY(lt, a < b)
KG_BINARY(le, a <= b)
KG_BINARY(gt, a > b)
KG_BINARY(ge, a >= b)
}  // namespace binary

#undef KG_UNARY
#undef KG_BINARY

/// A binary function whose second argument is the same for all elements.
template <class Op, class T>
struct WithParameter {
  widened<T> parameter;
  KG_DEVICE auto operator()(widened<T> x) const { return Op{}(x, parameter); }
};

template <class Op, class T>
KG_DEVICE void map_parameter(T parameter, T* y, u64 n, u64 rank, const u64* info, const T* x) {
  map_info(WithParameter<Op, T>{widen(parameter)}, y, n, rank, info, x);
}

template <class T>
struct Affine {
  widened<T> mul, add;
  KG_DEVICE auto operator()(widened<T> x) const { return fma(x, mul, add); }
};

template <class T>
KG_DEVICE void affine(u64 n, u64 rank, const u64* info, const T* x, T* y, T mul, T add) {
  map_info(Affine<T>{widen(mul), widen(add)}, y, n, rank, info, x);
}

/// Elements as bits: copies and selections keep every NaN unchanged.
template <class T>
KG_DEVICE auto* as_bits(T* p) {
  if constexpr (sizeof(T) == 1)
    return reinterpret_cast<CopyConst<T, b8>*>(p);
  else if constexpr (sizeof(T) == 2)
    return reinterpret_cast<CopyConst<T, b16>*>(p);
  else if constexpr (sizeof(T) == 4)
    return reinterpret_cast<CopyConst<T, b32>*>(p);
  else
    return reinterpret_cast<CopyConst<T, b64>*>(p);
}

template <class T>
KG_DEVICE void copy(u64 n, u64 rank, const u64* info, const T* x, T* y) {
  map_info(Identity{}, as_bits(y), n, rank, info, as_bits(x));
}

struct Select {
  template <class C, class T>
  KG_DEVICE T operator()(C condition, T a, T b) const {
    return condition != 0 ? a : b;
  }
};

template <class C, class T>
KG_DEVICE void where(u64 n, u64 rank, const u64* info, const C* condition, const T* a, const T* b, T* y) {
  map_info(Select{}, as_bits(y), n, rank, info, condition, as_bits(a), as_bits(b));
}

/// Stores `value` to the elements of a view.
template <class T>
KG_DEVICE void const_set(u64 n, u64 rank, const u64* info, T value, T* y) {
  if (all_contiguous<1>(rank, info))
    fill(y, n, value);
  else
    for_each_strided<1>(n, rank, info, [&](u64, const i64* offset) KG_INLINE { y[offset[0]] = value; });
}

/// Copies `rows` rows of `columns` elements.
template <class T>
KG_DEVICE void copy2d(const T* x, T* y, u32 rows, u32 columns, u32 x_stride, u32 y_stride) {
  for_each_index(static_cast<u64>(rows) * columns, [&](u64 i) KG_INLINE {
    const u64 row = i / columns, column = i % columns;
    y[row * y_stride + column] = x[row * x_stride + column];
  });
}

}  // namespace kg::candle
