#pragma once
#include "ops/arguments.hpp"
#include "ops/operation.hpp"
#include "plan/sort.hpp"

/// What operations that put rows in order share.
namespace kernelgen {

/// A row this long is worth the threads of a CPU.
inline constexpr std::int64_t shared_row = 64 * 1024;

/// Contiguous rows of at least one element each, and their kernels' launches.
struct Rows {
  const Tensor& x;
  const Stream& stream;
  std::int64_t n, count;

  Rows(const Tensor& x, const Stream& stream)
      : x(x), stream(stream), n(x.shape().back()), count(x.elements() / n) {}

  const Device& device() const { return x.device(); }
  int threads() const;  ///< 0 on a GPU
  std::int64_t element_bytes() const { return static_cast<std::int64_t>(size_of(x.dtype())); }
  std::uint32_t length() const { return static_cast<std::uint32_t>(n); }
  Tensor workspace(std::int64_t bytes) const { return Tensor::empty(device(), {bytes}, DType::u8, stream); }
  void launch(Builtin op, std::string_view form, std::int64_t blocks, const Arguments& arguments) const;
};

/// How rows are to be put in order, and where that goes.
struct Sorting {
  kg::Order order;
  const Tensor& places;               ///< u32, `kept` a row
  const Tensor* values = nullptr;     ///< as many; null where none are wanted
  const Tensor* came_from = nullptr;  ///< what `places` gets of an element; null: its place in the row
  const Tensor* source = nullptr;     ///< the rows that came_from has places in; null: those that are sorted
};

/// Whether a GPU's block, or a CPU's thread, sorts such rows alone.
bool is_sorted_alone(const Rows& rows);
/// The first `kept` elements of such rows.
void sort_alone(const Rows& rows, const Sorting& sorting, std::int64_t kept);
/// All elements of any rows.
void sort_all(const Rows& rows, const Sorting& sorting);

/// Refuses, naming the operation, a dim of more elements than indices of u32 count.
void check_countable(std::string_view operation, const Tensor& x, std::size_t dim);

}  // namespace kernelgen
