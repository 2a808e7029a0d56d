#pragma once
#include "ops/arguments.hpp"
#include "ops/operation.hpp"
#include "ops/traits.hpp"
#include "plan/sort.hpp"
#include "plan/sort_plan.hpp"

/// Shared by operations that sort rows.
namespace kernelgen {

/// Contiguous rows of at least one element each, and the launches of their kernels.
struct Rows {
  const Tensor& x;
  const Stream& stream;
  std::int64_t n, count;

  Rows(const Tensor& x, const Stream& stream)
      : x(x), stream(stream), n(x.shape().back()), count(x.elements() / n) {}

  const Device& device() const { return x.device(); }
  DeviceTraits traits() const { return traits_of(device()); }
  SortProblem problem() const { return {n, count, static_cast<unsigned>(size_of(x.dtype()))}; }
  std::uint32_t length() const { return static_cast<std::uint32_t>(n); }
  Tensor workspace(std::int64_t bytes) const { return Tensor::empty(device(), {bytes}, DType::u8, stream); }
  void launch(Builtin op, std::string_view form, const LaunchShape& shape, const Arguments& arguments) const;
  /// The same with sort_grid(blocks).
  void launch(Builtin op, std::string_view form, std::int64_t blocks, const Arguments& arguments) const {
    launch(op, form, sort_grid(blocks, traits()), arguments);
  }
};

/// The sort order of rows and the destination.
struct Sorting {
  kg::Order order;
  const Tensor& indices;              ///< u32, `kept` per row
  const Tensor* values = nullptr;     ///< same count; null if not requested
  const Tensor* came_from = nullptr;  ///< the index stored in `indices` for each element; null: its index in
                                      ///< the row
  const Tensor* source = nullptr;     ///< the rows came_from indexes; null: the sorted rows
};

/// Sorts rows for which is_sorted_alone() is true, and writes their first `kept` elements.
void sort_alone(const Rows& rows, const Sorting& sorting, std::int64_t kept);
/// Sorts all elements of rows of any length.
void sort_all(const Rows& rows, const Sorting& sorting);

/// Throws Error, naming the operation, if the dim's extent exceeds u32 indices.
void check_countable(std::string_view operation, const Tensor& x, std::size_t dim);
/// The same if `count` elements of a row are too many to sort.
void check_sortable(std::string_view operation, std::int64_t count);

}  // namespace kernelgen
