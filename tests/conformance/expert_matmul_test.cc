// indexed_matmul with plain weights: vectors and tiles of an expert's columns.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "environment.hpp"
#include "expect.hpp"
#include "quantized_case.hpp"
#include "tolerance.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

struct Experts {
  std::int64_t experts, rows, terms, tokens, chosen;
  bool shared;  ///< one row of x for all of a token's experts
};

/// One id of 13 is padding: the largest value of its type.
Elements chosen(DType dtype, std::int64_t experts) {
  std::vector<Real> numbers;
  for (std::uint64_t i = 0; i < 900; ++i) {
    const std::uint64_t bits = random_bits(61 + i);
    numbers.push_back(bits % 13 == 0 ? std::numeric_limits<Real>::infinity()
                                     : static_cast<Real>(bits / 13 % static_cast<std::uint64_t>(experts)));
  }
  return reference::make_elements(dtype, numbers);
}

void check(DType type, DType dtype, const Experts& e, Kind kind, Kind x_kind, Kind ids_kind,
           DType ids_dtype) {
  const Input weights = make_input(kind, {e.experts, e.rows, e.terms}, moderate(type, 7000, 53));
  const Shape shape{e.tokens, e.shared ? 1 : e.chosen, e.terms};
  const Input x = make_input(x_kind, shape, moderate(dtype, 9000, 59));
  const Input ids = make_input(ids_kind, {e.tokens, e.chosen}, chosen(ids_dtype, e.experts));
  Approximation wanted;
  for (std::int64_t pair = 0; pair < e.tokens * e.chosen; ++pair) {
    const Real expert = real_at(ids.elements, pair);
    const bool is_padding = expert >= static_cast<Real>(e.experts);
    const std::int64_t row = e.shared ? pair / e.chosen : pair;
    for (std::int64_t r = 0; r < e.rows; ++r) {
      Real sum = 0, magnitudes = 0;
      for (std::int64_t t = 0; t < e.terms && !is_padding; ++t) {
        const Real factor = real_at(reference::make_scalar(type, real_at(x.elements, row * e.terms + t)), 0);
        const Real product = factor * real_at(weights.elements,
                                              (static_cast<std::int64_t>(expert) * e.rows + r) * e.terms + t);
        sum += product;
        magnitudes += std::fabs(product);
      }
      wanted.add(sum, is_padding || e.terms == 0 ? 0 : sum_slack(DType::f32, e.terms, magnitudes));
    }
  }
  expect_call("indexed_matmul of " + std::string(name_of(dtype)) + " " + shape.to_string() + ", " +
                  std::string(name_of(x_kind)) + ", by " + std::string(name_of(type)) + " " +
                  Shape{e.experts, e.rows, e.terms}.to_string() + ", " + std::string(name_of(kind)) +
                  ", ids " + std::string(name_of(ids_dtype)) + " [" + std::to_string(e.tokens) + ", " +
                  std::to_string(e.chosen) + "] " + std::string(name_of(ids_kind)),
              dtype, {e.tokens, e.chosen, e.rows}, wanted, [&](const CallOptions& options) {
                return indexed_matmul(x.tensor, weights.tensor, ids.tensor, options);
              });
}

/// Vectors and tiles, of one part and several, with whole packs of terms and without.
void test_sizes(DType type, DType dtype) {
  for (const bool shared : {true, false})
    for (const Experts& e : {Experts{1, 1, 1, 1, 1, shared},
                             {4, 33, 64, 1, 2, shared},
                             {8, 40, 37, 3, 2, shared},
                             {3, 17, 160, 9, 4, shared},
                             {16, 64, 256, 40, 2, shared},
                             {5, 130, 96, 90, 3, shared},
                             {2, 150, 33, 100, 2, shared},
                             {100, 3, 40, 7, 8, shared},
                             {7, 512, 256, 5, 2, shared},
                             {3, 5, 32, 0, 2, shared},
                             {3, 5, 0, 4, 2, shared},
                             {3, 0, 32, 4, 2, shared}}) {
      check(type, dtype, e, Kind::contiguous, Kind::contiguous, Kind::contiguous, DType::u32);
      if (testing::Test::HasFailure()) return;
    }
}

void test_layouts(DType type, DType dtype) {
  std::size_t turn = 0;
  for (const Kind kind : strided_kinds)
    for (const Kind x_kind : strided_kinds)
      for (const std::int64_t tokens : {2, 7}) {
        check(type, dtype, {6, 19, 24, tokens, 3, turn % 2 == 0}, kind, x_kind,
              strided_kinds[turn * 2 % std::size(strided_kinds)],
              integer_dtypes[turn % std::size(integer_dtypes)]);
        ++turn;
        if (testing::Test::HasFailure()) return;
      }
}

}  // namespace

void register_expert_matmul_tests() {
  for (const DType type : activation_dtypes)
    for (const DType dtype : activation_dtypes)
      register_test("indexed_matmul", std::string(name_of(type)) + "_" + std::string(name_of(dtype)), [=] {
        test_sizes(type, dtype);
        test_layouts(type, dtype);
      });
}

}  // namespace kernelgen::conformance
