#include "ops/attention_call.hpp"

#include <algorithm>
#include <array>

#include "common/format.hpp"
#include "device/device_state.hpp"
#include "ops/attention_check.hpp"
#include "ops/attention_kernel.hpp"
#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/output.hpp"
#include "ops/traits.hpp"
#include "tensor/checked.hpp"

namespace kernelgen {
namespace {

const void* address(const Tensor& tensor) { return tensor ? tensor.data() : nullptr; }

kg::AttentionStrides rows_of(const Tensor& x) {
  const Layout& layout = x.layout();
  // The stride of a dim of one element is unused: it must not make rows count as unaligned.
  const auto step = [&](std::size_t d) { return layout.shape[d] == 1 ? 0 : layout.strides[d]; };
  return {step(0), step(1), step(2)};
}

/// Whether x has rows of `width` elements in aligned packs of 16 bytes. If x is f32 and `element` has 16 bits, packs have as many
/// elements as 16 bytes of `element`.
bool is_in_packs(const Tensor& x, std::int64_t width, DType element) {
  const auto pack = pack_bytes / static_cast<std::int64_t>(std::min(size_of(x.dtype()), size_of(element)));
  return x.shape()[3] == width && is_aligned(x.data()) &&
         kg::attention_in_packs(rows_of(x), static_cast<unsigned>(width), static_cast<unsigned>(pack));
}

Shape with_width(const Tensor& x, std::int64_t width) {
  Shape shape = x.shape();
  shape[3] = width;
  return shape;
}

/// x in aligned packs, its rows padded with zeros.
Tensor in_packs(const Tensor& x, std::int64_t width, DType element, const Stream& stream) {
  if (is_in_packs(x, width, element)) return x;
  const Tensor packs = Tensor::empty(x.device(), with_width(x, width), x.dtype(), stream);
  const std::int64_t own = x.shape()[3];
  if (own < width) const_set(packs.narrow(3, own, width - own), 0.0, stream);
  copy_into(packs.narrow(3, 0, own), x, stream);
  return packs;
}

/// Describes the call in errors about bad lengths and block_table entries. Kernels read i32 as u32; values of signed operands are
/// reported as signed.
const IndexOperation& reported_as(const Tensor& query_lengths, const Tensor& key_lengths,
                                  const Tensor& block_table) {
  static constexpr auto all = [] {
    std::array<IndexOperation, 8> operations{};
    for (unsigned i = 0; i < operations.size(); ++i)
      operations[i] = {attention_name.data(), {"query_lengths", "key_lengths", "block_table"}, i};
    return operations;
  }();
  unsigned is_signed = 0, bit = 1;
  for (const Tensor* ids : {&query_lengths, &key_lengths, &block_table}) {
    if (*ids && ids->dtype() == DType::i32) is_signed |= bit;
    bit *= 2;
  }
  return all[is_signed];
}

}  // namespace

Arguments AttentionCall::arguments(const Tensor& partials, void* fault, std::uint64_t number,
                                   const IndexOperation* operation) const {
  Arguments arguments;
  for (const Tensor* tensor : {&q, &k, &v, &y, &log_sum_exp, &partials, &mask, &alibi_slopes, &sinks,
                               &query_lengths, &key_lengths, &block_table})
    arguments.add(address(*tensor));
  return arguments.add(shape).add(fault).add(number).add(operation);
}

DType AttentionCall::element() const { return size_of(k.dtype()) == 2 ? k.dtype() : q.dtype(); }

void AttentionCall::run() {
  shape.q = rows_of(q);
  shape.k = rows_of(k);
  shape.v = rows_of(v);
  shape.y = rows_of(y);
  const Device& device = q.device();
  const DType type = element();
  shape.f32_rows = q.dtype() != type ? 1 : 0;
  AttentionKernel kernel = AttentionKernel::of(device, shape, type, k.dtype());
  const auto fits = [&](const Tensor& x) { return is_in_packs(x, shape.width, type); };
  if (kernel.plan.form == AttentionForm::mma && !(fits(q) && fits(k) && fits(v) && fits(y))) {
    if (is_worth_a_copy()) return run_in_packs();
    kernel = AttentionKernel::of(device, shape, type, k.dtype(), false);
  }
  if (shape.f32_rows && !kernel.takes_f32_rows()) return run_rounded();
  DeviceState& state = state_of(device);
  shape.splits = kernel.plan.splits;
  shape.tiles = kernel.plan.tiles;
  Tensor partials;
  if (shape.splits > 1) {
    const Checked floats =
        Checked(shape.batch) * shape.heads * shape.queries * shape.splits * (2 + std::int64_t{shape.width});
    if (!(floats * 4).fits())
      invalid(formatted("{}: partial results of {} splits of the keys have more than 2^63 - 1 bytes",
                        attention_name, shape.splits));
    partials = Tensor::empty(device, {floats.value_or(0)}, DType::f32, stream);
  }
  if (query_lengths || key_lengths || block_table) {
    const IndexFaults::Call faults(state.index_faults(), *state.fault_queue(stream));
    launch(device, kernel.id, kernel.plan.shape,
           arguments(partials, faults.record(), faults.number(0),
                     &reported_as(query_lengths, key_lengths, block_table)),
           stream);
  } else {
    launch(device, kernel.id, kernel.plan.shape, arguments(partials, nullptr, 0, nullptr), stream);
  }
  if (partials) combine(partials);
}

/// A paged cache may be much larger than the part this call reads.
bool AttentionCall::is_worth_a_copy() const {
  return shape.page_count / 2 <= std::uint64_t{shape.batch} * shape.pages_each;
}

void AttentionCall::run_in_packs() {
  const auto pack = pack_bytes / static_cast<std::int64_t>(size_of(k.dtype()));
  const std::int64_t width = (shape.width + pack - 1) / pack * pack;
  AttentionCall other = *this;
  const DType type = element();
  other.q = in_packs(q, width, type, stream);
  other.k = in_packs(k, width, type, stream);
  other.v = in_packs(v, width, type, stream);
  const bool fits = is_in_packs(y, width, type);
  if (!fits) other.y = Tensor::empty(y.device(), with_width(y, width), y.dtype(), stream);
  other.shape.width = static_cast<unsigned>(width);
  other.run();
  if (!fits) copy_into(y, other.y.narrow(3, 0, shape.width), stream);
}

void AttentionCall::run_rounded() {
  AttentionCall other = *this;
  other.q = to_dtype(q, k.dtype(), {.stream = stream});
  other.y = Tensor::empty(y.device(), y.shape(), k.dtype(), stream);
  other.run();
  copy_into(y, to_dtype(other.y, y.dtype(), {.stream = stream}), stream);
}

void AttentionCall::combine(const Tensor& partials) const {
  const DType type = y.dtype();
  const Operation operation = Operation::builtin(q.device(), Builtin::attention);
  const Arguments arguments =
      Arguments().add(partials.data()).add(address(sinks)).add(y.data()).add(address(log_sum_exp)).add(shape);
  launch(q.device(), operation.kernel({&type, 1}, operation.form("combine")),
         attention_combine_grid(y.elements(), shape.splits, traits_of(q.device())), arguments, stream);
}

}  // namespace kernelgen
