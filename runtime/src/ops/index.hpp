#pragma once
#include <string_view>

#include "device/index_faults.hpp"
#include "kernelgen/tensor.hpp"
#include "ops/arguments.hpp"

/// What operations by index share.
namespace kernelgen {

/// Refuses, naming the operation, ids that are no integers.
void check_ids(std::string_view operation, const Tensor& ids);

/// `layout` as it is walked along another `shape`: no step along `dim`, from element 0 on.
Layout without_dim(const Layout& layout, const Shape& shape, std::size_t dim);

/// The ids of a walk over `shape`: one an element, or (of rank 1) one a slice along `dim`.
struct IndexWalk {
  const IndexOperation& operation;
  Shape shape;
  std::size_t dim;
  std::int64_t size;  ///< of the dim that ids point into
  Tensor ids;
  Layout ids_layout;   ///< over `shape`, offset 0
  std::int64_t inner;  ///< neighbouring elements that share an index
  std::int64_t count;  ///< of ids

  /// The operation is of static life.
  IndexWalk(const IndexOperation& operation, const Shape& shape, std::size_t dim, std::int64_t size,
            const Tensor& ids);

  /// The arguments of kg::IndexCheck.
  void add_check(Arguments& arguments, const IndexFaults::Call& call) const;
};

/// What the walk's ids point to in x, which has its shape but along its dim, into `out`, which is contiguous and has its shape.
void gather_into(const IndexWalk& walk, const Tensor& x, const Tensor& out, const Stream& stream);

}  // namespace kernelgen
