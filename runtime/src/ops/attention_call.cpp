#include "ops/attention_call.hpp"

#include <array>

#include "common/format.hpp"
#include "device/device_state.hpp"
#include "ops/attention_check.hpp"
#include "ops/attention_form.hpp"
#include "ops/grid.hpp"
#include "ops/launch.hpp"
#include "ops/operation.hpp"
#include "ops/output.hpp"
#include "tensor/checked.hpp"

namespace kernelgen {
namespace {

const void* address(const Tensor& tensor) { return tensor ? tensor.data() : nullptr; }

/// What bad lengths and pages are reported with, for each set of these that are signed: u32 is none.
const IndexOperation& reported_as(const Tensor& query_lengths, const Tensor& key_lengths,
                                  const Tensor& pages) {
  static constexpr auto all = [] {
    std::array<IndexOperation, 8> operations{};
    for (unsigned i = 0; i < operations.size(); ++i)
      operations[i] = {attention_name.data(), {"query_lengths", "key_lengths", "pages"}, i};
    return operations;
  }();
  unsigned is_signed = 0, bit = 1;
  for (const Tensor* ids : {&query_lengths, &key_lengths, &pages}) {
    if (*ids && ids->dtype() == DType::i32) is_signed |= bit;
    bit *= 2;
  }
  return all[is_signed];
}

}  // namespace

Arguments AttentionCall::arguments(const Tensor& partials, void* fault, std::uint64_t number,
                                   const IndexOperation* operation) const {
  Arguments arguments;
  for (const Tensor* tensor :
       {&q, &k, &v, &y, &log_sums, &partials, &mask, &slopes, &sinks, &query_lengths, &key_lengths, &pages})
    arguments.add(address(*tensor));
  return arguments.add(shape).add(fault).add(number).add(operation);
}

void AttentionCall::run() {
  const Device& device = q.device();
  DeviceState& state = state_of(device);
  const DType type = q.dtype();
  const Operation operation =
      Operation::builtin(device, k.dtype() == type ? Builtin::attention : Builtin::attention_f8);
  const AttentionForm form = AttentionForm::of(state, shape, type);
  shape.splits = form.splits;
  Tensor partials;
  if (shape.splits > 1) {
    const Checked floats =
        Checked(shape.batch) * shape.heads * shape.queries * shape.splits * (2 + std::int64_t{shape.width});
    if (!(floats * 4).fits())
      invalid(formatted("{}: partial results of {} splits of the keys have more than 2^63 - 1 bytes",
                        attention_name, shape.splits));
    partials = Tensor::empty(device, {floats.value_or(0)}, DType::f32, stream);
  }
  const std::uint32_t kernel = operation.kernel({&type, 1}, operation.form(form.name));
  if (query_lengths || key_lengths || pages) {
    const IndexFaults::Call faults(state.index_faults(), *state.fault_queue(stream));
    launch(device, kernel, form.shape,
           arguments(partials, faults.record(), faults.number(0),
                     &reported_as(query_lengths, key_lengths, pages)),
           stream);
  } else {
    launch(device, kernel, form.shape, arguments(partials, nullptr, 0, nullptr), stream);
  }
  if (partials) combine(partials);
}

void AttentionCall::combine(const Tensor& partials) const {
  const DType type = q.dtype();
  const Operation operation = Operation::builtin(q.device(), Builtin::attention);
  const Arguments arguments =
      Arguments().add(partials.data()).add(address(sinks)).add(y.data()).add(address(log_sums)).add(shape);
  const std::int64_t elements = y.elements();
  launch(q.device(), operation.kernel({&type, 1}, operation.form("combine")),
         element_grid(state_of(q.device()),
                      elements * (state_of(q.device()).threads() > 0 ? shape.splits : 1), 1),
         arguments, stream);
}

}  // namespace kernelgen
