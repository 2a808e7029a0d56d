// Tokens picked by their logits.
#include "sampler.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <vector>

#include "conformance/environment.hpp"
#include "tokens.hpp"

namespace kernelgen::test {
namespace {

const std::vector<float> logits{0, 2, -1, 3, 1};

std::vector<Token> pick(const SamplerOptions& options, int count) {
  const Tensor given =
      Tensor::from_host(conformance::device(), std::as_bytes(std::span(logits)), {1, 5}, DType::f32);
  Sampler sampler(options);
  std::vector<Token> tokens;
  for (int i = 0; i < count; ++i) tokens.push_back(read_token(sampler.pick(given)));
  return tokens;
}

TEST(Sampler, TakesTheMostLikelyWithoutTemperature) { EXPECT_EQ(pick({}, 3), (std::vector<Token>{3, 3, 3})); }

TEST(Sampler, RepeatsItselfWithTheSameSeed) {
  const std::vector<Token> one = pick({.temperature = 1, .seed = 5}, 40);
  EXPECT_EQ(one, pick({.temperature = 1, .seed = 5}, 40));
  EXPECT_NE(one, pick({.temperature = 1, .seed = 6}, 40));
}

TEST(Sampler, PicksAmongTheTopAsOftenAsTheirLogitsSay) {
  constexpr int count = 4000;
  int best = 0;
  for (const Token token : pick({.temperature = 2, .top_k = 2, .seed = 1}, count)) {
    ASSERT_TRUE(token == 3 || token == 1) << token;
    best += token == 3 ? 1 : 0;
  }
  // Six standard deviations.
  const double share = 1 / (1 + std::exp(-0.5));
  EXPECT_NEAR(best, count * share, 6 * std::sqrt(count * share * (1 - share)));
}

}  // namespace
}  // namespace kernelgen::test
