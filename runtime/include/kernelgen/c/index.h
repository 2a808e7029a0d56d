#ifndef KERNELGEN_C_INDEX_H
#define KERNELGEN_C_INDEX_H
/* Gather and scatter along one dim. Included by operations.h.
 *
 * Values have any dtype; `ids` are u8, u32, i16, i32 or i64; all tensors may have any layout. A negative
 * `dim` counts from the end. The largest value of the index type means "no element": reads return 0, writes
 * are skipped. Any other index outside 0 … size - 1 behaves the same and is an error: the next wait for the
 * stream, or copy to the host through it, returns KERNELGEN_INDEX_OUT_OF_RANGE. The message gives the
 * operation, the dim, its size and the first such index of the earliest call: see
 * kernelgen_stream_synchronize. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* result[i, j, …] = x[i, ids[i, j, …], …]. `ids` has x's rank and, in dims other than `dim`, at most x's
 * extents. The result has the shape of `ids`. */
kernelgen_status kernelgen_gather(const kernelgen_tensor* x, int64_t dim, const kernelgen_tensor* ids,
                                  const kernelgen_tensor* out, const kernelgen_stream* stream,
                                  kernelgen_tensor** result);
/* Concatenates the slices x[…, ids[i], …] along `dim`. `ids` has rank 1. */
kernelgen_status kernelgen_index_select(const kernelgen_tensor* x, int64_t dim, const kernelgen_tensor* ids,
                                        const kernelgen_tensor* out, const kernelgen_stream* stream,
                                        kernelgen_tensor** result);
/* Returns a copy of x with source[…, i, …] added to its slice […, ids[i], …]. `ids` has rank 1. `source` has
 * x's shape, except along `dim`, where its extent is the length of `ids`. Sums as in
 * kernelgen_scatter_add_set. */
kernelgen_status kernelgen_index_add(const kernelgen_tensor* x, int64_t dim, const kernelgen_tensor* ids,
                                     const kernelgen_tensor* source, int deterministic,
                                     const kernelgen_tensor* out, const kernelgen_stream* stream,
                                     kernelgen_tensor** result);

/* destination[i, ids[i, j, …], …] = source[i, j, …], in place; other elements of the memory are not written.
 * `ids` has the rank of both tensors, at most the extents of `source` and, in dims other than `dim`, at most
 * those of `destination`. The elements of `destination` must not overlap. If several indices are equal, the
 * last one along `dim` wins. */
kernelgen_status kernelgen_scatter_set(const kernelgen_tensor* destination, int64_t dim,
                                       const kernelgen_tensor* ids, const kernelgen_tensor* source,
                                       const kernelgen_stream* stream);
/* As kernelgen_scatter_set, with += instead of =. Integers wrap; bf16, f16 and f8e4m3 are added in f32 and
 * rounded once. The order of float additions may differ between calls, unless `deterministic` is not 0, which
 * may be slower. */
kernelgen_status kernelgen_scatter_add_set(const kernelgen_tensor* destination, int64_t dim,
                                           const kernelgen_tensor* ids, const kernelgen_tensor* source,
                                           int deterministic, const kernelgen_stream* stream);

#ifdef __cplusplus
}
#endif

#endif
