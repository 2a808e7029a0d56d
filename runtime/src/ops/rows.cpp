#include "ops/rows.hpp"

#include <cmath>

#include "common/format.hpp"

#include "ops/launch.hpp"
#include "ops/traits.hpp"
#include "plan/row.hpp"

namespace kernelgen {
namespace {

template <class T>
void add_all(Arguments& arguments, std::span<const T> list) {
  for (const T& value : list) arguments.add(value);
}

}  // namespace

std::int64_t row_length(std::string_view operation, std::string_view called, const Tensor& x) {
  if (x.shape().empty()) invalid(formatted("{}: {} has rank 0; it needs a last dim", operation, called));
  return x.shape().back();
}

Tensor row_states(const Device& device, std::int64_t parts, const Stream& stream) {
  return Tensor::empty(device, {parts * kg::row_state_bytes}, DType::u8, stream);
}

void check_weights(std::string_view operation, const Tensor& x, Inputs weights) {
  const std::int64_t n = x.shape().back();
  for (const Tensor* weight : weights) {
    if (weight->dtype() != x.dtype())
      invalid(formatted("{}: x is {}, weight or bias {}; they must have one dtype", operation,
                        name_of(x.dtype()), name_of(weight->dtype())));
    if (!(weight->shape() == Shape{n}))
      invalid(formatted("{}: x is {}, weight or bias {}; they must be [{}]", operation, x.shape().to_string(),
                        weight->shape().to_string(), n));
  }
}

void check_eps(std::string_view operation, const Tensor& x, double eps) {
  // eps is converted to f32, except for f64.
  const bool is_finite = std::isfinite(x.dtype() == DType::f64 ? eps : static_cast<float>(eps));
  if (!is_finite || eps < 0)
    invalid(formatted("{}: eps is {}; it has to be finite, for {} too, and not negative", operation, eps,
                      name_of(x.dtype())));
}

void RowCall::run(const Device& device, const Stream& stream) const {
  const RowPlan plan = plan_rows(problem, traits_of(device));
  const std::int64_t n = problem.n;
  const auto launch_form = [&](std::string_view form, const Arguments& arguments) {
    launch(device, operation.kernel({&problem.dtype, 1}, operation.form(form)), plan.shape, arguments,
           stream);
  };
  Arguments arguments;
  add_all(arguments, sources);
  Tensor states;
  if (plan.part < n) {
    states = row_states(device, plan.parts, stream);
    Arguments first = arguments;
    add_all<void*>(first, results.first(results.size() - 1));
    launch_form("partial", first.add(states.data()).add(problem.rows).add(n).add(plan.part));
  }
  add_all(arguments, operands);
  add_all<void*>(arguments, results);
  if (states) arguments.add(states.data());
  add_all(arguments, row_strides);
  arguments.add(problem.rows).add(n);
  if (states) arguments.add(plan.part);
  for (const ScalarElement& scalar : scalars) scalar.add_to(arguments);
  if (!states) arguments.add(plan.group);
  launch_form(states ? "combine" : "rows", arguments);
}

}  // namespace kernelgen
