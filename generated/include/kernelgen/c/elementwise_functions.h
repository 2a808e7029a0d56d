/* Written by bindings/generate.py from kernelgen/ops; do not edit. */
#ifndef KERNELGEN_C_ELEMENTWISE_FUNCTIONS_H
#define KERNELGEN_C_ELEMENTWISE_FUNCTIONS_H
/* One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
 * rule. `out` may be one of them (same memory and layout), to work in place. Included by operations.h. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* x/2 · (1 + tanh(√(2/π) · (x + 0.044715 · x³))), the tanh approximation of gelu_erf (Hendrycks and
 * Gimpel, 2016). Floating point. */
kernelgen_status kernelgen_gelu(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                const kernelgen_stream* stream, kernelgen_tensor** result);
/* x · normcdf(x), the exact GELU. Floating point. */
kernelgen_status kernelgen_gelu_erf(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                    const kernelgen_stream* stream, kernelgen_tensor** result);
/* x · sigmoid(x). Floating point. */
kernelgen_status kernelgen_silu(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                const kernelgen_stream* stream, kernelgen_tensor** result);
/* 1 / (1 + e^-x). Floating point. */
kernelgen_status kernelgen_sigmoid(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                   const kernelgen_stream* stream, kernelgen_tensor** result);
/* The cumulative distribution function of the standard normal distribution, (1 + erf(x/√2)) / 2. Floating
 * point. */
kernelgen_status kernelgen_normcdf(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                   const kernelgen_stream* stream, kernelgen_tensor** result);
/* max(x, 0); NaN propagates. Any dtype. */
kernelgen_status kernelgen_relu(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                const kernelgen_stream* stream, kernelgen_tensor** result);
/* x if x > 0, else alpha · (e^x - 1). Floating point. */
kernelgen_status kernelgen_elu(const kernelgen_tensor* x, kernelgen_scalar alpha, const kernelgen_tensor* out,
                               const kernelgen_stream* stream, kernelgen_tensor** result);
/* silu(a) · b, rounded once. Floating point, the same for both. */
kernelgen_status kernelgen_silu_mul(const kernelgen_tensor* a, const kernelgen_tensor* b,
                                    const kernelgen_tensor* out, const kernelgen_stream* stream,
                                    kernelgen_tensor** result);
/* gelu(a) · b, rounded once. Floating point, the same for both. */
kernelgen_status kernelgen_gelu_mul(const kernelgen_tensor* a, const kernelgen_tensor* b,
                                    const kernelgen_tensor* out, const kernelgen_stream* stream,
                                    kernelgen_tensor** result);
/* x · mul + add; floats are rounded once, integers wrap. Any dtype. */
kernelgen_status kernelgen_affine(const kernelgen_tensor* x, kernelgen_scalar mul, kernelgen_scalar add,
                                  const kernelgen_tensor* out, const kernelgen_stream* stream,
                                  kernelgen_tensor** result);
/* a + b; integers wrap. Any dtype, the same for both. */
kernelgen_status kernelgen_add(const kernelgen_tensor* a, const kernelgen_tensor* b,
                               const kernelgen_tensor* out, const kernelgen_stream* stream,
                               kernelgen_tensor** result);
/* a - b; integers wrap. Any dtype, the same for both. */
kernelgen_status kernelgen_sub(const kernelgen_tensor* a, const kernelgen_tensor* b,
                               const kernelgen_tensor* out, const kernelgen_stream* stream,
                               kernelgen_tensor** result);
/* a · b; integers wrap. Any dtype, the same for both. */
kernelgen_status kernelgen_mul(const kernelgen_tensor* a, const kernelgen_tensor* b,
                               const kernelgen_tensor* out, const kernelgen_stream* stream,
                               kernelgen_tensor** result);
/* a / b; integers truncate toward zero and give 0 if b is 0. Any dtype, the same for both. */
kernelgen_status kernelgen_div(const kernelgen_tensor* a, const kernelgen_tensor* b,
                               const kernelgen_tensor* out, const kernelgen_stream* stream,
                               kernelgen_tensor** result);
/* The greater input; NaN propagates. Any dtype, the same for both. */
kernelgen_status kernelgen_maximum(const kernelgen_tensor* a, const kernelgen_tensor* b,
                                   const kernelgen_tensor* out, const kernelgen_stream* stream,
                                   kernelgen_tensor** result);
/* The lesser input; NaN propagates. Any dtype, the same for both. */
kernelgen_status kernelgen_minimum(const kernelgen_tensor* a, const kernelgen_tensor* b,
                                   const kernelgen_tensor* out, const kernelgen_stream* stream,
                                   kernelgen_tensor** result);
/* Whether a = b. Any dtype, the same for both. The result is u8. */
kernelgen_status kernelgen_eq(const kernelgen_tensor* a, const kernelgen_tensor* b,
                              const kernelgen_tensor* out, const kernelgen_stream* stream,
                              kernelgen_tensor** result);
/* Whether a ≠ b. Any dtype, the same for both. The result is u8. */
kernelgen_status kernelgen_ne(const kernelgen_tensor* a, const kernelgen_tensor* b,
                              const kernelgen_tensor* out, const kernelgen_stream* stream,
                              kernelgen_tensor** result);
/* Whether a < b. Any dtype, the same for both. The result is u8. */
kernelgen_status kernelgen_lt(const kernelgen_tensor* a, const kernelgen_tensor* b,
                              const kernelgen_tensor* out, const kernelgen_stream* stream,
                              kernelgen_tensor** result);
/* Whether a ≤ b. Any dtype, the same for both. The result is u8. */
kernelgen_status kernelgen_le(const kernelgen_tensor* a, const kernelgen_tensor* b,
                              const kernelgen_tensor* out, const kernelgen_stream* stream,
                              kernelgen_tensor** result);
/* Whether a > b. Any dtype, the same for both. The result is u8. */
kernelgen_status kernelgen_gt(const kernelgen_tensor* a, const kernelgen_tensor* b,
                              const kernelgen_tensor* out, const kernelgen_stream* stream,
                              kernelgen_tensor** result);
/* Whether a ≥ b. Any dtype, the same for both. The result is u8. */
kernelgen_status kernelgen_ge(const kernelgen_tensor* a, const kernelgen_tensor* b,
                              const kernelgen_tensor* out, const kernelgen_stream* stream,
                              kernelgen_tensor** result);
/* e^x. Floating point. */
kernelgen_status kernelgen_exp(const kernelgen_tensor* x, const kernelgen_tensor* out,
                               const kernelgen_stream* stream, kernelgen_tensor** result);
/* The natural logarithm. Floating point. */
kernelgen_status kernelgen_log(const kernelgen_tensor* x, const kernelgen_tensor* out,
                               const kernelgen_stream* stream, kernelgen_tensor** result);
/* The sine of x in radians. Floating point. */
kernelgen_status kernelgen_sin(const kernelgen_tensor* x, const kernelgen_tensor* out,
                               const kernelgen_stream* stream, kernelgen_tensor** result);
/* The cosine of x in radians. Floating point. */
kernelgen_status kernelgen_cos(const kernelgen_tensor* x, const kernelgen_tensor* out,
                               const kernelgen_stream* stream, kernelgen_tensor** result);
/* The hyperbolic tangent. Floating point. */
kernelgen_status kernelgen_tanh(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                const kernelgen_stream* stream, kernelgen_tensor** result);
/* The error function, 2/√π times the integral of e^-t² from 0 to x. Floating point. */
kernelgen_status kernelgen_erf(const kernelgen_tensor* x, const kernelgen_tensor* out,
                               const kernelgen_stream* stream, kernelgen_tensor** result);
/* x^e; x^0 is 1 for every x, NaN too. Floating point. */
kernelgen_status kernelgen_powf(const kernelgen_tensor* x, kernelgen_scalar e, const kernelgen_tensor* out,
                                const kernelgen_stream* stream, kernelgen_tensor** result);
/* The least integer that is not less than x; integers are unchanged. Any dtype. */
kernelgen_status kernelgen_ceil(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                const kernelgen_stream* stream, kernelgen_tensor** result);
/* The greatest integer that is not greater than x; integers are unchanged. Any dtype. */
kernelgen_status kernelgen_floor(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                 const kernelgen_stream* stream, kernelgen_tensor** result);
/* The nearest integer, halves away from zero; integers are unchanged. Any dtype. */
kernelgen_status kernelgen_round(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                 const kernelgen_stream* stream, kernelgen_tensor** result);
/* x · x; integers wrap. Any dtype. */
kernelgen_status kernelgen_sqr(const kernelgen_tensor* x, const kernelgen_tensor* out,
                               const kernelgen_stream* stream, kernelgen_tensor** result);
/* |x|; the lowest integer is unchanged. Any dtype. */
kernelgen_status kernelgen_abs(const kernelgen_tensor* x, const kernelgen_tensor* out,
                               const kernelgen_stream* stream, kernelgen_tensor** result);
/* -x; integers wrap. Any dtype. */
kernelgen_status kernelgen_neg(const kernelgen_tensor* x, const kernelgen_tensor* out,
                               const kernelgen_stream* stream, kernelgen_tensor** result);
/* -1, 0 or 1; NaN for NaN, +0 for -0. Any dtype. */
kernelgen_status kernelgen_sign(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                const kernelgen_stream* stream, kernelgen_tensor** result);
/* The square root; NaN for negative x. Floating point. */
kernelgen_status kernelgen_sqrt(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                const kernelgen_stream* stream, kernelgen_tensor** result);
/* 1 / x. Floating point. */
kernelgen_status kernelgen_recip(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                 const kernelgen_stream* stream, kernelgen_tensor** result);
/* e^x - 1, without cancellation near 0. Floating point. */
kernelgen_status kernelgen_expm1(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                 const kernelgen_stream* stream, kernelgen_tensor** result);
/* log(1 + e^x). Floating point. */
kernelgen_status kernelgen_softplus(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                    const kernelgen_stream* stream, kernelgen_tensor** result);
/* x · sigmoid(1.702 · x), an approximation of gelu_erf (Hendrycks and Gimpel, 2016). Floating point. */
kernelgen_status kernelgen_gelu_quick(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                      const kernelgen_stream* stream, kernelgen_tensor** result);
/* alpha_p · x² + beta · x if x > 0, else alpha_n · (e^min(x, eps) - 1 - x) + beta · x (Huang and Schlag,
 * 2024). Floating point. */
kernelgen_status kernelgen_xielu(const kernelgen_tensor* x, kernelgen_scalar alpha_n,
                                 kernelgen_scalar alpha_p, kernelgen_scalar beta, kernelgen_scalar eps,
                                 const kernelgen_tensor* out, const kernelgen_stream* stream,
                                 kernelgen_tensor** result);
/* relu(a) · b, rounded once. Floating point, the same for both. */
kernelgen_status kernelgen_relu_mul(const kernelgen_tensor* a, const kernelgen_tensor* b,
                                    const kernelgen_tensor* out, const kernelgen_stream* stream,
                                    kernelgen_tensor** result);
/* gelu_erf(a) · b, rounded once. Floating point, the same for both. */
kernelgen_status kernelgen_gelu_erf_mul(const kernelgen_tensor* a, const kernelgen_tensor* b,
                                        const kernelgen_tensor* out, const kernelgen_stream* stream,
                                        kernelgen_tensor** result);
/* gelu_quick(a) · b, rounded once. Floating point, the same for both. */
kernelgen_status kernelgen_gelu_quick_mul(const kernelgen_tensor* a, const kernelgen_tensor* b,
                                          const kernelgen_tensor* out, const kernelgen_stream* stream,
                                          kernelgen_tensor** result);
/* c · sigmoid(alpha · c) · (1 + d), where c is a, but at most limit, and d is b, but from -limit to limit:
 * the gate of gpt-oss. Floating point, the same for both. */
kernelgen_status kernelgen_swiglu_oai(const kernelgen_tensor* a, const kernelgen_tensor* b,
                                      kernelgen_scalar alpha, kernelgen_scalar limit,
                                      const kernelgen_tensor* out, const kernelgen_stream* stream,
                                      kernelgen_tensor** result);
/* 1 if x > 0, else 0; 0 for NaN. Any dtype. */
kernelgen_status kernelgen_step(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                const kernelgen_stream* stream, kernelgen_tensor** result);
/* The integer part of x; integers are unchanged. Any dtype. */
kernelgen_status kernelgen_trunc(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                 const kernelgen_stream* stream, kernelgen_tensor** result);
/* x, but at least low and at most high, which wins if it is less than low; NaN propagates. Any dtype. */
kernelgen_status kernelgen_clamp(const kernelgen_tensor* x, kernelgen_scalar low, kernelgen_scalar high,
                                 const kernelgen_tensor* out, const kernelgen_stream* stream,
                                 kernelgen_tensor** result);
/* x if x > 0, else slope · x. Floating point. */
kernelgen_status kernelgen_leaky_relu(const kernelgen_tensor* x, kernelgen_scalar slope,
                                      const kernelgen_tensor* out, const kernelgen_stream* stream,
                                      kernelgen_tensor** result);
/* (x + 3) / 6, but at least 0 and at most 1. Floating point. */
kernelgen_status kernelgen_hardsigmoid(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                       const kernelgen_stream* stream, kernelgen_tensor** result);
/* x · hardsigmoid(x); 0 for x < -3. Floating point. */
kernelgen_status kernelgen_hardswish(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                     const kernelgen_stream* stream, kernelgen_tensor** result);

#ifdef __cplusplus
}
#endif

#endif
