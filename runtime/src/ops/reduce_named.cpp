/// Reductions by name, those of several inputs and with scalars too.
#include <algorithm>
#include <array>

#include "common/format.hpp"
#include "ops/reduce.hpp"
#include "ops/reduction.hpp"
#include "ops/type_binding.hpp"

namespace kernelgen {
namespace {

/// A call of a reduction by expressions that has several inputs, or scalars.
struct InputsCall {
  const Operation& operation;
  Inputs inputs;
  std::span<const ScalarElement> scalars;
  const Shape& shape;  ///< that the inputs are broadcast to
  Axes dims;
  bool keep_dims;

  /// `N` is at most the number of inputs.
  template <int N>
  Tensor run(DType type, const CallOptions& options) const {
    if constexpr (N < static_cast<int>(KERNELGEN_MAX_INPUTS))
      if (inputs.size() > N) return run<N + 1>(type, options);
    std::array<Layout, N> kept, reduced;
    std::array<const Layout*, N> kept_at, reduced_at;
    std::array<const Tensor*, N> x;
    Shape result;
    std::int64_t count = 0;
    for (std::size_t k = 0; k < N; ++k) {
      const Split split =
          split_of(operation.name(), inputs[k]->layout().broadcast_to(shape), dims, keep_dims);
      result = split.result;
      count = split.count();
      kept[k] = split.kept;
      reduced[k] = split.reduced;
      kept_at[k] = &kept[k];
      reduced_at[k] = &reduced[k];
      x[k] = inputs[k];
    }
    sort_by_stride(reduced);
    const Tensor out = output(operation.name(), inputs[0]->device(), result, type, options, inputs);
    if (out.elements() > 0)
      Reduction<N>{operation,
                   x,
                   scalars,
                   {out},
                   options.stream,
                   Iteration<N>(kept[0].shape, kept_at),
                   Iteration<N>(reduced[0].shape, reduced_at),
                   count,
                   kg::StateKind::expression}
          .run();
    return out;
  }
};

}  // namespace

Tensor reduce(std::string_view operation, const Tensor& x, Axes dims, bool keep_dims,
              const CallOptions& options) {
  return reduce_inputs(operation, {&x, 1}, dims, keep_dims, {}, options);
}

Tensor reduce_inputs(std::string_view operation, std::span<const Tensor> inputs, Axes dims, bool keep_dims,
                     std::span<const Scalar> scalars, const CallOptions& options) {
  if (inputs.empty() || inputs.size() > KERNELGEN_MAX_INPUTS)
    invalid(formatted("{}: {} tensors given; an operation takes 1 to {}", operation, inputs.size(),
                      KERNELGEN_MAX_INPUTS));
  std::array<const Tensor*, KERNELGEN_MAX_INPUTS> pointers{};
  std::ranges::transform(inputs, pointers.begin(), [](const Tensor& input) { return &input; });
  const Inputs given = Inputs(pointers).first(inputs.size());
  check_inputs(operation, given);
  const Operation found = Operation::named(inputs[0].device(), operation);
  if (found.kind() != KERNELGEN_OPERATION_REDUCE)
    invalid(formatted("{}: not a reduction; call() calls element-wise operations by name", operation));
  return run_reduction(found, given, dims, keep_dims, scalars, options);
}

Tensor run_reduction(const Operation& operation, Inputs inputs, std::optional<Axes> dims, bool keep_dims,
                     std::span<const Scalar> scalars, const CallOptions& options) {
  check_inputs(operation.name(), inputs);
  check_counts(operation, inputs, scalars);
  const auto operands = operation.operands();
  TypeBinding binding(operation);
  Shape shape = inputs[0]->shape();
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    binding.bind(operands[k], inputs[k]->dtype());
    if (k > 0) shape = broadcast_shapes(operation.name(), shape, inputs[k]->shape());
  }
  Dims all;
  for (std::size_t d = 0; d < shape.size(); ++d) all.push_back(static_cast<std::int64_t>(d));
  const Axes reduced = dims.value_or(Axes(all.data(), all.size()));
  if (inputs.size() == 1 && scalars.empty())
    return reduce_one(operation, *inputs[0], reduced, keep_dims, options);
  binding.kernel(operation.form("rows"));  // throws on other dtypes before any allocation
  std::array<ScalarElement, KERNELGEN_MAX_SCALARS> elements;
  for (std::size_t i = 0; i < scalars.size(); ++i)
    elements[i] = {scalars[i], binding.type_of(operands[inputs.size() + 1 + i].type)};
  InputsCall call{operation, inputs, std::span(elements).first(scalars.size()), shape, reduced, keep_dims};
  return call.run<1>(binding.type_of(operands[inputs.size()].type), options);
}

}  // namespace kernelgen
