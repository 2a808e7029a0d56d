#ifndef KERNELGEN_C_ELEMENTWISE_H
#define KERNELGEN_C_ELEMENTWISE_H
/* One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
 * `out` may be one of them (same memory and layout) to work in place. Included by operations.h. */
#include "kernelgen/c/base.h"
#include "kernelgen/c/elementwise_functions.h" /* exp, add, eq, gelu, powf, affine, … */

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
