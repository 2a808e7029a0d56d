#ifndef KERNELGEN_C_ELEMENTWISE_H
#define KERNELGEN_C_ELEMENTWISE_H
/* Element-wise operations: one result element from one element of each input. Inputs are broadcast to a
 * common shape by NumPy's rule. `out` may be one of the inputs (same memory and layout) to work in place.
 * Included by operations.h. */
#include "kernelgen/c/base.h"
#include "kernelgen/c/elementwise_functions.h" /* exp, add, eq, gelu, powf, affine, … */

#ifdef __cplusplus
extern "C" {
#endif

/* Calls any element-wise operation of the device's package by name, including one that you defined with an
 * "expr". At most 3 inputs and 8 scalars (KERNELGEN_MAX_INPUTS and
 * KERNELGEN_MAX_SCALARS of package_format.h). Errors: also KERNELGEN_NOT_FOUND with the nearest name. */
kernelgen_status kernelgen_call(const char* operation, const kernelgen_tensor* const* inputs,
                                size_t input_count, const kernelgen_scalar* scalars, size_t scalar_count,
                                const kernelgen_tensor* out, const kernelgen_stream* stream,
                                kernelgen_tensor** result);

/* Converts the elements to another dtype. Float to integer: rounds toward zero, saturates, NaN becomes 0.
 * Integer to integer: keeps the low bits. To float: rounds to nearest even, once; f8e4m3 saturates at
 * ±448. */
kernelgen_status kernelgen_to_dtype(const kernelgen_tensor* x, kernelgen_dtype dtype,
                                    const kernelgen_tensor* out, const kernelgen_stream* stream,
                                    kernelgen_tensor** result);

/* ---- selection and copies, any dtype ---- */

/* a where condition is not 0, else b. The condition is u8, u32, i16, i32 or i64; a and b have the same
 * dtype. */
kernelgen_status kernelgen_where_cond(const kernelgen_tensor* condition, const kernelgen_tensor* a,
                                      const kernelgen_tensor* b, const kernelgen_tensor* out,
                                      const kernelgen_stream* stream, kernelgen_tensor** result);
/* A contiguous copy. */
kernelgen_status kernelgen_copy(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                const kernelgen_stream* stream, kernelgen_tensor** result);
/* Copies the elements of `source` to the view `destination`, without writing to other elements of its memory.
 * Both have the same dtype and shape. `destination` has any layout whose elements do not overlap. The two
 * must not overlap. */
kernelgen_status kernelgen_copy_into(const kernelgen_tensor* destination, const kernelgen_tensor* source,
                                     const kernelgen_stream* stream);
/* Copies `rows` rows of `columns` contiguous elements; row r starts at offset + r · stride. All values are in
 * elements. Errors: also KERNELGEN_INVALID_ARGUMENT for a row that reaches outside its tensor's memory. */
kernelgen_status kernelgen_copy2d(const kernelgen_tensor* destination, const kernelgen_tensor* source,
                                  int64_t rows, int64_t columns, int64_t destination_stride,
                                  int64_t source_stride, int64_t destination_offset, int64_t source_offset,
                                  const kernelgen_stream* stream);
/* Sets every element of the view (any layout), without writing to other elements of its memory. */
kernelgen_status kernelgen_const_set(const kernelgen_tensor* destination, kernelgen_scalar value,
                                     const kernelgen_stream* stream);

#ifdef __cplusplus
}
#endif

#endif
