#include "common/format.hpp"

#include "device/device_state.hpp"
#include "ops/index.hpp"
#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/rows.hpp"
#include "ops/sum_type.hpp"
#include "ops/traits.hpp"
#include "plan/grid.hpp"
#include "plan/id_type.hpp"
#include "plan/row_plan.hpp"

namespace kernelgen {
namespace {

constexpr const char* name = "cross_entropy";
constexpr IndexOperation operation_of_faults{name};

constexpr bool is_type(DType dtype, kg::IdType type) {
  return static_cast<unsigned>(dtype) == static_cast<unsigned>(type);
}
static_assert(is_type(DType::u8, kg::IdType::u8) && is_type(DType::u32, kg::IdType::u32) &&
                  is_type(DType::i16, kg::IdType::i16) && is_type(DType::i32, kg::IdType::i32) &&
                  is_type(DType::i64, kg::IdType::i64),
              "kernels are told the type of ids by its dtype");

Shape without_last(const Shape& shape) {
  Shape outer = shape;
  outer.erase(outer.size() - 1);
  return outer;
}

}  // namespace

CrossEntropy cross_entropy(const Tensor& logits, const Tensor& targets, const CrossEntropyOptions& options) {
  const Tensor* const inputs[] = {&logits, &targets};
  check_inputs(name, inputs);
  check_ids(name, targets);
  const std::int64_t n = row_length(name, "logits", logits);
  const Shape shape = without_last(logits.shape());
  if (!(targets.shape() == shape))
    invalid(formatted("{}: logits are {}, targets {}; they have to be {}, one for each row of logits", name,
                      logits.shape().to_string(), targets.shape().to_string(), shape.to_string()));
  const Device& device = logits.device();
  const Operation operation = Operation::builtin(device, Builtin::cross_entropy);
  const DType type = logits.dtype();
  operation.kernel({&type, 1}, operation.form("rows"));  // throws on other dtypes before the output is
                                                         // allocated
  if (n == 0 && targets.elements() > 0)
    invalid(formatted("{}: logits are {}; a row needs at least one", name, logits.shape().to_string()));

  CrossEntropy results;
  results.loss = output(name, device, shape, type, {options.stream, options.loss}, inputs);
  if (options.wants_log_sum_exp || options.log_sum_exp) {
    const Tensor* const taken[] = {&logits, &targets, &results.loss};
    results.log_sum_exp =
        output(name, device, shape, sum_type(type), {options.stream, options.log_sum_exp}, taken);
  }
  const std::int64_t rows = results.loss.elements();
  if (rows == 0) return results;

  const Tensor x = make_contiguous(logits, options.stream), ids = make_contiguous(targets, options.stream);
  DeviceState& state = state_of(device);
  const IndexFaults::Call call(state.index_faults(), *state.fault_queue(options.stream));
  const auto kernel = [&](std::string_view form) {
    return operation.kernel({&type, 1}, operation.form(form));
  };
  const auto add_operands = [&](Arguments& arguments) {
    arguments.add(x.data())
        .add(ids.data())
        .add(static_cast<std::uint32_t>(ids.dtype()))
        .add(results.loss.data())
        .add(results.log_sum_exp ? results.log_sum_exp.data() : nullptr)
        .add(rows)
        .add(n);
  };
  const auto add_check = [&](Arguments& arguments) -> const Arguments& {
    return arguments.add(call.record()).add(call.number(shape.size())).add(&operation_of_faults);
  };
  const RowPlan plan = plan_rows({rows, n, type, RowOperands::none}, traits_of(device));
  Arguments arguments;
  if (plan.part == n) {
    add_operands(arguments);
    arguments.add(plan.group);
    launch(device, kernel("rows"), plan.shape, add_check(arguments), options.stream);
    return results;
  }
  const Tensor states = row_states(device, plan.parts, options.stream);
  launch(device, kernel("partial"), plan.shape,
         Arguments().add(x.data()).add(states.data()).add(rows).add(n).add(plan.part), options.stream);
  arguments.add(states.data()).add(plan.part);
  add_operands(arguments);
  launch(device, kernel("combine"), block_grid(rows, traits_of(device)), add_check(arguments),
         options.stream);
  return results;
}

}  // namespace kernelgen
