#include "common/format.hpp"

#include <algorithm>
#include <limits>

#include "ops/iteration.hpp"
#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/output.hpp"
#include "ops/reduce.hpp"
#include "ops/traits.hpp"
#include "plan/reduce_plan.hpp"
#include "tensor/checked.hpp"

namespace kernelgen {
namespace {

static_assert(KERNELGEN_STATE_SUM == static_cast<int>(kg::StateKind::sum) &&
                  KERNELGEN_STATE_EXTREME == static_cast<int>(kg::StateKind::extreme) &&
                  KERNELGEN_STATE_TRUTH == static_cast<int>(kg::StateKind::truth) &&
                  KERNELGEN_STATE_INDEX == static_cast<int>(kg::StateKind::place) &&
                  KERNELGEN_STATE_EXPRESSION == static_cast<int>(kg::StateKind::expression),
              "packages record the kernels' numbers");

/// A view split into the dims that stay and those that are reduced.
struct Split {
  Shape result;    ///< as returned to the caller
  Shape strides;   ///< strides of the result's dims in the reduced dims
  Layout kept;     ///< offset 0
  Layout reduced;  ///< offset 0

  /// Elements of each output; 0 where there is no output.
  std::int64_t count() const { return kept.elements() == 0 ? 0 : reduced.elements(); }
};

Split split_of(std::string_view name, const Layout& layout, Axes dims, bool keep_dims) {
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

/// Sorts dims so that the smallest strides are innermost. Element order is free if no index is returned.
void sort_by_stride(Layout& layout) {
  for (std::size_t i = 1; i < layout.rank(); ++i)
    for (std::size_t d = i; d > 0 && std::abs(layout.strides[d]) > std::abs(layout.strides[d - 1]); --d) {
      std::swap(layout.strides[d], layout.strides[d - 1]);
      std::swap(layout.shape[d], layout.shape[d - 1]);
    }
}

/// What a reduction stores. Kernels with two results take values, which may be none, then indices.
struct Results {
  const Tensor& out;     ///< of kernels with two results: the indices
  bool is_pair = false;  ///< whether kernels have two results
  const Tensor* values = nullptr;
};

/// One reduction with validated shapes.
struct Reduction {
  const Operation& operation;
  const Tensor& x;
  Results results;
  const Stream& stream;
  Iteration<1> kept, reduced;
  std::int64_t count;
  kg::StateKind kind;

  ReduceProblem problem() const {
    return {kind,
            static_cast<unsigned>(size_of(x.dtype())),
            is_float(x.dtype()),
            kept.elements(),
            count,
            kept.extent[0],
            kept.stride[0][0],
            reduced.stride[0][0],
            reduced.rank};
  }
  std::uint32_t kernel(std::string_view form) const {
    const DType type = x.dtype();
    return operation.kernel({&type, 1}, operation.form(form));
  }
  const Device& device() const { return results.out.device(); }
  /// Adds the addresses of the results from output `first` on.
  Arguments& add_results(Arguments& arguments, std::int64_t first) const {
    if (results.is_pair) arguments.add(results.values ? element_address(*results.values, first) : nullptr);
    return arguments.add(element_address(results.out, first));
  }
  void run() const;

 private:
  /// The last launch: combines `parts` States of each result.
  void combine(const ReduceProblem& problem, const Tensor& states, std::uint32_t parts) const;
};

void Reduction::run() const {
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
  kept.for_each_piece([&](const kg::Strided<1>& kept_piece, const auto& kept_offset, std::int64_t output) {
    std::uint32_t first = 0;
    reduced.for_each_piece([&](const kg::Strided<1>& reduced_piece, const auto& reduced_offset,
                               std::int64_t index) {
      Arguments arguments;
      arguments.add(element_address(x, kept_offset[0] + reduced_offset[0]));
      add_results(arguments, output)
          .add(parts > 1 ? static_cast<std::byte*>(states.data()) + output * parts * state_bytes : nullptr)
          .add(kept_piece)
          .add(reduced_piece)
          .add(count)
          .add(plan.group)
          .add(plan.splits)
          .add(first)
          .add(parts)
          .add(static_cast<std::uint32_t>(index));
      launch(device(), reduce, plan.shape, arguments, stream);
      first += plan.splits;
    });
  });
  if (parts > 1) combine(problem, states, parts);
}

void Reduction::combine(const ReduceProblem& problem, const Tensor& states, std::uint32_t parts) const {
  const CombinePlan plan = plan_combine(problem, parts, traits_of(device()));
  Arguments arguments;
  arguments.add(parts > 0 ? states.data() : nullptr);
  add_results(arguments, 0).add(problem.outputs).add(parts).add(count).add(plan.group);
  launch(device(), kernel("combine"), plan.shape, arguments, stream);
}

/// Validates the call and returns how x is reduced.
Split checked_split(std::string_view name, kg::StateKind kind, const Tensor& x, Axes dims, bool keep_dims) {
  Split split = split_of(name, x.layout(), dims, keep_dims);
  const std::int64_t count = split.count();
  const bool finds_index = kind == kg::StateKind::place;
  if (count == 0 && split.kept.elements() > 0 && (finds_index || kind == kg::StateKind::extreme))
    invalid(
        formatted("{}: shape {} has no element to reduce along the given dims", name, x.shape().to_string()));
  if (finds_index && count > std::numeric_limits<std::uint32_t>::max())
    invalid(formatted("{}: {} elements along what shape {} is reduced by; an index of u32 counts 4294967295",
                      name, count, x.shape().to_string()));
  // Element order matters if an index is returned.
  if (!finds_index) sort_by_stride(split.reduced);
  return split;
}

void run(const Operation& operation, kg::StateKind kind, const Tensor& x, const Split& split,
         const Results& results, const Stream& stream) {
  Reduction{operation,
            x,
            results,
            stream,
            Iteration<1>(split.kept.shape, {&split.kept}),
            Iteration<1>(split.reduced.shape, {&split.reduced}),
            split.count(),
            kind}
      .run();
}

/// The dtype of the operation's result.
DType result_type(const Operation& operation, const Tensor& x) {
  const std::uint32_t type = operation.operands()[1].type;
  return type & KERNELGEN_TYPE_VARIABLE ? x.dtype() : static_cast<DType>(type);
}

/// `copies_one`: one element is its own reduction.
Tensor reduce(const Operation& operation, const Tensor& x, Axes dims, bool keep_dims,
              const CallOptions& options, bool copies_one) {
  const auto kind = static_cast<kg::StateKind>(operation.state());
  const Split split = checked_split(operation.name(), kind, x, dims, keep_dims);
  const DType type = x.dtype();
  operation.kernel({&type, 1}, operation.form("rows"));  // throws on other dtypes before any allocation
  const Tensor* const input = &x;
  const Tensor out =
      output(operation.name(), x.device(), split.result, result_type(operation, x), options, {&input, 1});
  if (out.elements() == 0) return out;
  if (split.count() == 1 && copies_one)
    copy_into(out, x.with_layout({split.result, split.strides, x.layout().offset}), options.stream);
  else
    run(operation, kind, x, split, {out}, options.stream);
  return out;
}

Tensor reduce(Builtin op, std::string_view name, const Tensor& x, Axes dims, bool keep_dims,
              const CallOptions& options) {
  const Tensor* const input = &x;
  check_inputs(name, {&input, 1});
  const Operation operation = Operation::builtin(x.device(), op);
  const std::uint32_t state = operation.state();
  return reduce(operation, x, dims, keep_dims, options,
                state == KERNELGEN_STATE_SUM || state == KERNELGEN_STATE_EXTREME);
}

/// The dims `dim` selects: itself, or all of x's.
Dims dims_of(const Tensor& x, std::optional<std::int64_t> dim) {
  if (dim) return {*dim};
  Dims all;
  const std::size_t rank = x ? x.shape().size() : 0;
  for (std::size_t d = 0; d < rank; ++d) all.push_back(static_cast<std::int64_t>(d));
  return all;
}

/// `op` has two results, of which this is the indices.
Tensor reduce_to_index(Builtin op, std::string_view name, const Tensor& x, std::optional<std::int64_t> dim,
                       bool keep_dims, const CallOptions& options) {
  const Tensor* const input = &x;
  check_inputs(name, {&input, 1});
  const Dims dims = dims_of(x, dim);
  const auto kind = kg::StateKind::place;
  const Split split = checked_split(name, kind, x, {dims.data(), dims.size()}, keep_dims);
  const Operation operation = Operation::builtin(x.device(), op);
  const DType type = x.dtype();
  operation.kernel({&type, 1}, operation.form("rows"));  // throws on other dtypes before any allocation
  const Tensor out = output(name, x.device(), split.result, DType::u32, options, {&input, 1});
  if (out.elements() > 0) run(operation, kind, x, split, {out, true}, options.stream);
  return out;
}

Indexed reduce_with_index(Builtin op, std::string_view name, const Tensor& x, std::optional<std::int64_t> dim,
                          bool keep_dims, const IndexedOptions& options) {
  const Tensor* const input = &x;
  check_inputs(name, {&input, 1});
  const Dims dims = dims_of(x, dim);
  const auto kind = kg::StateKind::place;
  const Split split = checked_split(name, kind, x, {dims.data(), dims.size()}, keep_dims);
  const Operation operation = Operation::builtin(x.device(), op);
  const Indexed results = outputs(name, x, split.result, options);
  if (results.values.elements() > 0)
    run(operation, kind, x, split, {results.indices, true, &results.values}, options.stream);
  return results;
}

}  // namespace

Tensor reduce(std::string_view operation, const Tensor& x, Axes dims, bool keep_dims,
              const CallOptions& options) {
  const Tensor* const input = &x;
  check_inputs(operation, {&input, 1});
  const Operation found = Operation::named(x.device(), operation);
  if (found.kind() != KERNELGEN_OPERATION_REDUCE)
    invalid(formatted("{}: not a reduction; call() calls element-wise operations by name", operation));
  return run_reduction(found, x, dims, keep_dims, options);
}

Tensor run_reduction(const Operation& operation, const Tensor& x, Axes dims, bool keep_dims,
                     const CallOptions& options) {
  return reduce(operation, x, dims, keep_dims, options, false);
}

#define KERNELGEN_DEFINE(op)                                                          \
  Tensor op(const Tensor& x, Axes dims, bool keep_dims, const CallOptions& options) { \
    return reduce(Builtin::op, #op, x, dims, keep_dims, options);                     \
  }
KERNELGEN_DEFINE(sum)
KERNELGEN_DEFINE(mean)
KERNELGEN_DEFINE(prod)
KERNELGEN_DEFINE(min)
KERNELGEN_DEFINE(max)
KERNELGEN_DEFINE(any)
KERNELGEN_DEFINE(all)
#undef KERNELGEN_DEFINE
Tensor argmin(const Tensor& x, std::optional<std::int64_t> dim, bool keep_dims, const CallOptions& options) {
  return reduce_to_index(Builtin::min_with_index, "argmin", x, dim, keep_dims, options);
}
Tensor argmax(const Tensor& x, std::optional<std::int64_t> dim, bool keep_dims, const CallOptions& options) {
  return reduce_to_index(Builtin::max_with_index, "argmax", x, dim, keep_dims, options);
}
#define KERNELGEN_DEFINE(op)                                                   \
  Indexed op(const Tensor& x, std::optional<std::int64_t> dim, bool keep_dims, \
             const IndexedOptions& options) {                                  \
    return reduce_with_index(Builtin::op, #op, x, dim, keep_dims, options);    \
  }
KERNELGEN_DEFINE(min_with_index)
KERNELGEN_DEFINE(max_with_index)
#undef KERNELGEN_DEFINE

}  // namespace kernelgen
