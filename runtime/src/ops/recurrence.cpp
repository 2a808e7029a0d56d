#include "kernelgen/ops/recurrence.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/format.hpp"
#include "device/index_faults.hpp"
#include "kernelgen/ops/elementwise.hpp"
#include "kernelgen/ops/index.hpp"
#include "ops/index.hpp"
#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/output.hpp"
#include "ops/traits.hpp"
#include "plan/recurrence_plan.hpp"

namespace kernelgen {
namespace {

constexpr char name[] = "linear_recurrence";
constexpr IndexOperation operation_of_faults{name};

void check_shape(std::string_view role, const Tensor& x, const Shape& wanted, bool may_be_one = false) {
  Shape one = wanted;
  one[one.size() - 1] = 1;
  const bool fits = x.shape() == wanted || (may_be_one && x.shape() == one);
  if (x.dtype() != DType::f32 || !fits)
    invalid(formatted("{}: {} is {} {}; it has to be f32 {}{}", name, role, name_of(x.dtype()),
                      x.shape().to_string(), wanted.to_string(),
                      may_be_one ? formatted(" or {}", one.to_string()) : ""));
}

/// Vectors [B, T, G, n] of which tokens, also those of different sequences, are at one distance, for `heads` heads.
struct TokenOperand {
  TokenOperand(const Tensor* x, std::int64_t heads, bool tile_heads, const Stream& stream) {
    if (x == nullptr) return;
    const Layout& given = x->layout();
    const bool is_uniform = given.shape[0] == 1 || given.strides[0] == given.shape[1] * given.strides[1];
    const bool is_together = given.shape[3] == 1 || given.strides[3] == 1;
    tensor = is_uniform && is_together ? *x : copy(*x, {.stream = stream});
    const Layout& of = tensor.layout();
    const std::int64_t own = of.shape[2], step = of.strides[2];
    vectors.token = of.strides[1];
    vectors.step = of.shape[3] == 1 ? 0 : 1;
    if (own == heads) {
      vectors.head = step;
    } else if (own > 1) {
      vectors.heads = static_cast<unsigned>(tile_heads ? own : heads / own);
      (tile_heads ? vectors.head : vectors.group) = step;
    }
  }

  const void* data() const { return tensor ? tensor.data() : nullptr; }
  bool is_of_all_heads() const { return vectors.head == 0 && vectors.group == 0; }
  /// Whether all vectors consist of aligned packs of 4 elements.
  bool is_in_packs() const {
    return is_aligned(data()) && ((vectors.token | vectors.head | vectors.group) & 3) == 0;
  }

  Tensor tensor;
  kg::RecurrenceVectors vectors{};
};

Tensor contiguous_or_none(const Tensor* x, const Stream& stream) {
  return x == nullptr ? Tensor() : make_contiguous(*x, stream);
}

/// Whether a matrix of states is contiguous, or would be with its rows and columns exchanged.
bool are_states(const Tensor& x) {
  return x.layout().is_contiguous() || x.transpose(2, 3).layout().is_contiguous();
}

/// Shape of q or k: [B, T, G, K] with any G of which the heads are a multiple.
Shape shape_with_own_heads(const Tensor& x, const Shape& v, std::int64_t width) {
  const std::int64_t own = x.shape().size() == 4 ? x.shape()[2] : 0;
  return {v[0], v[1], own > 0 && v[2] % own == 0 ? own : v[2], width};
}

void check_options(const Shape& tokens, const Tensor& state, const RecurrenceOptions& options) {
  const Shape& states = state.shape();
  if (options.decay != nullptr) check_shape("decay", *options.decay, tokens, true);
  if (options.rates != nullptr) check_shape("rates", *options.rates, {tokens[2], tokens[3]}, true);
  if (options.rates != nullptr && options.decay == nullptr)
    invalid(formatted("{}: there are rates without a decay; they are factors of it", name));
  if ((options.removal == nullptr) != (options.insertion == nullptr))
    invalid(formatted("{}: there is a removal or an insertion; they have to be given together", name));
  if (options.removal != nullptr) check_shape("removal", *options.removal, tokens);
  if (options.insertion != nullptr) check_shape("insertion", *options.insertion, tokens);
  if (options.bonus != nullptr) check_shape("bonus", *options.bonus, {tokens[2], tokens[3]});
  if (options.delta != nullptr) check_shape("delta", *options.delta, {tokens[0], tokens[1], tokens[2], 1});
  if (options.delta != nullptr && (options.bonus != nullptr || options.removal != nullptr))
    invalid(formatted("{}: there are a delta and a {}; the delta rule has none", name,
                      options.bonus != nullptr ? "bonus" : "removal"));
  if (options.discretize &&
      (options.rates == nullptr || options.decay == nullptr || options.decay->shape()[3] != 1))
    invalid(formatted("{}: discretize is set; it needs rates and a decay of {}", name,
                      Shape{tokens[0], tokens[1], tokens[2], 1}.to_string()));
  if (options.before_ids != nullptr) {
    check_ids(name, *options.before_ids);
    if (options.before == nullptr || options.before_ids->shape() != Shape{states[0]})
      invalid(formatted("{}: before_ids are {}; they have to be {}, with a before", name,
                        options.before_ids->shape().to_string(), Shape{states[0]}.to_string()));
  }
  if (options.before != nullptr) {
    Shape wanted = states;
    const Tensor& before = *options.before;
    if (options.before_ids != nullptr && before.shape().size() == 4) wanted[0] = before.shape()[0];
    check_shape("before", before, wanted);
    const bool is_alike = state.layout().is_contiguous() ? before.layout().is_contiguous()
                                                         : before.transpose(2, 3).layout().is_contiguous();
    if (!is_alike)
      invalid(formatted("{}: before is {}; it has to be in memory as state, {}", name,
                        before.layout().to_string(), state.layout().to_string()));
  }
  if (!std::isfinite(options.scale))
    invalid(formatted("{}: scale is {}; it has to be finite", name, options.scale));
}

void check_shapes(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& state,
                  const RecurrenceOptions& options) {
  const Shape& given = v.shape();
  if (q.shape().size() != 4 || given.size() != 4)
    invalid(formatted("{}: q is {}, v {}; they have to be [B, T, H, K] and [B, T, H, V]", name,
                      q.shape().to_string(), given.to_string()));
  const std::int64_t width = q.shape()[3], rows = given[3];
  const Shape tokens{given[0], given[1], given[2], width};
  check_shape("q", q, shape_with_own_heads(q, given, width));
  check_shape("k", k, shape_with_own_heads(k, given, width));
  check_shape("v", v, given);
  check_shape("state", state, {tokens[0], tokens[2], rows, width});
  if (!are_states(state))
    invalid(formatted(
        "{}: state is {}; it has to be contiguous, or so with dims 2 and 3 exchanged, since it is written",
        name, state.layout().to_string()));
  check_options(tokens, state, options);
  constexpr std::int64_t most = 0x7fffffff;
  const bool is_small = width <= kg::recurrence_widest && rows <= most && tokens[0] <= most &&
                        tokens[1] <= most && tokens[2] <= most && tokens[2] * rows <= most &&
                        tokens[0] * (tokens[2] * rows) <= most;
  if (!is_small)
    invalid(formatted("{}: q is {}, v {}; K may be {} at most, B · H · V and T 2^31 - 1", name,
                      q.shape().to_string(), given.to_string(), kg::recurrence_widest));
}

/// The operands of a call, laid out as the kernels want them.
struct Recurrence {
  Recurrence(const Tensor& q_, const Tensor& k_, const Tensor& v_, const Tensor& state_,
             const RecurrenceOptions& options, const Tensor& y_)
      : heads(v_.shape()[2]),
        q(&q_, heads, options.tile_heads, options.stream),
        k(&k_, heads, options.tile_heads, options.stream),
        v(&v_, heads, false, options.stream),
        decay(options.decay, heads, false, options.stream),
        removal(options.removal, heads, false, options.stream),
        // Without a removal, the kernel takes it for delta.
        insertion(options.delta != nullptr ? options.delta : options.insertion, heads, false, options.stream),
        rates(contiguous_or_none(options.rates, options.stream)),
        bonus(contiguous_or_none(options.bonus, options.stream)),
        ids(contiguous_or_none(options.before_ids, options.stream)),
        before(options.before != nullptr ? *options.before : state_),
        state(state_),
        y(y_) {
    const std::int64_t rows = v_.shape()[3], width = q_.shape()[3];
    const bool has_decay_vector = decay.tensor && decay.vectors.step != 0;
    const bool is_of_all_heads =
        q.is_of_all_heads() && k.is_of_all_heads() && !has_decay_vector && !removal.tensor && !bonus;
    problem = {v_.shape()[0],
               v_.shape()[1],
               heads,
               rows,
               width,
               is_of_all_heads ? heads * rows : rows,
               2 + (has_decay_vector ? 1 : 0) + (removal.tensor ? 2 : 0)};
    const bool has_packs = width % 4 == 0;
    bool are_in_packs = has_packs && q.is_in_packs() && k.is_in_packs();
    if (has_decay_vector) are_in_packs = are_in_packs && decay.is_in_packs();
    if (removal.tensor) are_in_packs = are_in_packs && removal.is_in_packs() && insertion.is_in_packs();
    const bool is_contiguous = state.layout().is_contiguous();
    const bool are_aligned = is_aligned(state.data()) && is_aligned(before.data());
    shape = {.sequences = static_cast<unsigned>(problem.sequences),
             .tokens = static_cast<unsigned>(problem.tokens),
             .heads = static_cast<unsigned>(heads),
             .rows = static_cast<unsigned>(rows),
             .width = static_cast<unsigned>(width),
             .group = 1,
             .tile_tokens = 1,
             .span = static_cast<unsigned>(problem.span),
             .vector_packs = are_in_packs,
             .state_packs = has_packs && is_contiguous && are_aligned,
             .rate_step = rates && rates.shape()[1] > 1,
             .discretize = options.discretize,
             .id_type = ids ? static_cast<unsigned>(ids.dtype()) : 0,
             .scale = static_cast<float>(options.scale),
             .row_step = is_contiguous ? width : 1,
             .element_step = is_contiguous ? 1 : rows,
             .states = static_cast<unsigned long long>(before.shape()[0]),
             .q = q.vectors,
             .k = k.vectors,
             .v = v.vectors,
             .decay = decay.vectors,
             .a = removal.vectors,
             .b = insertion.vectors};
  }

  void add_to(Arguments& arguments) const {
    for (const TokenOperand* operand : {&q, &k, &v, &decay, &removal, &insertion})
      arguments.add(operand->data());
    for (const Tensor* operand : {&rates, &bonus, &ids})
      arguments.add(*operand ? static_cast<const void*>(operand->data()) : nullptr);
    arguments.add(before.data()).add(state.data()).add(y.data());
  }

  std::int64_t heads;
  TokenOperand q, k, v, decay, removal, insertion;
  Tensor rates, bonus, ids, before, state, y;
  RecurrenceProblem problem;
  kg::RecurrenceShape shape;
};

}  // namespace

Tensor linear_recurrence(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& state,
                         const RecurrenceOptions& options) {
  std::vector<const Tensor*> read{&q, &k, &v};
  for (const Tensor* input : {options.decay, options.rates, options.removal, options.insertion, options.bonus,
                              options.delta, options.before_ids})
    if (input != nullptr) read.push_back(input);
  const bool is_apart =
      options.before != nullptr && (options.before_ids != nullptr || options.before->data() != state.data());
  if (is_apart) read.push_back(options.before);
  std::vector<const Tensor*> inputs = read;
  inputs.push_back(&state);
  check_inputs(name, inputs);
  check_shapes(q, k, v, state, options);
  check_apart(name, "state", state, read);
  const Stream& stream = options.stream;
  const Device& device = q.device();
  const Operation operation = Operation::builtin(device, Builtin::linear_recurrence);
  constexpr DType type = DType::f32;
  operation.kernel({&type, 1}, operation.form("rows"));  // throws before the output is allocated
  const Tensor out = output(name, device, v.shape(), type, {stream, options.out}, inputs);
  const Tensor* const written = &state;
  use_operands(stream, read, {&written, 1});
  if (out.elements() == 0) {
    if (options.before_ids != nullptr)
      copy_into(state, index_select(*options.before, 0, *options.before_ids, {.stream = stream}), stream);
    else if (is_apart)
      copy_into(state, *options.before, stream);
    return out;
  }

  RecurrenceOptions used = options;
  Tensor step, values;
  if (options.discretize && device.kind() == DeviceKind::cpu) {
    // A thread would compute the step of each token again for each row.
    step = softplus(*options.decay, {.stream = stream});
    values = mul(v, step, {.stream = stream});
    used.decay = &step;
    used.discretize = false;
  }
  Recurrence call(q, k, values ? values : v, state, used, out);
  const RecurrencePlan plan = plan_recurrence(call.problem, traits_of(device));
  call.shape.group = plan.group;
  call.shape.tile_tokens = plan.tile_tokens;
  const std::uint32_t kernel = operation.kernel(
      {&type, 1}, operation.form(plan.tile_width == 0 ? "rows" : formatted("tiles_{}", plan.tile_width)));
  Arguments arguments;
  call.add_to(arguments);
  if (!call.ids) {
    arguments.add(nullptr).add(std::uint64_t{0}).add(std::uint64_t{0}).add(call.shape);
    launch(device, kernel, plan.shape, arguments, stream);
    return out;
  }
  DeviceState& of_device = state_of(device);
  const IndexFaults::Call faults(of_device.index_faults(), *of_device.fault_queue(stream));
  arguments.add(faults.record()).add(faults.number(0)).add(&operation_of_faults).add(call.shape);
  launch(device, kernel, plan.shape, arguments, stream);
  return out;
}

}  // namespace kernelgen
