#include "kernelgen/ops/attention.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "common/format.hpp"
#include "device/device_state.hpp"
#include "ops/attention_form.hpp"
#include "ops/grid.hpp"
#include "ops/index.hpp"
#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/output.hpp"
#include "tensor/checked.hpp"

namespace kernelgen {
namespace {

constexpr std::string_view name = "attention";
constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();

/// An operand of a call, as messages call it.
struct Named {
  std::string_view name;
  const Tensor* tensor;  ///< null where it was not given
};

/// q's dims and what follows from those of k.
struct Extents {
  std::int64_t batch, heads, queries, width;
  std::int64_t kv_heads, keys;
  std::int64_t page_rows = 0, pages_each = 0, page_count = 0;  ///< 0 where k and v are no pages
};

[[noreturn]] void refuse_shape(const Named& operand, std::string_view wanted) {
  invalid(formatted("{}: {} is {}; it has to be {}", name, operand.name, operand.tensor->shape().to_string(),
                    wanted));
}

void check_dtype(const Named& operand, DType dtype) {
  if (operand.tensor->dtype() != dtype)
    invalid(formatted("{}: {} is {}; it has to be {}", name, operand.name, name_of(operand.tensor->dtype()),
                      name_of(dtype)));
}

void check_extent(std::string_view what, Checked extent) {
  if (extent.value_or(-1) < 0 || extent.value_or(-1) > most)
    invalid(formatted("{}: {} are {}; there may be {}", name, what,
                      extent.fits() ? formatted("{}", extent.value_or(0)) : "more than 2^63 - 1", most));
}

/// k and v: q's dtype or both f8e4m3.
void check_dtypes(const Tensor& q, const Tensor& k, const Tensor& v) {
  if (k.dtype() == v.dtype() && (k.dtype() == q.dtype() || k.dtype() == DType::f8e4m3)) return;
  invalid(formatted("{}: q is {}, k {}, v {}; k and v have to be of q's dtype, or both f8e4m3", name,
                    name_of(q.dtype()), name_of(k.dtype()), name_of(v.dtype())));
}

Extents extents_of(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions& options) {
  const Shape &queries = q.shape(), &keys = k.shape();
  const bool has_pages = options.pages != nullptr;
  if (queries.size() != 4) refuse_shape({"q", &q}, "[batch, heads, queries, d]");
  Extents extents{queries[0], queries[1], queries[2], queries[3], 0, 0};
  const std::string wanted = has_pages ? formatted("[pages, heads of k, rows of a page, {}] for q {}",
                                                   extents.width, queries.to_string())
                                       : formatted("[{}, heads of k, keys, {}] for q {}", extents.batch,
                                                   extents.width, queries.to_string());
  if (keys.size() != 4 || keys[3] != extents.width || (!has_pages && keys[0] != extents.batch))
    refuse_shape({"k", &k}, wanted);
  if (!(v.shape() == keys))
    invalid(formatted("{}: v is {}, k {}; they must have one shape", name, v.shape().to_string(),
                      keys.to_string()));
  if (extents.width < 1 || extents.width > kg::attention_widest)
    invalid(formatted("{}: q is {}; its last dim has to be 1 to {}", name, queries.to_string(),
                      kg::attention_widest));
  extents.kv_heads = keys[1];
  if (extents.heads != 0 && (extents.kv_heads == 0 || extents.heads % extents.kv_heads != 0))
    invalid(formatted("{}: q has {} heads, k {}; those of q have to be a multiple of those of k", name,
                      extents.heads, extents.kv_heads));
  extents.keys = keys[2];
  if (has_pages) {
    const Named pages{"pages", options.pages};
    const Shape& table = options.pages->shape();
    if (table.size() != 2 || table[0] != extents.batch)
      refuse_shape(pages, formatted("[{}, pages each]", extents.batch));
    extents.page_rows = keys[2];
    extents.pages_each = table[1];
    extents.page_count = keys[0];
    check_extent("entries of a sequence in pages", extents.pages_each);
    check_extent("pages of the cache", extents.page_count);
    const Checked all = Checked(extents.pages_each) * extents.page_rows;
    check_extent("keys of a sequence, pages each times rows of a page,", all);
    extents.keys = all.value_or(0);
  }
  check_extent("sequences", extents.batch);
  check_extent("keys of a sequence", extents.keys);
  if (extents.heads != 0)
    check_extent("rows of q that share a head of k",
                 Checked(extents.heads / extents.kv_heads) * extents.queries);
  check_extent("heads of q", extents.heads);
  return extents;
}

/// f32, of one of the shapes.
void check_numbers(const Named& operand, std::initializer_list<Shape> shapes, std::string_view wanted) {
  if (!operand.tensor) return;
  check_dtype(operand, DType::f32);
  for (const Shape& shape : shapes)
    if (operand.tensor->shape() == shape) return;
  refuse_shape(operand, wanted);
}

void check_lengths(const Named& operand, std::int64_t batch) {
  if (!operand.tensor) return;
  check_ids(formatted("{}: {}", name, operand.name), *operand.tensor);
  if (!(operand.tensor->shape() == Shape{batch})) refuse_shape(operand, formatted("[{}]", batch));
}

/// Keys that may be seen to one side.
int side_of(std::string_view what, std::optional<std::int64_t> keys) {
  if (!keys) return static_cast<int>(most);
  if (*keys < 0)
    invalid(formatted("{}: {} is {}; it has to be 0 or more, or be left out", name, what, *keys));
  return static_cast<int>(std::min(*keys, most));
}

float number(std::string_view what, double value) {
  const auto narrow = static_cast<float>(value);
  if (!std::isfinite(narrow))
    invalid(formatted("{}: {} is {}; it has to be finite in f32", name, what, value));
  return narrow;
}

kg::AttentionRows rows_of(const Tensor& x) {
  const Dims& strides = x.layout().strides;
  return {strides[0], strides[1], strides[2]};
}

/// x, or a copy whose rows have their elements side by side.
Tensor with_rows(const Tensor& x, const Stream& stream) {
  return x.shape()[3] == 1 || x.layout().strides[3] == 1 || x.elements() == 0 ? x
                                                                              : copy(x, {.stream = stream});
}

/// Integers as kernels read them, 32 bits each and contiguous; null for none. What i32 cannot hold becomes what is
/// nearest.
Tensor read_ids(const Tensor* ids, const Stream& stream) {
  if (!ids) return {};
  const CallOptions options{.stream = stream};
  switch (ids->dtype()) {
    case DType::u32:
    case DType::i32:
      return make_contiguous(*ids, stream);
    case DType::i64:
      // Integers give up their high bits to narrower ones; floats do not.
      return to_dtype(to_dtype(*ids, DType::f64, options), DType::i32, options);
    default:
      return to_dtype(*ids, DType::i32, options);
  }
}

const void* address(const Tensor& tensor) { return tensor ? tensor.data() : nullptr; }

/// What bad lengths and pages are reported with, for each set of these that are signed: u32 is none.
const IndexOperation& reported_as(const Tensor& query_lengths, const Tensor& key_lengths,
                                  const Tensor& pages) {
  static constexpr auto all = [] {
    std::array<IndexOperation, 8> operations{};
    for (unsigned i = 0; i < operations.size(); ++i)
      operations[i] = {name.data(), {"query_lengths", "key_lengths", "pages"}, i};
    return operations;
  }();
  unsigned is_signed = 0, bit = 1;
  for (const Tensor* ids : {&query_lengths, &key_lengths, &pages}) {
    if (*ids && ids->dtype() == DType::i32) is_signed |= bit;
    bit *= 2;
  }
  return all[is_signed];
}

/// Whether no two elements of a layout share memory, as far as its strides tell: each dim steps over all that those with
/// shorter steps reach.
bool is_spread(const Layout& layout) {
  const auto step = [&](std::size_t d) { return std::abs(layout.strides[d]); };
  for (std::size_t d = 0; d < layout.rank(); ++d) {
    if (layout.shape[d] == 1) continue;
    std::int64_t reached = 0;
    for (std::size_t inner = 0; inner < layout.rank(); ++inner)
      if (step(inner) < step(d) || (step(inner) == step(d) && inner > d))
        reached += (layout.shape[inner] - 1) * step(inner);
    if (step(d) <= reached) return false;
  }
  return true;
}

/// options.out, checked, or a new tensor.
Tensor result_of(const Tensor& q, const AttentionOptions& options, Inputs inputs) {
  if (!options.out) return Tensor::empty(q.device(), q.shape(), q.dtype(), options.stream);
  const Tensor& out = *options.out;
  const bool has_rows = out.layout().rank() == 4 && (out.shape()[3] == 1 || out.layout().strides[3] == 1);
  if (out.dtype() != q.dtype() || !(out.shape() == q.shape()) ||
      (out.elements() > 0 && !(has_rows && is_spread(out.layout()))))
    invalid(formatted(
        "{}: out is {} {}; it has to be {} {}, without overlap, and with a stride of 1 in its last dim", name,
        name_of(out.dtype()), out.layout().to_string(), name_of(q.dtype()), q.shape().to_string()));
  check_apart(name, "out", out, inputs);
  return out;
}

Tensor log_sums_of(const Tensor& q, const Tensor& y, const AttentionOptions& options, Inputs inputs) {
  const Shape shape{q.shape()[0], q.shape()[1], q.shape()[2]};
  if (!options.log_sum_exp)
    return options.want_log_sum_exp ? Tensor::empty(q.device(), shape, DType::f32, options.stream) : Tensor();
  const Tensor& out = *options.log_sum_exp;
  if (out.dtype() != DType::f32 || !(out.shape() == shape) || !out.layout().is_contiguous())
    invalid(formatted("{}: log_sum_exp is {} {}; it has to be f32 {}, contiguous", name, name_of(out.dtype()),
                      out.layout().to_string(), shape.to_string()));
  check_apart(name, "log_sum_exp", out, inputs);
  const Tensor* const result = &y;
  check_apart(name, "log_sum_exp", out, {&result, 1});
  return out;
}

/// Operands as the kernels take them.
struct Call {
  Tensor q, k, v, y, log_sums;
  Tensor mask, slopes, sinks, query_lengths, key_lengths, pages;  ///< null where there are none
  kg::AttentionShape shape;
  const Stream& stream;

  void run();
  Arguments arguments(const Tensor& partials, void* fault, std::uint64_t number,
                      const IndexOperation* operation) const;
  void combine(const Tensor& partials) const;
};

Arguments Call::arguments(const Tensor& partials, void* fault, std::uint64_t number,
                          const IndexOperation* operation) const {
  Arguments arguments;
  for (const Tensor* tensor :
       {&q, &k, &v, &y, &log_sums, &partials, &mask, &slopes, &sinks, &query_lengths, &key_lengths, &pages})
    arguments.add(address(*tensor));
  return arguments.add(shape).add(fault).add(number).add(operation);
}

void Call::run() {
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
      invalid(formatted("{}: partial results of {} splits of the keys have more than 2^63 - 1 bytes", name,
                        shape.splits));
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

void Call::combine(const Tensor& partials) const {
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

/// Strides of what is broadcast to a shape.
template <std::size_t N>
void set_strides(long long (&strides)[N], const Tensor& x, const Shape& shape) {
  const Layout spread = x.layout().broadcast_to(shape);
  for (std::size_t d = 0; d < N; ++d) strides[d] = spread.strides[d];
}

void check_mask(const Tensor* mask, DType type, const Shape& logits) {
  if (!mask) return;
  check_dtype({"mask", mask}, type);
  bool fits = mask->shape().size() <= logits.size();
  const std::size_t missing = logits.size() - std::min(mask->shape().size(), logits.size());
  for (std::size_t d = missing; fits && d < logits.size(); ++d)
    fits = mask->shape()[d - missing] == logits[d] || mask->shape()[d - missing] == 1;
  if (!fits) refuse_shape({"mask", mask}, formatted("{}, or to broadcast to it", logits.to_string()));
}

}  // namespace

Attended attention(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions& options) {
  const std::array<Named, 11> operands{{{"q", &q},
                                        {"k", &k},
                                        {"v", &v},
                                        {"mask", options.mask},
                                        {"slopes", options.slopes},
                                        {"sinks", options.sinks},
                                        {"query_lengths", options.query_lengths},
                                        {"key_lengths", options.key_lengths},
                                        {"pages", options.pages},
                                        {"out", options.out},
                                        {"log_sum_exp", options.log_sum_exp}}};
  for (const Named& operand : operands) {
    if (!operand.tensor) continue;
    if (!*operand.tensor) invalid(formatted("{}: {} is no tensor", name, operand.name));
    check_same_device(name, q.device(), operand.tensor->device());
  }
  const Device& device = q.device();
  check_stream(device, options.stream);
  const DType type = q.dtype();
  const Operation operation = Operation::builtin(device, Builtin::attention);
  operation.kernel({&type, 1}, operation.form("rows"));  // refuses other dtypes
  check_dtypes(q, k, v);
  const Extents extents = extents_of(q, k, v, options);
  const Shape logits{extents.batch, extents.heads, extents.queries, extents.keys};
  check_mask(options.mask, type, logits);
  check_numbers({"slopes", options.slopes}, {{extents.heads}, {extents.batch, extents.heads}},
                formatted("[{}] or [{}, {}]", extents.heads, extents.batch, extents.heads));
  check_numbers({"sinks", options.sinks}, {{extents.heads}}, formatted("[{}]", extents.heads));
  check_lengths({"query_lengths", options.query_lengths}, extents.batch);
  check_lengths({"key_lengths", options.key_lengths}, extents.batch);
  if (options.pages) check_ids(formatted("{}: pages", name), *options.pages);

  Call call{.q = q,
            .k = k,
            .v = v,
            .y = {},
            .log_sums = {},
            .mask = {},
            .slopes = {},
            .sinks = {},
            .query_lengths = {},
            .key_lengths = {},
            .pages = {},
            .shape = {},
            .stream = options.stream};
  kg::AttentionShape& shape = call.shape;
  shape.before = side_of("before", options.before);
  shape.after = side_of("after", options.after);
  if (options.causal) shape.after = 0;
  shape.scale = number("scale", options.scale.value_or(1.0 / std::sqrt(static_cast<double>(extents.width))));
  shape.soft_cap = number("soft_cap", options.soft_cap);
  if (shape.soft_cap < 0 || (shape.soft_cap == 0 && options.soft_cap != 0))
    invalid(
        formatted("{}: soft_cap is {}; it has to be a positive f32, or 0 for none", name, options.soft_cap));

  std::vector<const Tensor*> inputs;
  for (const Named& operand : std::span(operands).first(9))
    if (operand.tensor) inputs.push_back(operand.tensor);
  call.y = result_of(q, options, inputs);
  call.log_sums = log_sums_of(q, call.y, options, inputs);
  const Attended result{call.y, call.log_sums};
  if (call.y.elements() == 0) return result;

  shape.batch = static_cast<unsigned>(extents.batch);
  shape.heads = static_cast<unsigned>(extents.heads);
  shape.group = static_cast<unsigned>(extents.heads / extents.kv_heads);
  shape.queries = static_cast<unsigned>(extents.queries);
  shape.keys = static_cast<unsigned>(extents.keys);
  shape.width = static_cast<unsigned>(extents.width);
  shape.page_rows = static_cast<unsigned>(extents.page_rows);
  shape.pages_each = static_cast<unsigned>(extents.pages_each);
  shape.page_count = static_cast<unsigned>(extents.page_count);
  call.q = with_rows(q, options.stream);
  call.k = with_rows(k, options.stream);
  call.v = with_rows(v, options.stream);
  shape.q = rows_of(call.q);
  shape.k = rows_of(call.k);
  shape.v = rows_of(call.v);
  shape.y = rows_of(call.y);
  if (options.mask) {
    call.mask = *options.mask;
    set_strides(shape.mask, call.mask, logits);
  }
  if (options.slopes) {
    call.slopes = *options.slopes;
    set_strides(shape.slope, call.slopes, {extents.batch, extents.heads});
  }
  if (options.sinks) call.sinks = make_contiguous(*options.sinks, options.stream);
  call.query_lengths = read_ids(options.query_lengths, options.stream);
  call.key_lengths = read_ids(options.key_lengths, options.stream);
  call.pages = read_ids(options.pages, options.stream);
  call.run();
  return result;
}

}  // namespace kernelgen
