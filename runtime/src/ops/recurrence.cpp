#include "kernelgen/ops/recurrence.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/format.hpp"
#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/output.hpp"
#include "ops/traits.hpp"
#include "plan/recurrence_plan.hpp"

namespace kernelgen {
namespace {

constexpr std::string_view name = "linear_recurrence";

void check_shape(std::string_view role, const Tensor& x, const Shape& wanted, bool may_be_one = false) {
  Shape one = wanted;
  one[one.size() - 1] = 1;
  const bool fits = x.shape() == wanted || (may_be_one && x.shape() == one);
  if (x.dtype() != DType::f32 || !fits)
    invalid(formatted("{}: {} is {} {}; it has to be f32 {}{}", name, role, name_of(x.dtype()),
                      x.shape().to_string(), wanted.to_string(),
                      may_be_one ? formatted(" or {}", one.to_string()) : ""));
}

/// Vectors [B, T, H, n] of which tokens, also those of different sequences, are at one distance.
struct TokenOperand {
  TokenOperand(const Tensor* x, const Stream& stream) {
    if (x == nullptr) return;
    const Layout& given = x->layout();
    const bool is_uniform = given.shape[0] == 1 || given.strides[0] == given.shape[1] * given.strides[1];
    const bool is_together = given.shape[3] == 1 || given.strides[3] == 1;
    tensor = is_uniform && is_together ? *x : copy(*x, {.stream = stream});
    step = given.shape[3] == 1 ? 0 : 1;
  }

  const void* data() const { return tensor ? tensor.data() : nullptr; }
  std::int64_t token() const { return tensor ? tensor.layout().strides[1] : 0; }
  std::int64_t head() const { return tensor ? tensor.layout().strides[2] : 0; }

  Tensor tensor;
  std::uint32_t step = 0;
};

Tensor contiguous_or_none(const Tensor* x, const Stream& stream) {
  return x == nullptr ? Tensor() : make_contiguous(*x, stream);
}

void check_shapes(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& state,
                  const RecurrenceOptions& options) {
  const Shape& tokens = q.shape();
  if (tokens.size() != 4 || v.shape().size() != 4)
    invalid(formatted("{}: q is {}, v {}; they have to be [B, T, H, K] and [B, T, H, V]", name,
                      tokens.to_string(), v.shape().to_string()));
  const std::int64_t width = tokens[3], rows = v.shape()[3];
  check_shape("q", q, tokens);
  check_shape("k", k, tokens);
  check_shape("v", v, {tokens[0], tokens[1], tokens[2], rows});
  check_shape("state", state, {tokens[0], tokens[2], rows, width});
  if (!state.layout().is_contiguous())
    invalid(formatted("{}: state is {}; it has to be contiguous, since it is written", name,
                      state.layout().to_string()));
  if (options.decay != nullptr) check_shape("decay", *options.decay, tokens, true);
  if (options.rates != nullptr) check_shape("rates", *options.rates, {tokens[2], width}, true);
  if (options.rates != nullptr && options.decay == nullptr)
    invalid(formatted("{}: there are rates without a decay; they are factors of it", name));
  if ((options.removal == nullptr) != (options.insertion == nullptr))
    invalid(formatted("{}: there is a removal or an insertion; they have to be given together", name));
  if (options.removal != nullptr) check_shape("removal", *options.removal, tokens);
  if (options.insertion != nullptr) check_shape("insertion", *options.insertion, tokens);
  if (options.bonus != nullptr) check_shape("bonus", *options.bonus, {tokens[2], width});
  if (options.delta != nullptr) check_shape("delta", *options.delta, {tokens[0], tokens[1], tokens[2], 1});
  if (options.delta != nullptr && (options.bonus != nullptr || options.removal != nullptr))
    invalid(formatted("{}: there are a delta and a {}; the delta rule has none", name,
                      options.bonus != nullptr ? "bonus" : "removal"));
  if (options.before != nullptr) {
    check_shape("before", *options.before, state.shape());
    if (!options.before->layout().is_contiguous())
      invalid(formatted("{}: before is {}; it has to be contiguous, as state", name,
                        options.before->layout().to_string()));
  }
  constexpr std::int64_t most = 0x7fffffff;
  if (width > kg::recurrence_widest || rows > most || tokens[0] > most || tokens[1] > most ||
      tokens[2] > most)
    invalid(formatted("{}: q is {}, v {}; K may be {} at most, the others 2^31 - 1", name, tokens.to_string(),
                      v.shape().to_string(), kg::recurrence_widest));
  if (!std::isfinite(options.scale))
    invalid(formatted("{}: scale is {}; it has to be finite", name, options.scale));
}

}  // namespace

Tensor linear_recurrence(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& state,
                         const RecurrenceOptions& options) {
  std::vector<const Tensor*> read{&q, &k, &v};
  for (const Tensor* input :
       {options.decay, options.rates, options.removal, options.insertion, options.bonus, options.delta})
    if (input != nullptr) read.push_back(input);
  const bool is_apart = options.before != nullptr && options.before->data() != state.data();
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
  const std::uint32_t kernel = operation.kernel({&type, 1}, operation.form("rows"));
  const Tensor out = output(name, device, v.shape(), type, {stream, options.out}, inputs);
  const Tensor* const written = &state;
  use_operands(stream, read, {&written, 1});
  if (out.elements() == 0) {
    if (is_apart) copy_into(state, *options.before, stream);
    return out;
  }

  const TokenOperand of_q(&q, stream), of_k(&k, stream), of_v(&v, stream), decay(options.decay, stream),
      removal(options.removal, stream),
      // Without a removal, the kernel takes it for delta.
      insertion(options.delta != nullptr ? options.delta : options.insertion, stream);
  const Tensor rates = contiguous_or_none(options.rates, stream),
               bonus = contiguous_or_none(options.bonus, stream);
  const auto data_of = [](const Tensor& x) { return x ? x.data() : nullptr; };
  const Shape& shape = q.shape();
  const RecurrencePlan plan =
      plan_recurrence({shape[0], shape[1], shape[2], v.shape()[3], shape[3]}, traits_of(device));
  Arguments arguments;
  for (const TokenOperand* operand : {&of_q, &of_k, &of_v, &decay, &removal, &insertion})
    arguments.add(operand->data());
  arguments.add(data_of(rates)).add(data_of(bonus));
  arguments.add(is_apart ? options.before->data() : state.data()).add(state.data()).add(out.data());
  for (const TokenOperand* operand : {&of_q, &of_k, &of_v, &decay, &removal, &insertion})
    arguments.add(operand->token()).add(operand->head());
  arguments.add(decay.step).add(static_cast<std::uint32_t>(rates && rates.shape()[1] > 1));
  for (const std::int64_t extent : {shape[0], shape[1], shape[2], v.shape()[3], shape[3]})
    arguments.add(static_cast<std::uint32_t>(extent));
  arguments.add(static_cast<float>(options.scale)).add(plan.group);
  launch(device, kernel, plan.shape, arguments, stream);
  return out;
}

}  // namespace kernelgen
