#pragma once
#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "common/format.hpp"
#include "ops/iteration.hpp"
#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/output.hpp"
#include "ops/scalar_element.hpp"
#include "ops/traits.hpp"
#include "plan/reduce_plan.hpp"
#include "tensor/checked.hpp"

/// The launches of reductions (kernels/reduce).
namespace kernelgen {

/// A view split into the dims that stay and those that are reduced.
struct Split {
  Shape result;    ///< as returned to the caller
  Shape strides;   ///< strides of the result's dims in the reduced dims
  Layout kept;     ///< offset 0
  Layout reduced;  ///< offset 0

  /// Elements of each output; 0 where there is no output.
  std::int64_t count() const { return kept.elements() == 0 ? 0 : reduced.elements(); }
};

inline Split split_of(std::string_view name, const Layout& layout, Axes dims, bool keep_dims) {
  std::array<bool, max_rank> reduces{};
  for (const std::int64_t dim : dims) {
    const std::size_t at = normalize_dim(name, dim, layout.rank());
    if (reduces[at])
      invalid(formatted("{}: dim {} of shape {} is given twice", name, dim, layout.shape.to_string()));
    reduces[at] = true;
  }
  Split split;
  for (std::size_t d = 0; d < layout.rank(); ++d) {
    Layout& part = reduces[d] ? split.reduced : split.kept;
    part.shape.push_back(layout.shape[d]);
    part.strides.push_back(layout.strides[d]);
    if (reduces[d] && !keep_dims) continue;
    split.result.push_back(reduces[d] ? 1 : layout.shape[d]);
    split.strides.push_back(reduces[d] ? 0 : layout.strides[d]);
  }
  return split;
}

/// Sorts dims, in which each operand has a layout, so that the smallest strides are innermost. Element order is free if no index
/// is returned.
inline void sort_by_stride(std::span<Layout> layouts) {
  const auto distance = [&](std::size_t d) {
    std::int64_t sum = 0;
    for (const Layout& layout : layouts) sum += std::abs(layout.strides[d]);
    return sum;
  };
  for (std::size_t i = 1; i < layouts[0].rank(); ++i)
    for (std::size_t d = i; d > 0 && distance(d) > distance(d - 1); --d)
      for (Layout& layout : layouts) {
        std::swap(layout.strides[d], layout.strides[d - 1]);
        std::swap(layout.shape[d], layout.shape[d - 1]);
      }
}

/// What a reduction stores. Kernels with two results take values, which may be none, then indices.
struct ReductionResults {
  const Tensor& out;     ///< of kernels with two results: the indices
  bool is_pair = false;  ///< whether kernels have two results
  const Tensor* values = nullptr;
};

/// The inputs' stride in a dim, as a plan takes it: 1 if their elements are contiguous, or the same.
template <int N>
std::int64_t stride_of(const Iteration<N>& dims) {
  std::int64_t stride = 0;
  for (int k = 0; k < N; ++k)
    if (std::abs(dims.stride[k][0]) > std::abs(stride)) stride = dims.stride[k][0];
  return stride;
}

/// One reduction of N inputs with validated shapes.
template <int N>
struct Reduction {
  const Operation& operation;
  std::array<const Tensor*, N> x;
  std::span<const ScalarElement> scalars;
  ReductionResults results;
  const Stream& stream;
  Iteration<N> kept, reduced;
  std::int64_t count;
  kg::StateKind kind;

  ReduceProblem problem() const {
    const DType type = x[0]->dtype();
    return {kind,
            static_cast<unsigned>(size_of(type)),
            is_float(type),
            kept.elements(),
            count,
            kept.extent[0],
            stride_of(kept),
            stride_of(reduced),
            reduced.rank};
  }
  /// What kernels take as the number of elements.
  std::int64_t count_argument() const { return operation.counts_one() ? 1 : count; }
  std::uint32_t kernel(std::string_view form) const {
    const DType type = x[0]->dtype();
    return operation.kernel({&type, 1}, operation.form(form));
  }
  const Device& device() const { return results.out.device(); }
  /// Adds the addresses of the results from output `first` on.
  Arguments& add_results(Arguments& arguments, std::int64_t first) const {
    if (results.is_pair) arguments.add(results.values ? element_address(*results.values, first) : nullptr);
    return arguments.add(element_address(results.out, first));
  }
  void run() const {
    const ReduceProblem problem = this->problem();
    // No elements: what is left is to finish the State of none.
    if (count == 0) return combine(problem, {}, 0);
    const ReducePlan plan = plan_reduce(problem, traits_of(device()));
    const std::int64_t outputs = problem.outputs, state_bytes = problem.state_bytes();
    // Elements beyond one launch's range become separate parts.
    std::int64_t pieces = 0;
    reduced.for_each_piece([&](const auto&, const auto&, std::int64_t) { ++pieces; });
    const Checked all_parts = Checked(pieces) * plan.splits, bytes = all_parts * outputs * state_bytes;
    if (all_parts.value_or(-1) != static_cast<std::uint32_t>(all_parts.value_or(0)) || !bytes.fits())
      invalid(formatted("{}: {} elements for each of {} results are more than it takes", operation.name(),
                        count, outputs));
    const auto parts = static_cast<std::uint32_t>(all_parts.value_or(0));

    Tensor states;
    if (parts > 1) states = Tensor::empty(device(), {bytes.value_or(0)}, DType::u8, stream);
    const std::uint32_t reduce = kernel(plan.by_columns ? "columns" : "rows");
    kept.for_each_piece([&](const kg::Strided<N>& kept_piece, const auto& kept_offset, std::int64_t output) {
      std::uint32_t first = 0;
      reduced.for_each_piece([&](const kg::Strided<N>& reduced_piece, const auto& reduced_offset,
                                 std::int64_t index) {
        Arguments arguments;
        for (int k = 0; k < N; ++k) arguments.add(element_address(*x[k], kept_offset[k] + reduced_offset[k]));
        add_results(arguments, output)
            .add(parts > 1 ? static_cast<std::byte*>(states.data()) + output * parts * state_bytes : nullptr)
            .add(kept_piece)
            .add(reduced_piece)
            .add(count_argument())
            .add(plan.group)
            .add(plan.splits)
            .add(first)
            .add(parts)
            .add(static_cast<std::uint32_t>(index));
        start(reduce, plan.shape, arguments);
        first += plan.splits;
      });
    });
    if (parts > 1) combine(problem, states, parts);
  }

 private:
  /// The last launch: combines `parts` States of each result.
  void combine(const ReduceProblem& problem, const Tensor& states, std::uint32_t parts) const {
    const CombinePlan plan = plan_combine(problem, parts, traits_of(device()));
    Arguments arguments;
    arguments.add(parts > 0 ? states.data() : nullptr);
    add_results(arguments, 0).add(problem.outputs).add(parts).add(count_argument()).add(plan.group);
    start(kernel("combine"), plan.shape, arguments);
  }
  void start(std::uint32_t kernel, const LaunchShape& shape, Arguments& arguments) const {
    for (const ScalarElement& scalar : scalars) scalar.add_to(arguments);
    launch(device(), kernel, shape, arguments, stream);
  }
};

}  // namespace kernelgen
