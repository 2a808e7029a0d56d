#include <gtest/gtest.h>

#include <algorithm>

#include "environment.hpp"
#include "expect.hpp"
#include "inputs.hpp"
#include "reference/rope.hpp"
#include "support/expect_error.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

using reference::RopePairs;
using test::expect_error;

struct Form {
  const char* name;
  Tensor (*run)(const Tensor&, const Tensor&, const Tensor&, const CallOptions&);
  std::size_t positions;
  RopePairs pairs;
};
constexpr Form forms[] = {{"rope", rope, 2, RopePairs::halves},
                          {"rope_i", rope_i, 2, RopePairs::neighbours},
                          {"rope_thd", rope_thd, 1, RopePairs::halves}};

struct Angles {
  bool is_batched;
  std::int64_t more;  ///< positions that x does not have
};

void check(const Form& form, DType dtype, const Shape& shape, Angles angles, Kind kind, Kind angle_kind,
           const Elements& values) {
  const std::int64_t count = shape[form.positions] + angles.more;
  const Shape angle_shape =
      angles.is_batched ? Shape{shape[0], count, shape[3] / 2} : Shape{count, shape[3] / 2};
  const Input x = make_input(kind, shape, values);
  const Input cos = make_input(angle_kind, angle_shape, values);
  const Input sin = make_input(Kind::contiguous, angle_shape, moderate(dtype, 997, 31));
  const reference::Sums sums = reference::rope(x.elements, cos.elements, sin.elements, shape, form.positions,
                                               form.pairs, angles.is_batched ? shape[0] : 1, count);
  Approximation wanted;
  // One product and the fused sum are rounded.
  for (std::size_t i = 0; i < sums.value.size(); ++i)
    wanted.add(sums.value[i], 2 * accumulator_unit(dtype) * sums.magnitude[i]);
  expect_call(std::string(form.name) + " " + std::string(name_of(dtype)) + " " + shape.to_string() + " " +
                  std::string(name_of(kind)) + ", angles " + angle_shape.to_string() + " " +
                  std::string(name_of(angle_kind)),
              dtype, shape, wanted, [&](const CallOptions& options) {
                return form.run(x.tensor, cos.tensor, sin.tensor, options);
              });
}

void test_rope(const Form& form, DType dtype) {
  const Elements values = moderate(dtype, 4099, 30);
  for (const Shape& shape : {Shape{2, 3, 5, 16}, Shape{1, 1, 1, 2}, Shape{2, 2, 3, 2}, Shape{3, 4, 1, 6},
                             Shape{1, 2, 7, 130}, Shape{0, 2, 3, 4}, Shape{2, 3, 0, 4}, Shape{2, 3, 4, 0}})
    for (const Angles angles : {Angles{false, 0}, Angles{false, 3}, Angles{true, 0}, Angles{true, 2}})
      for (const Kind kind : strided_kinds) {
        check(form, dtype, shape, angles, kind, Kind::contiguous, values);
        check(form, dtype, shape, angles, Kind::contiguous, kind, values);
      }
  check(form, dtype, {2, 8, 67, 128}, {false, 1}, Kind::contiguous, Kind::contiguous, values);
  check(form, dtype, {2, 8, 67, 128}, {true, 1}, Kind::transposed, Kind::sliced, values);
}

struct FormOfBoth {
  const char* name;
  QueriesAndKeys (*run)(const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                        const QueriesAndKeysOptions&);
  const Form& each;
};
constexpr FormOfBoth forms_of_both[] = {{"rope_qk", rope_qk, forms[0]},
                                        {"rope_i_qk", rope_i_qk, forms[1]},
                                        {"rope_thd_qk", rope_thd_qk, forms[2]}};

/// q and k of their own shapes: what two calls give, bit for bit, and nothing around it.
void check_both(const FormOfBoth& form, DType dtype, const Shape& q_shape, const Shape& k_shape,
                bool is_batched, Kind q_kind, Kind k_kind, const Elements& values) {
  const std::size_t positions = form.each.positions;
  const std::int64_t count = std::max(q_shape[positions], k_shape[positions]) + 1;
  const Shape angle_shape =
      is_batched ? Shape{q_shape[0], count, q_shape[3] / 2} : Shape{count, q_shape[3] / 2};
  const Input q = make_input(q_kind, q_shape, values), k = make_input(k_kind, k_shape, values);
  const Tensor cos = make_input(Kind::contiguous, angle_shape, values).tensor,
               sin = make_input(Kind::contiguous, angle_shape, moderate(dtype, 997, 31)).tensor;
  const std::string what = std::string(form.name) + " " + std::string(name_of(dtype)) + " " +
                           q.tensor.layout().to_string() + " and " + k.tensor.layout().to_string();
  const Elements wanted_q = download(form.each.run(q.tensor, cos, sin, {})),
                 wanted_k = download(form.each.run(k.tensor, cos, sin, {}));
  const QueriesAndKeys got = form.run(q.tensor, k.tensor, cos, sin, {});
  EXPECT_EQ(got.q.shape(), q_shape) << what;
  EXPECT_EQ(got.k.shape(), k_shape) << what;
  EXPECT_EQ(download(got.q).bytes(), wanted_q.bytes()) << what;
  EXPECT_EQ(download(got.k).bytes(), wanted_k.bytes()) << what;

  constexpr std::int64_t guard = 16;
  const auto framed = [&](const Elements& inner) {
    Elements frame = poison(dtype, inner.count() + 2 * guard);
    std::ranges::copy(inner.bytes(), frame.at(guard));
    return frame;
  };
  const auto place = [&](const Tensor& whole, const Shape& shape) {
    Layout layout = Layout::contiguous(shape);
    layout.offset = guard;
    return whole.with_layout(layout);
  };
  const Tensor whole_q = upload(poison(dtype, wanted_q.count() + 2 * guard)),
               whole_k = upload(poison(dtype, wanted_k.count() + 2 * guard));
  const Tensor out_q = place(whole_q, q_shape), out_k = place(whole_k, k_shape);
  form.run(q.tensor, k.tensor, cos, sin, {.q = &out_q, .k = &out_k});
  EXPECT_EQ(download(whole_q).bytes(), framed(wanted_q).bytes()) << what;
  EXPECT_EQ(download(whole_k).bytes(), framed(wanted_k).bytes()) << what;
}

void test_both(const FormOfBoth& form, DType dtype) {
  const Elements values = moderate(dtype, 4099, 30);
  const bool by_heads = form.each.positions == 2;
  // Grouped heads: fewer of the keys, which are dim 1 or 2.
  const auto shape = [&](std::int64_t batch, std::int64_t heads, std::int64_t positions, std::int64_t d) {
    return by_heads ? Shape{batch, heads, positions, d} : Shape{batch, positions, heads, d};
  };
  struct Heads {
    std::int64_t q, k;
  };
  for (const Heads heads : {Heads{8, 2}, {3, 3}, {1, 4}, {4, 0}, {0, 4}})
    for (const std::int64_t d : {2, 6, 64, 130})
      for (const bool is_batched : {false, true})
        check_both(form, dtype, shape(2, heads.q, 5, d), shape(2, heads.k, 5, d), is_batched,
                   Kind::contiguous, Kind::contiguous, values);
  for (const Kind kind : strided_kinds) {
    check_both(form, dtype, shape(2, 4, 5, 16), shape(2, 2, 5, 16), true, kind, Kind::contiguous, values);
    check_both(form, dtype, shape(2, 4, 5, 16), shape(2, 2, 5, 16), false, Kind::contiguous, kind, values);
  }
  // As many positions as each has, and batches where the angles have none.
  check_both(form, dtype, shape(1, 4, 9, 16), shape(3, 2, 2, 16), false, Kind::contiguous, Kind::contiguous,
             values);
  check_both(form, dtype, shape(2, 8, 67, 128), shape(2, 2, 67, 128), false, Kind::contiguous,
             Kind::contiguous, values);
}

/// Tokens of heads [tokens, heads, d], and of a cache of so many rows.
struct Step {
  std::int64_t tokens, heads, key_heads, d, width;
};

/// What rope or rope_i, and set_rows, of their own tests, give; and nothing around the rows.
void check_stored(const Step& step, DType dtype, DType id_type, bool are_neighbours, Kind kind) {
  constexpr std::int64_t rows = 11;
  const Elements values = moderate(DType::f32, 4099, 30);
  const auto input = [&](const Shape& shape) { return make_input(kind, shape, values).tensor; };
  const Tensor q = input({step.tokens, step.heads, step.d}), k = input({step.tokens, step.key_heads, step.d}),
               v = input({step.tokens, step.width}), cos = input({step.tokens + 1, step.d / 2}),
               sin =
                   make_input(Kind::contiguous, {step.tokens + 2, step.d / 2}, moderate(DType::f32, 997, 31))
                       .tensor;
  const auto cache = [&](std::int64_t width) {
    return upload(poison(dtype, rows * (width + 3)))
        .with_layout({{rows, width}, {width + 3, 1}, 0});  // rows with gaps
  };
  std::vector<Real> key_numbers, value_numbers;
  for (std::int64_t t = 0; t < step.tokens; ++t) {
    key_numbers.push_back(static_cast<Real>((5 * t + 3) % rows));
    value_numbers.push_back(static_cast<Real>((7 * t + 1) % rows));
  }
  const Tensor key_ids = upload(reference::make_elements(id_type, key_numbers)),
               value_ids = upload(reference::make_elements(DType::i64, value_numbers));
  const std::string what = "rope_set_rows " + q.layout().to_string() + " to " + std::string(name_of(dtype)) +
                           (are_neighbours ? ", neighbours" : ", halves");

  const auto rotated = [&](const Tensor& x) {
    const Tensor by_heads = x.transpose(0, 1).unsqueeze(0);
    return copy((are_neighbours ? rope_i : rope)(by_heads, cos, sin, {}).squeeze(0).transpose(0, 1));
  };
  const Tensor keys = cache(step.key_heads * step.d), values_of = cache(step.width),
               wanted_keys = cache(step.key_heads * step.d), wanted_values = cache(step.width);
  set_rows(wanted_keys, key_ids, rotated(k).reshape({step.tokens, step.key_heads * step.d}));
  set_rows(wanted_values, value_ids, v);
  const auto run = [&](const Tensor& queries, const CallOptions& options) {
    return rope_set_rows(queries, k, v, cos, sin, keys, key_ids, values_of, value_ids, are_neighbours,
                         options);
  };
  const auto bytes = [](const Tensor& x) {
    return x.with_layout(Layout::contiguous({x.elements()})).to_host();
  };
  const Tensor got = run(q, {});
  EXPECT_EQ(got.shape(), q.shape()) << what;
  EXPECT_EQ(bytes(got), bytes(rotated(q))) << what;
  for (const bool are_keys : {true, false}) {
    const Tensor &cached = are_keys ? keys : values_of, &wanted = are_keys ? wanted_keys : wanted_values;
    const Shape all{rows * (cached.shape()[1] + 3)};
    EXPECT_EQ(cached.with_layout(Layout::contiguous(all)).to_host(),
              wanted.with_layout(Layout::contiguous(all)).to_host())
        << what << (are_keys ? ", keys" : ", values");
  }
  const Tensor in_place = copy(q);
  run(in_place, {.out = &in_place});
  EXPECT_EQ(bytes(in_place), bytes(got)) << what << " in place";
}

void test_stored(DType dtype) {
  for (const bool are_neighbours : {false, true}) {
    for (const Step& step : {Step{1, 4, 2, 64, 128},
                             {5, 3, 1, 6, 7},
                             {1, 0, 3, 2, 6},
                             {4, 2, 0, 4, 5},
                             {3, 2, 2, 130, 0},
                             {2, 1, 1, 8, 1000},
                             {0, 2, 2, 4, 8}})
      check_stored(step, dtype, DType::i64, are_neighbours, Kind::contiguous);
    std::size_t turn = 0;
    for (const Kind kind : strided_kinds)
      check_stored({3, 4, 2, 16, 32}, dtype, integer_dtypes[turn++ % 5], are_neighbours, kind);
  }
}

/// An id that is the largest value of its type stores nothing; one that is out of range is reported too.
void test_stored_nowhere() {
  const auto zeros = [](const Shape& shape) { return Tensor::zeros(device(), shape, DType::f32); };
  const Tensor q = zeros({2, 1, 2}), v = zeros({2, 3}), angles = zeros({2, 1});
  const Tensor keys = upload(poison(DType::f16, 8)).reshape({4, 2}),
               values = upload(poison(DType::bf16, 12)).reshape({4, 3});
  const auto before = keys.to_host(), values_before = values.to_host();
  const std::vector<Real> none = {255, 255}, beyond = {4, 255};
  const auto run = [&](const std::vector<Real>& ids) {
    rope_set_rows(q, q, v, angles, angles, keys, upload(reference::make_elements(DType::u8, ids)), values,
                  upload(reference::make_elements(DType::u8, none)));
  };
  run(none);
  EXPECT_EQ(keys.to_host(), before);
  run(beyond);
  expect_error(Code::index_out_of_range, {"rope_set_rows", "4"}, [&] { keys.to_host(); });
  EXPECT_EQ(keys.to_host(), before);
  EXPECT_EQ(values.to_host(), values_before);
}

}  // namespace

void register_rope_tests() {
  for (const DType dtype : {DType::bf16, DType::f16, DType::f32})
    register_test("rope_set_rows", std::string(name_of(dtype)), [dtype] { test_stored(dtype); });
  register_test("rope_set_rows", "ids", test_stored_nowhere);
  for (const FormOfBoth& form : forms_of_both)
    for (const DType dtype : float_dtypes)
      register_test(form.name, std::string(name_of(dtype)), [&form, dtype] { test_both(form, dtype); });
  for (const Form& form : forms)
    for (const DType dtype : float_dtypes)
      register_test(form.name, std::string(name_of(dtype)), [&form, dtype] { test_rope(form, dtype); });
}

}  // namespace kernelgen::conformance
