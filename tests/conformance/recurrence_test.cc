// linear_recurrence: with each of its operands and without, over layouts and widths on both sides of a group's.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <span>

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
  std::int64_t own_heads = 0;  ///< of q and k, if not the heads
  bool tile_heads = false, has_ids = false, is_discretized = false, is_transposed = false;

  std::int64_t vector_heads() const { return own_heads == 0 ? heads : own_heads; }
  /// The head of q and k that a head takes.
  std::int64_t own_head(std::int64_t head) const {
    return tile_heads ? head % vector_heads() : head / (heads / vector_heads());
  }
  /// Matrices of states before the first token: more than sequences if ids select from them.
  std::int64_t states() const { return sequences + (has_ids ? 2 : 0); }
  /// The one that a sequence starts from; -1: zeros.
  std::int64_t first_state(std::int64_t sequence) const {
    if (!has_ids) return sequence;
    return sequence == 1 ? -1 : states() - 1 - sequence;
  }
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
      : q(input(c, {c.sequences, c.tokens, c.vector_heads(), c.width}, -1, 1, 1)),
        k(input(c, {c.sequences, c.tokens, c.vector_heads(), c.width}, -1, 1, 2)),
        v(input(c, {c.sequences, c.tokens, c.heads, c.rows}, -1, 1, 3)),
        decay(input(c, {c.sequences, c.tokens, c.heads, c.is_one_decay ? 1 : c.width}, c.has_rates ? 0 : 0.5,
                    1, 4)),
        rates(input(c, {c.heads, c.is_one_rate ? 1 : c.width}, -2, 0, 5)),
        removal(input(c, {c.sequences, c.tokens, c.heads, c.width}, -0.1, 0.1, 6)),
        insertion(input(c, {c.sequences, c.tokens, c.heads, c.width}, -1, 1, 7)),
        bonus(input(c, {c.heads, c.width}, -1, 1, 8)),
        delta(input(c, {c.sequences, c.tokens, c.heads, 1}, 0, 0.05, 10)),
        state(make_input(Kind::contiguous, {c.states(), c.heads, c.rows, c.width}, numbers(-1, 1, 9))),
        before(states(c)),
        ids(ids_of(c)) {}

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
    if (c.is_apart) all.before = &before;
    if (c.has_ids) all.before_ids = &ids;
    all.discretize = c.is_discretized;
    all.tile_heads = c.tile_heads;
    return all;
  }

  /// `count` states of zeros in the case's layout.
  static Tensor zeros(const Case& c, std::int64_t count) {
    if (!c.is_transposed) return Tensor::zeros(device(), {count, c.heads, c.rows, c.width}, DType::f32);
    return Tensor::zeros(device(), {count, c.heads, c.width, c.rows}, DType::f32).transpose(2, 3);
  }
  /// The states before the first token.
  Tensor states(const Case& c) const {
    const Tensor all = zeros(c, c.states());
    copy_into(all, upload(state.elements).reshape(all.shape()));
    return all;
  }
  static Tensor ids_of(const Case& c) {
    std::vector<std::int32_t> ids;
    for (std::int64_t i = 0; i < c.sequences; ++i)
      ids.push_back(c.first_state(i) < 0 ? std::numeric_limits<std::int32_t>::max()
                                         : static_cast<std::int32_t>(c.first_state(i)));
    return Tensor::from_host(device(), std::as_bytes(std::span(ids)), {c.sequences}, DType::i32);
  }

  Input q, k, v, decay, rates, removal, insertion, bonus, delta, state;
  Tensor before, ids;
};

Expected recur(const Case& c, const Operands& in) {
  Expected expected;
  const Real u = 0x1p-24L;
  const std::int64_t of_token = (c.width / 16 + 12) * (c.has_delta || c.is_discretized ? 2 : 1);
  const std::int64_t outputs = c.sequences * c.tokens * c.heads * c.rows;
  expected.y.value.resize(static_cast<std::size_t>(outputs));
  expected.y.error.resize(static_cast<std::size_t>(outputs));
  for (std::int64_t row = 0; row < c.sequences * c.heads * c.rows; ++row) {
    const std::int64_t head = row / c.rows % c.heads, sequence = row / c.rows / c.heads;
    std::vector<Real> s, size;
    const std::int64_t start = c.first_state(sequence);
    for (std::int64_t i = 0; i < c.width; ++i)
      s.push_back(start < 0 ? 0
                            : real_at(in.state.elements,
                                      ((start * c.heads + head) * c.rows + row % c.rows) * c.width + i));
    for (const Real x : s) size.push_back(std::fabs(x));
    for (std::int64_t t = 0; t < c.tokens; ++t) {
      const std::int64_t vector = (sequence * c.tokens + t) * c.heads + head;
      const auto at = [&](const Input& x, std::int64_t i) {
        return real_at(x.elements, vector * c.width + i);
      };
      const std::int64_t own_vector = (sequence * c.tokens + t) * c.vector_heads() + c.own_head(head);
      const auto own_at = [&](const Input& x, std::int64_t i) {
        return real_at(x.elements, own_vector * c.width + i);
      };
      Real value = real_at(in.v.elements, vector * c.rows + row % c.rows);
      Real step = 1;
      if (c.is_discretized) value *= step = std::log1p(std::exp(real_at(in.decay.elements, vector)));
      Real value_size = std::fabs(value);
      Real removed = 0, removed_size = 0, sum = 0, sum_size = 0;
      for (std::int64_t i = 0; i < c.width; ++i) {
        const auto n = static_cast<std::size_t>(i);
        removed += s[n] * at(in.removal, i);
        removed_size += size[n] * std::fabs(at(in.removal, i));
        if (!c.has_bonus) continue;
        const Real extra = real_at(in.bonus.elements, head * c.width + i) * own_at(in.k, i) * value;
        sum += (s[n] + extra) * own_at(in.q, i);
        sum_size += (size[n] + std::fabs(extra)) * std::fabs(own_at(in.q, i));
      }
      Real seen = 0, seen_size = 0;
      for (std::int64_t i = 0; i < c.width; ++i) {
        const auto n = static_cast<std::size_t>(i);
        Real factor = real_at(in.decay.elements, c.is_one_decay ? vector : vector * c.width + i);
        if (c.is_discretized) factor = step;
        if (c.has_rates)
          factor = std::exp(factor * real_at(in.rates.elements, c.is_one_rate ? head : head * c.width + i));
        if (!c.has_decay) factor = 1;
        s[n] = s[n] * factor + (c.has_removal ? removed * at(in.insertion, i) : 0);
        size[n] = size[n] * factor + (c.has_removal ? removed_size * std::fabs(at(in.insertion, i)) : 0);
        seen += s[n] * own_at(in.k, i);
        seen_size += size[n] * std::fabs(own_at(in.k, i));
      }
      if (c.has_delta) {
        const Real delta = real_at(in.delta.elements, vector);
        value = delta * (value - seen);
        value_size = std::fabs(delta) * (value_size + seen_size);
      }
      for (std::int64_t i = 0; i < c.width; ++i) {
        const auto n = static_cast<std::size_t>(i);
        s[n] += value * own_at(in.k, i);
        size[n] += value_size * std::fabs(own_at(in.k, i));
        if (c.has_bonus) continue;
        sum += s[n] * own_at(in.q, i);
        sum_size += size[n] * std::fabs(own_at(in.q, i));
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
  Elements got;
  const std::string what = "linear_recurrence of " + in.q.tensor.layout().to_string();
  expect_call(what, DType::f32, {c.sequences, c.tokens, c.heads, c.rows}, expected.y,
              [&](const CallOptions& options) {
                const Tensor state = c.is_apart ? Operands::zeros(c, c.sequences) : in.states(c);
                const Tensor y =
                    linear_recurrence(in.q.tensor, in.k.tensor, in.v.tensor, state, in.options(c, options));
                got = download(copy(state));
                return y;
              });
  expect_within(what + ", states", got, expected.state.value, expected.state.error);
}

/// Heads that share q and k, states that ids select, transposed states, and Mamba's step.
void test_heads_and_states() {
  for (const bool tile_heads : {false, true})
    for (const Kind kind : strided_kinds)
      check({.sequences = 3,
             .tokens = 5,
             .heads = 6,
             .rows = 9,
             .width = 40,
             .kind = kind,
             .is_one_decay = true,
             .has_delta = true,
             .is_apart = true,
             .own_heads = 2,
             .tile_heads = tile_heads,
             .has_ids = true});
  // Mamba-2's, of each tile's width and wider ones, then Mamba's.
  for (const std::int64_t width : {7, 16, 64, 96, 128, 256, 300})
    check({.sequences = 2,
           .tokens = 21,
           .heads = 4,
           .rows = 20,
           .width = width,
           .is_one_decay = true,
           .has_rates = true,
           .is_one_rate = true,
           .is_apart = true,
           .own_heads = 2,
           .has_ids = true,
           .is_discretized = true});
  for (const std::int64_t heads : {1, 33, 300})
    check({.sequences = 2,
           .tokens = 40,
           .heads = heads,
           .rows = 1,
           .width = 16,
           .is_one_decay = true,
           .has_rates = true,
           .is_apart = true,
           .own_heads = 1,
           .has_ids = true,
           .is_discretized = true});
  for (const std::int64_t width : {16, 50, 64, 400})
    for (const bool has_bonus : {false, true})
      for (const bool is_apart : {false, true})
        check({.sequences = 2,
               .tokens = 7,
               .heads = 3,
               .rows = 50,
               .width = width,
               .has_bonus = has_bonus,
               .is_apart = is_apart,
               .is_transposed = true});
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
  test_heads_and_states();
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
  refuse(q, zeros({1, 3, 5, 8}).narrow(3, 0, 4), {}, "has to be contiguous");
  refuse(q, state, {.decay = &other},
         "decay is f32 [1, 2, 3, 9]; it has to be f32 [1, 2, 3, 4] or [1, 2, 3, 1]");
  refuse(q, state, {.rates = &q}, "rates is f32 [1, 2, 3, 4]");
  refuse(q, state, {.removal = &q}, "given together");
  refuse(q, state, {.scale = std::nan("")}, "scale is nan");
  refuse(q, state, {.delta = &q}, "delta is f32 [1, 2, 3, 4]; it has to be f32 [1, 2, 3, 1]");
  const Tensor delta = zeros({1, 2, 3, 1}), bonus = zeros({3, 4});
  refuse(q, state, {.bonus = &bonus, .delta = &delta}, "there are a delta and a bonus");
  refuse(q, state, {.removal = &q, .insertion = &q, .delta = &delta}, "there are a delta and a removal");
  const Tensor ids = zeros({1});
  refuse(q, state, {.before = &state, .before_ids = &ids}, "ids are f32");
  refuse(q, state, {.discretize = true}, "it needs rates and a decay of [1, 2, 3, 1]");
  refuse(zeros({1, 2, 2, 4}), state, {}, "k is f32 [1, 2, 2, 4]; it has to be f32 [1, 2, 3, 4]");
  const Tensor turned = zeros({1, 3, 4, 5}).transpose(2, 3);
  refuse(q, state, {.before = &turned}, "it has to be in memory as state");
  refuse(q, state, {.before = &q}, "before is f32 [1, 2, 3, 4]; it has to be f32 [1, 3, 5, 4]");
}

/// A sequence whose id has no state is reported by name.
void test_bad_ids() {
  const Case c{
      .sequences = 3, .tokens = 2, .heads = 2, .rows = 3, .width = 8, .is_apart = true, .has_ids = true};
  Operands in(c);
  const std::int32_t bad[] = {0, 9, 1};
  in.ids = Tensor::from_host(device(), std::as_bytes(std::span(bad)), {3}, DType::i32);
  const Tensor state = Operands::zeros(c, 3);
  linear_recurrence(in.q.tensor, in.k.tensor, in.v.tensor, state, in.options(c, {}));
  try {
    device().synchronize();
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::index_out_of_range);
    EXPECT_NE(std::string(error.what()).find("linear_recurrence"), std::string::npos) << error.what();
  }
}

}  // namespace

void register_recurrence_tests() {
  register_test("linear_recurrence", "f32", test_linear_recurrence);
  register_test("linear_recurrence", "errors", test_errors);
  register_test("linear_recurrence", "bad_ids", test_bad_ids);
}

}  // namespace kernelgen::conformance
