// The choice of experts, by softmax and top_k, and the weighted sum of their results.
#include "kernelgen/experts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "environment.hpp"
#include "expect.hpp"
#include "inputs.hpp"
#include "kernelgen/ops.hpp"
#include "layouts.hpp"
#include "support/expect_error.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

using test::expect_error;

Tensor result(const Shape& shape, DType dtype = DType::f32) { return Tensor::zeros(device(), shape, dtype); }

std::vector<float> floats(const Tensor& x) {
  const Elements all = download(x);
  const auto values = all.as<float>();
  return {values.begin(), values.end()};
}

struct Size {
  std::int64_t tokens, experts, k;
};

void check_choice(const Size& size, const Routing& routing, DType id_type, Kind kind) {
  const Input logits = make_input(kind, {size.tokens, size.experts}, moderate(DType::f32, 4099, 7));
  // ids are the first columns of a wider matrix.
  const Tensor all_ids = result({size.tokens, size.k + 3}, id_type), ids = all_ids.narrow(1, 0, size.k),
               weights = result({size.tokens, size.k});
  route_experts(logits.tensor, ids, weights, routing);
  const auto values = logits.elements.as<float>();
  const Elements got_ids = download(ids);
  std::vector<Real> exact, slack;
  for (std::int64_t t = 0; t < size.tokens; ++t) {
    std::vector<std::pair<float, std::int64_t>> order;
    Real total = 0, top = -std::numeric_limits<Real>::infinity();
    for (std::int64_t e = 0; e < size.experts; ++e) {
      const float x = values[static_cast<std::size_t>(t * size.experts + e)];
      order.emplace_back(-x, e);
      top = std::max(top, static_cast<Real>(x));
    }
    for (const auto& [x, e] : order) total += std::exp(-static_cast<Real>(x) - top);
    std::ranges::sort(order);
    Real chosen = 0;
    for (std::int64_t j = 0; j < size.k; ++j)
      chosen += std::exp(-static_cast<Real>(order[static_cast<std::size_t>(j)].first) - top) / total;
    for (std::int64_t j = 0; j < size.k; ++j) {
      const auto& [x, e] = order[static_cast<std::size_t>(j)];
      EXPECT_EQ(got_ids.as<std::uint32_t>()[static_cast<std::size_t>(t * size.k + j)],
                static_cast<std::uint32_t>(e))
          << "token " << t << ", choice " << j << " of " << size.experts;
      const Real divisor = routing.is_normalized ? std::max(chosen, static_cast<Real>(routing.least)) : 1;
      exact.push_back(std::exp(-static_cast<Real>(x) - top) / total / divisor);
      slack.push_back(exact.back() * 0x1p-18L);
    }
  }
  expect_within("weights of " + std::to_string(size.experts) + " experts", download(weights), exact, slack);
  EXPECT_EQ(all_ids.narrow(1, size.k, 3).to_host(), result({size.tokens, 3}, id_type).to_host());
}

void test_choices() {
  for (const Size& size : {Size{1, 128, 8},
                           {8, 128, 8},
                           {3, 32, 4},
                           {300, 60, 4},
                           {5, 7, 7},
                           {2, 1, 1},
                           {4, 1000, 64},
                           {0, 8, 2}})
    for (const Routing& routing : {Routing{}, Routing{true, 0}, Routing{true, 0.75}})
      check_choice(size, routing, DType::i32, Kind::contiguous);
  for (const Kind kind : strided_kinds) check_choice({5, 33, 6}, {true, 1e-6}, DType::u32, kind);
}

/// Of equal logits the lower numbers are first, and numbers are different ones whatever the logits are.
void test_special_logits() {
  const std::vector<Real> equal(40, 2.5L);
  const Tensor ids = result({1, 40}, DType::u32), weights = result({1, 40});
  route_experts(upload(reference::make_elements(DType::f32, equal)).reshape({1, 40}), ids, weights);
  for (const float weight : floats(weights)) EXPECT_NEAR(weight, 1.0f / 40, 1e-7f);
  const Elements in_order = download(ids);
  for (std::uint32_t i = 0; i < 40; ++i) EXPECT_EQ(in_order.as<std::uint32_t>()[i], i);
  const Elements& strange = specials(DType::f32);
  const std::int64_t n = std::min<std::int64_t>(strange.count(), 64);
  const Tensor all = result({1, n}, DType::u32), of_all = result({1, n});
  route_experts(upload(repeat(strange, 0, n)).reshape({1, n}), all, of_all);
  const Elements got = download(all);
  std::vector<std::uint32_t> numbers(got.as<std::uint32_t>().begin(), got.as<std::uint32_t>().end());
  std::ranges::sort(numbers);
  for (std::uint32_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(numbers[i], i);
}

void test_sums() {
  for (const Shape& shape :
       {Shape{1, 8, 2048}, {8, 2, 2048}, {3, 5, 33}, {2, 1, 700}, {0, 2, 4}, {2, 0, 5}, {4, 3, 1}})
    for (const Kind kind : strided_kinds) {
      const Input x = make_input(kind, shape, moderate(DType::f32, 4099, 3)),
                  weights = make_input(kind, {shape[0], shape[1]}, moderate(DType::f32, 997, 5));
      std::vector<Real> exact, slack;
      for (std::int64_t t = 0; t < shape[0]; ++t)
        for (std::int64_t i = 0; i < shape[2]; ++i) {
          Real sum = 0, magnitudes = 0;
          for (std::int64_t j = 0; j < shape[1]; ++j) {
            const Real term =
                static_cast<Real>(
                    x.elements.as<float>()[static_cast<std::size_t>((t * shape[1] + j) * shape[2] + i)]) *
                static_cast<Real>(weights.elements.as<float>()[static_cast<std::size_t>(t * shape[1] + j)]);
            sum += term;
            magnitudes += std::abs(term);
          }
          exact.push_back(sum);
          slack.push_back(sum_slack(DType::f32, shape[1], magnitudes));
        }
      const Tensor y = add_experts(x.tensor, weights.tensor);
      EXPECT_EQ(y.shape(), (Shape{shape[0], shape[2]}));
      expect_within("sums of experts " + shape.to_string() + " " + std::string(name_of(kind)), download(y),
                    exact, slack);
    }
}

TEST(ExpertsError, OperandsThatDoNotFit) {
  const Tensor logits = result({2, 8}), ids = result({2, 3}, DType::i32), weights = result({2, 3});
  const auto refused = [](std::initializer_list<std::string_view> parts, const auto& call) {
    expect_error(Code::invalid_argument, parts, call);
  };
  refused({"route_experts", "logits are f32 [8]"}, [&] { route_experts(result({8}), ids, weights); });
  refused({"route_experts", "ids are f32"}, [&] { route_experts(logits, weights, weights); });
  refused({"route_experts", "[3, 3]", "[2, k]"},
          [&] { route_experts(logits, result({3, 3}, DType::u32), weights); });
  refused({"route_experts", "contiguous rows"},
          [&] { route_experts(logits, result({3, 2}, DType::u32).transpose(0, 1), weights); });
  refused({"route_experts", "9 of 8 experts"},
          [&] { route_experts(logits, result({2, 9}, DType::u32), result({2, 9})); });
  refused({"route_experts", "0 of 8 experts"},
          [&] { route_experts(logits, result({2, 0}, DType::u32), result({2, 0})); });
  refused({"route_experts", "out is f32 [2, 2]"}, [&] { route_experts(logits, ids, result({2, 2})); });
  const Tensor shared = result({2, 3});
  refused({"route_experts", "overlaps"}, [&] { route_experts(shared, ids, shared); });
  refused({"route_experts", "NaN"},
          [&] { route_experts(logits, ids, weights, {true, std::numeric_limits<double>::quiet_NaN()}); });
  refused({"add_experts", "[2, 3, 4]", "[2, 4]"}, [&] { add_experts(result({2, 3, 4}), result({2, 4})); });
  refused({"add_experts", "weights are f16"},
          [&] { add_experts(result({2, 3, 4}), result({2, 3}, DType::f16)); });
}

}  // namespace

void register_experts_tests() {
  register_test("route_experts", "choices", test_choices);
  register_test("route_experts", "special_logits", test_special_logits);
  register_test("route_experts", "sums", test_sums);
}

}  // namespace kernelgen::conformance
