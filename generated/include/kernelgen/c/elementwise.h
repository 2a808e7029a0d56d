/* Written by bindings/generate.py from kernelgen/ops; do not edit. */
#ifndef KERNELGEN_C_ELEMENTWISE_H
#define KERNELGEN_C_ELEMENTWISE_H
/* Element-wise operations: one result element from one element of each input. Inputs are broadcast to a
 * common shape by NumPy's rule. Included by operations.h. */
#include "kernelgen/c/base.h"
#include "kernelgen/c/elementwise_functions.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Converts to another dtype. To integers: truncated toward zero, saturating, NaN gives 0. Between
 * integers: the low bits. To floats: rounded once, to nearest even. To f8e4m3: saturating at ±448. */
kernelgen_status kernelgen_to_dtype(const kernelgen_tensor* x, kernelgen_dtype dtype,
                                    const kernelgen_tensor* out, const kernelgen_stream* stream,
                                    kernelgen_tensor** result);
/* a where condition ≠ 0, else b. The condition is u8, u32, i16, i32 or i64; a and b have the same dtype. */
kernelgen_status kernelgen_where_cond(const kernelgen_tensor* condition, const kernelgen_tensor* a,
                                      const kernelgen_tensor* b, const kernelgen_tensor* out,
                                      const kernelgen_stream* stream, kernelgen_tensor** result);
/* A contiguous copy (candle's copy_strided_src and try_clone). */
kernelgen_status kernelgen_copy(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                const kernelgen_stream* stream, kernelgen_tensor** result);
/* Writes the elements of `source` into the view `destination` (any layout without overlap, same dtype and
 * shape) and nothing else of its storage. The two must not overlap in memory. */
kernelgen_status kernelgen_copy_into(const kernelgen_tensor* destination, const kernelgen_tensor* source,
                                     const kernelgen_stream* stream);
/* Copies `rows` rows of `columns` contiguous elements between contiguous tensors; row r starts at offset +
 * r · stride. Offsets and strides are in elements; strides are not negative. Destination rows must not
 * overlap, and all rows must be inside the tensors. */
kernelgen_status kernelgen_copy2d(const kernelgen_tensor* destination, const kernelgen_tensor* source,
                                  int64_t rows, int64_t columns, int64_t destination_stride,
                                  int64_t source_stride, int64_t destination_offset, int64_t source_offset,
                                  const kernelgen_stream* stream);
/* Sets every element of the view (any layout) and nothing else of its storage. */
kernelgen_status kernelgen_const_set(const kernelgen_tensor* destination, kernelgen_scalar value,
                                     const kernelgen_stream* stream);

#ifdef __cplusplus
}
#endif

#endif
