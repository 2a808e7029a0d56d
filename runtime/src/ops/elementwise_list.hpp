#pragma once

/// The operations of kernelgen/ops/elementwise.hpp that take tensors alone, by their signature.
// clang-format off
#define KERNELGEN_UNARY_OPERATIONS(X)                                             \
  X(exp) X(log) X(sin) X(cos) X(tanh) X(erf) X(ceil) X(floor) X(round) X(sqrt)    \
  X(sqr) X(abs) X(neg) X(recip) X(sign) X(gelu) X(gelu_erf) X(silu) X(relu)       \
  X(sigmoid) X(normcdf)
#define KERNELGEN_BINARY_OPERATIONS(X) X(add) X(sub) X(mul) X(div) X(maximum) X(minimum)
#define KERNELGEN_COMPARE_OPERATIONS(X) X(eq) X(ne) X(lt) X(le) X(gt) X(ge)
// clang-format on
