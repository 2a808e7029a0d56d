#ifndef KERNELGEN_C_ELEMENTWISE_H
#define KERNELGEN_C_ELEMENTWISE_H
/* One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
 * `out` may be one of them (same memory and layout) to work in place. Included by operations.h. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Any element-wise operation of the device's package by name, one with an "expr" of your own too. At most 3
 * inputs and 8 scalars (KERNELGEN_MAX_INPUTS and KERNELGEN_MAX_SCALARS of package_format.h). Errors: also
 * KERNELGEN_NOT_FOUND with the nearest name. */
kernelgen_status kernelgen_call(const char* operation, const kernelgen_tensor* const* inputs,
                                size_t input_count, const kernelgen_scalar* scalars, size_t scalar_count,
                                const kernelgen_tensor* out, const kernelgen_stream* stream,
                                kernelgen_tensor** result);

/* The elements in another dtype. To integers: toward zero, saturating, NaN gives 0; between integers: the low
 * bits; to floats: to nearest even, once; to f8e4m3: saturating at ±448. */
kernelgen_status kernelgen_to_dtype(const kernelgen_tensor* x, kernelgen_dtype dtype,
                                    const kernelgen_tensor* out, const kernelgen_stream* stream,
                                    kernelgen_tensor** result);

/* ---- one input: bf16, f16, f32, f64, f8e4m3; abs neg sqr sign relu ceil floor round also integers ---- */

/* e^x */
kernelgen_status kernelgen_exp(const kernelgen_tensor* x, const kernelgen_tensor* out,
                               const kernelgen_stream* stream, kernelgen_tensor** result);
/* natural logarithm */
kernelgen_status kernelgen_log(const kernelgen_tensor* x, const kernelgen_tensor* out,
                               const kernelgen_stream* stream, kernelgen_tensor** result);
kernelgen_status kernelgen_sin(const kernelgen_tensor* x, const kernelgen_tensor* out,
                               const kernelgen_stream* stream, kernelgen_tensor** result);
kernelgen_status kernelgen_cos(const kernelgen_tensor* x, const kernelgen_tensor* out,
                               const kernelgen_stream* stream, kernelgen_tensor** result);
kernelgen_status kernelgen_tanh(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                const kernelgen_stream* stream, kernelgen_tensor** result);
kernelgen_status kernelgen_erf(const kernelgen_tensor* x, const kernelgen_tensor* out,
                               const kernelgen_stream* stream, kernelgen_tensor** result);
kernelgen_status kernelgen_ceil(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                const kernelgen_stream* stream, kernelgen_tensor** result);
kernelgen_status kernelgen_floor(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                 const kernelgen_stream* stream, kernelgen_tensor** result);
/* half away from zero */
kernelgen_status kernelgen_round(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                 const kernelgen_stream* stream, kernelgen_tensor** result);
kernelgen_status kernelgen_sqrt(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                const kernelgen_stream* stream, kernelgen_tensor** result);
/* x · x */
kernelgen_status kernelgen_sqr(const kernelgen_tensor* x, const kernelgen_tensor* out,
                               const kernelgen_stream* stream, kernelgen_tensor** result);
kernelgen_status kernelgen_abs(const kernelgen_tensor* x, const kernelgen_tensor* out,
                               const kernelgen_stream* stream, kernelgen_tensor** result);
kernelgen_status kernelgen_neg(const kernelgen_tensor* x, const kernelgen_tensor* out,
                               const kernelgen_stream* stream, kernelgen_tensor** result);
/* 1 / x */
kernelgen_status kernelgen_recip(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                 const kernelgen_stream* stream, kernelgen_tensor** result);
/* sign(NaN) is NaN, sign(-0) is 0 */
kernelgen_status kernelgen_sign(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                const kernelgen_stream* stream, kernelgen_tensor** result);
/* tanh form */
kernelgen_status kernelgen_gelu(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                const kernelgen_stream* stream, kernelgen_tensor** result);
/* exact form */
kernelgen_status kernelgen_gelu_erf(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                    const kernelgen_stream* stream, kernelgen_tensor** result);
/* x · sigmoid(x) */
kernelgen_status kernelgen_silu(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                const kernelgen_stream* stream, kernelgen_tensor** result);
/* max(x, 0); NaN stays */
kernelgen_status kernelgen_relu(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                const kernelgen_stream* stream, kernelgen_tensor** result);
kernelgen_status kernelgen_sigmoid(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                   const kernelgen_stream* stream, kernelgen_tensor** result);
/* normal distribution function */
kernelgen_status kernelgen_normcdf(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                   const kernelgen_stream* stream, kernelgen_tensor** result);

/* ---- two inputs of one dtype, any dtype. Integers wrap; x / 0 is 0; NaN passes through maximum and minimum
 * ---- */

kernelgen_status kernelgen_add(const kernelgen_tensor* a, const kernelgen_tensor* b,
                               const kernelgen_tensor* out, const kernelgen_stream* stream,
                               kernelgen_tensor** result);
kernelgen_status kernelgen_sub(const kernelgen_tensor* a, const kernelgen_tensor* b,
                               const kernelgen_tensor* out, const kernelgen_stream* stream,
                               kernelgen_tensor** result);
kernelgen_status kernelgen_mul(const kernelgen_tensor* a, const kernelgen_tensor* b,
                               const kernelgen_tensor* out, const kernelgen_stream* stream,
                               kernelgen_tensor** result);
kernelgen_status kernelgen_div(const kernelgen_tensor* a, const kernelgen_tensor* b,
                               const kernelgen_tensor* out, const kernelgen_stream* stream,
                               kernelgen_tensor** result);
kernelgen_status kernelgen_maximum(const kernelgen_tensor* a, const kernelgen_tensor* b,
                                   const kernelgen_tensor* out, const kernelgen_stream* stream,
                                   kernelgen_tensor** result);
kernelgen_status kernelgen_minimum(const kernelgen_tensor* a, const kernelgen_tensor* b,
                                   const kernelgen_tensor* out, const kernelgen_stream* stream,
                                   kernelgen_tensor** result);

/* ---- comparisons of two inputs of one dtype, any dtype; the result is u8, 0 or 1 ---- */

kernelgen_status kernelgen_eq(const kernelgen_tensor* a, const kernelgen_tensor* b,
                              const kernelgen_tensor* out, const kernelgen_stream* stream,
                              kernelgen_tensor** result);
kernelgen_status kernelgen_ne(const kernelgen_tensor* a, const kernelgen_tensor* b,
                              const kernelgen_tensor* out, const kernelgen_stream* stream,
                              kernelgen_tensor** result);
kernelgen_status kernelgen_lt(const kernelgen_tensor* a, const kernelgen_tensor* b,
                              const kernelgen_tensor* out, const kernelgen_stream* stream,
                              kernelgen_tensor** result);
kernelgen_status kernelgen_le(const kernelgen_tensor* a, const kernelgen_tensor* b,
                              const kernelgen_tensor* out, const kernelgen_stream* stream,
                              kernelgen_tensor** result);
kernelgen_status kernelgen_gt(const kernelgen_tensor* a, const kernelgen_tensor* b,
                              const kernelgen_tensor* out, const kernelgen_stream* stream,
                              kernelgen_tensor** result);
kernelgen_status kernelgen_ge(const kernelgen_tensor* a, const kernelgen_tensor* b,
                              const kernelgen_tensor* out, const kernelgen_stream* stream,
                              kernelgen_tensor** result);

/* ---- with scalars ---- */

/* x^e; pow(x, 0) is 1 for every x, NaN too. Floating point. */
kernelgen_status kernelgen_powf(const kernelgen_tensor* x, kernelgen_scalar e, const kernelgen_tensor* out,
                                const kernelgen_stream* stream, kernelgen_tensor** result);
/* x where x > 0, else alpha · expm1(x). Floating point. */
kernelgen_status kernelgen_elu(const kernelgen_tensor* x, kernelgen_scalar alpha, const kernelgen_tensor* out,
                               const kernelgen_stream* stream, kernelgen_tensor** result);
/* x · mul + add. Any dtype. */
kernelgen_status kernelgen_affine(const kernelgen_tensor* x, kernelgen_scalar mul, kernelgen_scalar add,
                                  const kernelgen_tensor* out, const kernelgen_stream* stream,
                                  kernelgen_tensor** result);

/* ---- choice and movement, any dtype ---- */

/* a where condition is not 0, else b. The condition is u8, u32, i16, i32 or i64; a and b share a dtype. */
kernelgen_status kernelgen_where_cond(const kernelgen_tensor* condition, const kernelgen_tensor* a,
                                      const kernelgen_tensor* b, const kernelgen_tensor* out,
                                      const kernelgen_stream* stream, kernelgen_tensor** result);
/* A contiguous copy. */
kernelgen_status kernelgen_copy(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                const kernelgen_stream* stream, kernelgen_tensor** result);
/* Writes the elements of `source` into the view `destination` (any layout without overlap, same dtype and
 * shape) and nothing else of its memory. The two must not overlap. */
kernelgen_status kernelgen_copy_into(const kernelgen_tensor* destination, const kernelgen_tensor* source,
                                     const kernelgen_stream* stream);
/* Copies `rows` runs of `columns` elements; row r starts at offset + r · stride. All counted in elements.
 * Errors: also KERNELGEN_INVALID_ARGUMENT for a run that leaves its tensor's memory. */
kernelgen_status kernelgen_copy2d(const kernelgen_tensor* destination, const kernelgen_tensor* source,
                                  int64_t rows, int64_t columns, int64_t destination_stride,
                                  int64_t source_stride, int64_t destination_offset, int64_t source_offset,
                                  const kernelgen_stream* stream);
/* Sets every element of the view (any layout) and nothing else of its memory. */
kernelgen_status kernelgen_const_set(const kernelgen_tensor* destination, kernelgen_scalar value,
                                     const kernelgen_stream* stream);

#ifdef __cplusplus
}
#endif

#endif
