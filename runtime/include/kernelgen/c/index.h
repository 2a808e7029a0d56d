#ifndef KERNELGEN_C_INDEX_H
#define KERNELGEN_C_INDEX_H
/* Elements from, or to, where indices point along one dim. Included by operations.h.
 *
 * Values are of any dtype, `ids` u8, u32, i16, i32 or i64; all have any layout. `dim` counts from the end where
 * negative. An index that is its type's largest value points nowhere: what is read for it is 0, and nothing is
 * written. Any other outside 0 … size - 1 does the same, and the next wait for the stream, or copy to the host by
 * it, gives KERNELGEN_INDEX_OUT_OF_RANGE with the operation, the dim, its size and the first such index of the
 * earliest call: see kernelgen_stream_synchronize. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* result[i, j, …] = x[i, ids[i, j, …], …]. `ids` has x's rank and, in dims other than `dim`, at most x's extents;
 * the result has the shape of ids. */
kernelgen_status kernelgen_gather(const kernelgen_tensor* x, int64_t dim, const kernelgen_tensor* ids,
                                  const kernelgen_tensor* out, const kernelgen_stream* stream,
                                  kernelgen_tensor** result);
/* The slices x[…, ids[i], …] along `dim`, one after another. `ids` has rank 1. */
kernelgen_status kernelgen_index_select(const kernelgen_tensor* x, int64_t dim, const kernelgen_tensor* ids,
                                        const kernelgen_tensor* out, const kernelgen_stream* stream,
                                        kernelgen_tensor** result);
/* A copy of x with source[…, i, …] added to its slice […, ids[i], …]. `ids` has rank 1; `source` has x's shape,
 * but along `dim` the length of ids. Sums as in kernelgen_scatter_add_set. */
kernelgen_status kernelgen_index_add(const kernelgen_tensor* x, int64_t dim, const kernelgen_tensor* ids,
                                     const kernelgen_tensor* source, int deterministic,
                                     const kernelgen_tensor* out, const kernelgen_stream* stream,
                                     kernelgen_tensor** result);

/* destination[i, ids[i, j, …], …] = source[i, j, …], in place: nothing else of the storage is written. `ids` has
 * the rank of both, at most the extents of source and, in dims other than `dim`, at most those of
 * destination, whose elements must not share memory. Of several indices that are the same the last one, in the
 * order of `dim`, wins. */
kernelgen_status kernelgen_scatter_set(const kernelgen_tensor* destination, int64_t dim,
                                       const kernelgen_tensor* ids, const kernelgen_tensor* source,
                                       const kernelgen_stream* stream);
/* The same with +=. Integers wrap; bf16, f16 and f8e4m3 are added in f32 and rounded once. Floats are added in
 * an order that may differ from call to call, unless `deterministic` is not 0, which may take longer. */
kernelgen_status kernelgen_scatter_add_set(const kernelgen_tensor* destination, int64_t dim,
                                           const kernelgen_tensor* ids, const kernelgen_tensor* source,
                                           int deterministic, const kernelgen_stream* stream);

#ifdef __cplusplus
}
#endif

#endif
