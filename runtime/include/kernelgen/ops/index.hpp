#pragma once
#include <cstdint>

#include "kernelgen/call.hpp"

/// Elements from, or to, where indices point along one dim; values of any dtype, `ids` u8, u32, i16, i32 or
/// i64, all of any layout. `dim` counts from the end where negative.
///
/// An index that is its type's largest value (255 for u8) points nowhere: what is read for it is 0, and nothing
/// is written. Any other that is not in 0 … size - 1 does the same, and the next wait for the stream, or copy to
/// the host by it, throws Error(index_out_of_range) with the operation, the dim, its size and the first such index
/// of the earliest call: see Stream.
namespace kernelgen {

/// result[i, j, …] = x[i, ids[i, j, …], …], the index being in `dim`'s place. `ids` has x's rank and, in dims
/// other than `dim`, at most x's extents. The result has the shape of ids.
Tensor gather(const Tensor& x, std::int64_t dim, const Tensor& ids, const CallOptions& options = {});
/// The slices x[…, ids[i], …] along `dim`, one after another. `ids` has rank 1.
Tensor index_select(const Tensor& x, std::int64_t dim, const Tensor& ids, const CallOptions& options = {});

/// destination[i, ids[i, j, …], …] = source[i, j, …], in place: nothing else of the storage is written. `ids` has
/// the rank of both, at most the extents of source and, in dims other than `dim`, at most those of
/// destination, whose elements must not share memory. Of several indices that are the same the last one, in
/// the order of `dim`, wins.
void scatter_set(const Tensor& destination, std::int64_t dim, const Tensor& ids, const Tensor& source,
                 const Stream& stream = {});
/// The same with +=. Integers wrap; bf16, f16 and f8e4m3 are added in f32 and rounded once. Floats are added in
/// an order that may differ from call to call, unless `deterministic` asks for that of the indices, which may
/// take longer.
void scatter_add_set(const Tensor& destination, std::int64_t dim, const Tensor& ids, const Tensor& source,
                     bool deterministic = false, const Stream& stream = {});
/// A copy of x with source[…, i, …] added to its slice […, ids[i], …], as scatter_add_set adds. `ids` has rank 1;
/// `source` has x's shape, but along `dim` the length of ids.
Tensor index_add(const Tensor& x, std::int64_t dim, const Tensor& ids, const Tensor& source,
                 bool deterministic = false, const CallOptions& options = {});

}  // namespace kernelgen
