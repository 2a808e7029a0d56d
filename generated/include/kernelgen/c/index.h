/* Written by bindings/generate.py from kernelgen/ops; do not edit. */
#ifndef KERNELGEN_C_INDEX_H
#define KERNELGEN_C_INDEX_H
/* Gather and scatter along one dim by indices. Values have any dtype; `ids` are u8, u32, i16, i32 or i64;
 * all have any layout. A negative `dim` counts from the end.
 *
 * An index equal to the largest value of its type (255 for u8) is skipped: reading gives 0, and nothing is
 * written. Any other index outside 0 … size - 1 is skipped too, and the next wait for the stream, or copy
 * to the host in it, reports KERNELGEN_INDEX_OUT_OF_RANGE with the operation, the dim, its size and the
 * first such index of the earliest call. Included by operations.h. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* result[i, j, …] = x[i, ids[i, j, …], …], with the index in position `dim`. `ids` has x's rank and, in
 * dims other than `dim`, at most x's extents. The result has the shape of ids. */
kernelgen_status kernelgen_gather(const kernelgen_tensor* x, int64_t dim, const kernelgen_tensor* ids,
                                  const kernelgen_tensor* out, const kernelgen_stream* stream,
                                  kernelgen_tensor** result);
/* Concatenates the slices x[…, ids[i], …] along `dim`. `ids` has rank 1. */
kernelgen_status kernelgen_index_select(const kernelgen_tensor* x, int64_t dim, const kernelgen_tensor* ids,
                                        const kernelgen_tensor* out, const kernelgen_stream* stream,
                                        kernelgen_tensor** result);
/* destination[i, ids[i, j, …], …] = source[i, j, …], in place; nothing else of the storage is written.
 * `ids` has the rank of both, at most the extents of source and, in dims other than `dim`, at most those
 * of destination. The elements of destination must not share memory. If indices are equal, the last one
 * along `dim` wins. */
kernelgen_status kernelgen_scatter_set(const kernelgen_tensor* destination, int64_t dim,
                                       const kernelgen_tensor* ids, const kernelgen_tensor* source,
                                       const kernelgen_stream* stream);
/* The same with +=. Integers wrap; bf16, f16 and f8e4m3 are added in f32 and rounded once. The order in
 * which floats are added may differ from call to call. With `deterministic` it is the order of the
 * indices, which may be slower. */
kernelgen_status kernelgen_scatter_add_set(const kernelgen_tensor* destination, int64_t dim,
                                           const kernelgen_tensor* ids, const kernelgen_tensor* source,
                                           int deterministic, const kernelgen_stream* stream);
/* A copy of x with source[…, i, …] added to its slice […, ids[i], …], as scatter_add_set adds. `ids` has
 * rank 1; `source` has x's shape, except for the length of ids along `dim`. */
kernelgen_status kernelgen_index_add(const kernelgen_tensor* x, int64_t dim, const kernelgen_tensor* ids,
                                     const kernelgen_tensor* source, int deterministic,
                                     const kernelgen_tensor* out, const kernelgen_stream* stream,
                                     kernelgen_tensor** result);

#ifdef __cplusplus
}
#endif

#endif
