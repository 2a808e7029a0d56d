#pragma once
#include <string_view>

#include "device/index_faults.hpp"
#include "kernelgen/tensor.hpp"
#include "ops/arguments.hpp"

/// Shared by the index operations.
namespace kernelgen {

/// Throws Error, naming the operation, unless ids are integers.
void check_ids(std::string_view operation, const Tensor& ids);

/// `layout` for iteration over another `shape`: stride 0 along `dim`, offset 0.
Layout without_dim(const Layout& layout, const Shape& shape, std::size_t dim);

/// The ids of an iteration over `shape`: one per element, or (rank 1) one per slice along `dim`.
struct IndexWalk {
  const IndexOperation& operation;
  Shape shape;
  std::size_t dim;
  std::int64_t size;  ///< extent of the dim that ids index
  Tensor ids;
  Layout ids_layout;   ///< over `shape`, offset 0
  std::int64_t inner;  ///< neighbouring elements that share an index
  std::int64_t count;  ///< number of ids

  /// The operation has static lifetime.
  IndexWalk(const IndexOperation& operation, const Shape& shape, std::size_t dim, std::int64_t size,
            const Tensor& ids);

  /// Adds the arguments of kg::IndexCheck.
  void add_check(Arguments& arguments, const IndexFaults::Call& call) const;
};

/// Gathers elements of x by the walk's ids into `out`. x has the walk's shape except along its dim; `out` is
/// contiguous and has the walk's shape.
void gather_into(const IndexWalk& walk, const Tensor& x, const Tensor& out, const Stream& stream);

}  // namespace kernelgen
