#include "common/format.hpp"

#include <algorithm>
#include <limits>

#include "kernelgen/ops/elementwise.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/output.hpp"
#include "ops/reduce.hpp"
#include "ops/reduction.hpp"

namespace kernelgen {
namespace {

static_assert(KERNELGEN_STATE_SUM == static_cast<int>(kg::StateKind::sum) &&
                  KERNELGEN_STATE_EXTREME == static_cast<int>(kg::StateKind::extreme) &&
                  KERNELGEN_STATE_TRUTH == static_cast<int>(kg::StateKind::truth) &&
                  KERNELGEN_STATE_INDEX == static_cast<int>(kg::StateKind::index) &&
                  KERNELGEN_STATE_EXPRESSION == static_cast<int>(kg::StateKind::expression),
              "packages record the kernels' numbers");

/// Validates the call and returns how x is reduced.
Split checked_split(std::string_view name, kg::StateKind kind, const Tensor& x, Axes dims, bool keep_dims) {
  Split split = split_of(name, x.layout(), dims, keep_dims);
  const std::int64_t count = split.count();
  const bool finds_index = kind == kg::StateKind::index;
  if (count == 0 && split.kept.elements() > 0 && (finds_index || kind == kg::StateKind::extreme))
    invalid(
        formatted("{}: shape {} has no element to reduce along the given dims", name, x.shape().to_string()));
  if (finds_index && count > std::numeric_limits<std::uint32_t>::max())
    invalid(formatted("{}: shape {} has {} elements along the given dims; an index of u32 counts 4294967295",
                      name, x.shape().to_string(), count));
  // Element order matters if an index is returned.
  if (!finds_index) sort_by_stride({&split.reduced, 1});
  return split;
}

void run(const Operation& operation, kg::StateKind kind, const Tensor& x, const Split& split,
         const ReductionResults& results, const Stream& stream) {
  Reduction<1>{operation,
               {&x},
               {},
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
  const auto kind = kg::StateKind::index;
  const Split split = checked_split(name, kind, x, {dims.data(), dims.size()}, keep_dims);
  const Operation operation = Operation::builtin(x.device(), op);
  const DType type = x.dtype();
  operation.kernel({&type, 1}, operation.form("rows"));  // throws on other dtypes before any allocation
  const Tensor out = output(name, x.device(), split.result, DType::u32, options, {&input, 1});
  if (split.count() == 1 && Operation::find(x.device(), Builtin::fill))
    const_set(out, 0, options.stream);
  else if (out.elements() > 0)
    run(operation, kind, x, split, {out, true}, options.stream);
  return out;
}

Indexed reduce_with_index(Builtin op, std::string_view name, const Tensor& x, std::optional<std::int64_t> dim,
                          bool keep_dims, const IndexedOptions& options) {
  const Tensor* const input = &x;
  check_inputs(name, {&input, 1});
  const Dims dims = dims_of(x, dim);
  const auto kind = kg::StateKind::index;
  const Split split = checked_split(name, kind, x, {dims.data(), dims.size()}, keep_dims);
  const Operation operation = Operation::builtin(x.device(), op);
  const Indexed results = outputs(name, x, split.result, options);
  if (results.values.elements() > 0)
    run(operation, kind, x, split, {results.indices, true, &results.values}, options.stream);
  return results;
}

}  // namespace

Tensor reduce_one(const Operation& operation, const Tensor& x, Axes dims, bool keep_dims,
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
