// linear_recurrence: with each of its operands and without, over layouts and widths on both sides of a group's.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "environment.hpp"
#include "expect.hpp"
#include "inputs.hpp"
#include "layouts.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

struct Case {
  std::int64_t sequences, tokens, heads, rows, width;
  Kind kind = Kind::contiguous;
  bool has_decay = true, is_one_decay = false, has_rates = false, is_one_rate = false, has_removal = false,
       has_bonus = false, has_delta = false, is_apart = false;
};

/// Numbers from low to high.
Elements numbers(Real low, Real high, std::uint64_t stream) {
  std::vector<Real> values;
  for (std::uint64_t i = 0; i < 4001; ++i)
    values.push_back(low + (high - low) *
                               std::ldexp(static_cast<Real>(random_bits(stream * 10007 + i) >> 11), -53));
  return reference::make_elements(DType::f32, values);
}

/// The recurrence in long double, and bounds of the errors of f32: of a state's element, its magnitude without any
/// cancellation times a few roundings for each token.
struct Expected {
  Approximation y, state;
};

struct Operands {
  explicit Operands(const Case& c)
      : q(input(c, {c.sequences, c.tokens, c.heads, c.width}, -1, 1, 1)),
        k(input(c, {c.sequences, c.tokens, c.heads, c.width}, -1, 1, 2)),
        v(input(c, {c.sequences, c.tokens, c.heads, c.rows}, -1, 1, 3)),
        decay(input(c, {c.sequences, c.tokens, c.heads, c.is_one_decay ? 1 : c.width}, c.has_rates ? 0 : 0.5,
                    1, 4)),
        rates(input(c, {c.heads, c.is_one_rate ? 1 : c.width}, -2, 0, 5)),
        removal(input(c, {c.sequences, c.tokens, c.heads, c.width}, -0.1, 0.1, 6)),
        insertion(input(c, {c.sequences, c.tokens, c.heads, c.width}, -1, 1, 7)),
        bonus(input(c, {c.heads, c.width}, -1, 1, 8)),
        delta(input(c, {c.sequences, c.tokens, c.heads, 1}, 0, 0.05, 10)),
        state(make_input(Kind::contiguous, {c.sequences, c.heads, c.rows, c.width}, numbers(-1, 1, 9))) {}

  static Input input(const Case& c, const Shape& shape, Real low, Real high, std::uint64_t stream) {
    return make_input(c.kind, shape, numbers(low, high, stream));
  }

  RecurrenceOptions options(const Case& c, const CallOptions& call) const {
    RecurrenceOptions all{.stream = call.stream, .out = call.out, .scale = 0.5};
    if (c.has_decay) all.decay = &decay.tensor;
    if (c.has_rates) all.rates = &rates.tensor;
    if (c.has_removal) all.removal = &removal.tensor;
    if (c.has_removal) all.insertion = &insertion.tensor;
    if (c.has_bonus) all.bonus = &bonus.tensor;
    if (c.has_delta) all.delta = &delta.tensor;
    if (c.is_apart) all.before = &state.tensor;
    return all;
  }

  Input q, k, v, decay, rates, removal, insertion, bonus, delta, state;
};

Expected recur(const Case& c, const Operands& in) {
  Expected expected;
  const Real u = 0x1p-24L;
  const std::int64_t of_token = (c.width / 16 + 12) * (c.has_delta ? 2 : 1);
  const std::int64_t outputs = c.sequences * c.tokens * c.heads * c.rows;
  expected.y.value.resize(static_cast<std::size_t>(outputs));
  expected.y.error.resize(static_cast<std::size_t>(outputs));
  for (std::int64_t row = 0; row < c.sequences * c.heads * c.rows; ++row) {
    const std::int64_t head = row / c.rows % c.heads, sequence = row / c.rows / c.heads;
    std::vector<Real> s, size;
    for (std::int64_t i = 0; i < c.width; ++i) s.push_back(real_at(in.state.elements, row * c.width + i));
    for (const Real x : s) size.push_back(std::fabs(x));
    for (std::int64_t t = 0; t < c.tokens; ++t) {
      const std::int64_t vector = (sequence * c.tokens + t) * c.heads + head;
      const auto at = [&](const Input& x, std::int64_t i) {
        return real_at(x.elements, vector * c.width + i);
      };
      Real value = real_at(in.v.elements, vector * c.rows + row % c.rows), value_size = std::fabs(value);
      Real removed = 0, removed_size = 0, sum = 0, sum_size = 0;
      for (std::int64_t i = 0; i < c.width; ++i) {
        const auto n = static_cast<std::size_t>(i);
        removed += s[n] * at(in.removal, i);
        removed_size += size[n] * std::fabs(at(in.removal, i));
        if (!c.has_bonus) continue;
        const Real extra = real_at(in.bonus.elements, head * c.width + i) * at(in.k, i) * value;
        sum += (s[n] + extra) * at(in.q, i);
        sum_size += (size[n] + std::fabs(extra)) * std::fabs(at(in.q, i));
      }
      Real seen = 0, seen_size = 0;
      for (std::int64_t i = 0; i < c.width; ++i) {
        const auto n = static_cast<std::size_t>(i);
        Real factor = real_at(in.decay.elements, c.is_one_decay ? vector : vector * c.width + i);
        if (c.has_rates)
          factor = std::exp(factor * real_at(in.rates.elements, c.is_one_rate ? head : head * c.width + i));
        if (!c.has_decay) factor = 1;
        s[n] = s[n] * factor + (c.has_removal ? removed * at(in.insertion, i) : 0);
        size[n] = size[n] * factor + (c.has_removal ? removed_size * std::fabs(at(in.insertion, i)) : 0);
        seen += s[n] * at(in.k, i);
        seen_size += size[n] * std::fabs(at(in.k, i));
      }
      if (c.has_delta) {
        const Real delta = real_at(in.delta.elements, vector);
        value = delta * (value - seen);
        value_size = std::fabs(delta) * (value_size + seen_size);
      }
      for (std::int64_t i = 0; i < c.width; ++i) {
        const auto n = static_cast<std::size_t>(i);
        s[n] += value * at(in.k, i);
        size[n] += value_size * std::fabs(at(in.k, i));
        if (c.has_bonus) continue;
        sum += s[n] * at(in.q, i);
        sum_size += size[n] * std::fabs(at(in.q, i));
      }
      const auto to = static_cast<std::size_t>(vector * c.rows + row % c.rows);
      const Real roundings = static_cast<Real>(c.width / 16 + 16 + of_token * (t + 1));
      expected.y.value[to] = sum / 2;
      expected.y.error[to] = u * roundings * sum_size;
    }
    const Real roundings = static_cast<Real>(of_token * c.tokens);
    for (std::size_t i = 0; i < s.size(); ++i) expected.state.add(s[i], u * roundings * size[i]);
  }
  return expected;
}

void check(const Case& c) {
  const Operands in(c);
  const Expected expected = recur(c, in);
  const Shape states{c.sequences, c.heads, c.rows, c.width};
  Elements got;
  const std::string what = "linear_recurrence of " + in.q.tensor.layout().to_string();
  expect_call(what, DType::f32, {c.sequences, c.tokens, c.heads, c.rows}, expected.y,
              [&](const CallOptions& options) {
                const Tensor state = c.is_apart ? Tensor::zeros(device(), states, DType::f32)
                                                : upload(in.state.elements).reshape(states);
                const Tensor y =
                    linear_recurrence(in.q.tensor, in.k.tensor, in.v.tensor, state, in.options(c, options));
                got = download(state);
                return y;
              });
  expect_within(what + ", states", got, expected.state.value, expected.state.error);
}

void test_linear_recurrence() {
  for (const std::int64_t width : {1, 5, 16, 64, 100, 256, 2048})
    check({.sequences = 2, .tokens = 3, .heads = 2, .rows = 5, .width = width});
  for (const Kind kind : strided_kinds)
    check(
        {.sequences = 2, .tokens = 4, .heads = 3, .rows = 7, .width = 24, .kind = kind, .has_removal = true});
  const Case plain{.sequences = 1, .tokens = 9, .heads = 2, .rows = 33, .width = 48};
  for (int choices = 0; choices < 64; ++choices) {
    Case c = plain;
    c.has_decay = (choices & 1) != 0;
    c.is_one_decay = (choices & 2) != 0;
    c.has_rates = c.has_decay && (choices & 4) != 0;
    c.is_one_rate = (choices & 8) != 0;
    c.has_removal = (choices & 16) != 0;
    c.has_bonus = (choices & 32) != 0;
    check(c);
    if (testing::Test::HasFailure()) return;
  }
  for (const Kind kind : strided_kinds)
    for (const bool is_apart : {false, true})
      check({.sequences = 2,
             .tokens = 5,
             .heads = 3,
             .rows = 9,
             .width = 40,
             .kind = kind,
             .is_one_decay = true,
             .has_delta = true,
             .is_apart = is_apart});
  check({.sequences = 3, .tokens = 70, .heads = 4, .rows = 64, .width = 64, .has_removal = true});
  check({.sequences = 2, .tokens = 0, .heads = 2, .rows = 3, .width = 4});
  check({.sequences = 2, .tokens = 0, .heads = 2, .rows = 3, .width = 4, .is_apart = true});
  check({.sequences = 0, .tokens = 2, .heads = 2, .rows = 3, .width = 4});
  check({.sequences = 1, .tokens = 2, .heads = 2, .rows = 3, .width = 0});
}

/// Errors name the operand and what it has to be.
void test_errors() {
  const auto zeros = [](const Shape& shape) { return Tensor::zeros(device(), shape, DType::f32); };
  const Tensor q = zeros({1, 2, 3, 4}), v = zeros({1, 2, 3, 5}), state = zeros({1, 3, 5, 4}),
               other = zeros({1, 2, 3, 9});
  const auto refuse = [&](const Tensor& k, const Tensor& s, const RecurrenceOptions& options,
                          const char* text) {
    try {
      linear_recurrence(q, k, v, s, options);
      ADD_FAILURE() << "no error with '" << text << "'";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::invalid_argument);
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  };
  refuse(other, state, {}, "k is f32 [1, 2, 3, 9]; it has to be f32 [1, 2, 3, 4]");
  refuse(q, zeros({1, 3, 4, 5}), {}, "state is f32 [1, 3, 4, 5]");
  refuse(q, zeros({1, 3, 4, 5}).transpose(2, 3), {}, "has to be contiguous");
  refuse(q, state, {.decay = &other},
         "decay is f32 [1, 2, 3, 9]; it has to be f32 [1, 2, 3, 4] or [1, 2, 3, 1]");
  refuse(q, state, {.rates = &q}, "rates is f32 [1, 2, 3, 4]");
  refuse(q, state, {.removal = &q}, "given together");
  refuse(q, state, {.scale = std::nan("")}, "scale is nan");
  refuse(q, state, {.delta = &q}, "delta is f32 [1, 2, 3, 4]; it has to be f32 [1, 2, 3, 1]");
  const Tensor delta = zeros({1, 2, 3, 1}), bonus = zeros({3, 4});
  refuse(q, state, {.bonus = &bonus, .delta = &delta}, "there are a delta and a bonus");
  refuse(q, state, {.removal = &q, .insertion = &q, .delta = &delta}, "there are a delta and a removal");
  refuse(q, state, {.before = &q}, "before is f32 [1, 2, 3, 4]; it has to be f32 [1, 3, 5, 4]");
}

}  // namespace

void register_recurrence_tests() {
  register_test("linear_recurrence", "f32", test_linear_recurrence);
  register_test("linear_recurrence", "errors", test_errors);
}

}  // namespace kernelgen::conformance
