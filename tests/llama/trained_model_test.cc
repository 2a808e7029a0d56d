// The model trained on the manual, tiny.gguf, on the device under test: it writes the text that plain loops in double over
// its dequantized weights give, token by token.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "conformance/environment.hpp"
#include "kernelgen/ops.hpp"
#include "model.hpp"
#include "plain_llama.hpp"
#include "sampler.hpp"
#include "tokenizer.hpp"
#include "tokens.hpp"

namespace kernelgen::test {
namespace {

constexpr const char* prompt = "**The conformance walk** runs on";
constexpr const char* continuation =
    " the device that `KERNELGEN_DEVICE` names (`cpu`, `hip:0`, `cuda:0`; def";

struct Written {
  std::vector<Token> tokens;               ///< the prompt's too
  std::vector<std::vector<float>> logits;  ///< of each token after the prompt
};

std::vector<float> floats(const Tensor& tensor) {
  const std::vector<std::byte> bytes = to_dtype(tensor, DType::f32).to_host();
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// The most likely tokens after the prompt. At most `rows` tokens are computed at once.
Written write_on(const GgufFile& file, std::int64_t count, std::int64_t rows, bool graph = false) {
  const Device& device = conformance::device();
  Written written{Tokenizer(file).encode(prompt), {}};
  Model model(
      device, file,
      {.positions = static_cast<std::int64_t>(written.tokens.size()) + count, .rows = rows, .graph = graph});
  Sampler sampler({});
  Tensor logits = model.forward(upload_tokens(device, written.tokens));
  for (std::int64_t i = 0; i < count; ++i) {
    written.logits.push_back(floats(logits));
    const Tensor next = sampler.pick(logits);
    written.tokens.push_back(read_token(next));
    logits = model.forward(next);
  }
  return written;
}

class TrainedModelBySteps : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Steps, TrainedModelBySteps, testing::Bool(),
                         [](const auto& info) { return info.param ? "of_a_graph" : "launched"; });

TEST_P(TrainedModelBySteps, WritesWhatPlainLoopsWrite) {
  constexpr std::int64_t count = 48;
  const GgufFile file = GgufFile::open(KERNELGEN_TINY_MODEL);
  const Written written = write_on(file, count, 512, GetParam());
  const std::vector<std::vector<double>> plain = PlainLlama(file).logits(written.tokens);
  const std::size_t length = written.tokens.size() - count;
  double largest_error = 0, least_margin = INFINITY;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<double> expected = plain[length - 1 + i];
    const auto best = std::max_element(expected.begin(), expected.end());
    ASSERT_EQ(written.tokens[length + i], static_cast<Token>(best - expected.begin())) << "token " << i;
    for (std::size_t t = 0; t < expected.size(); ++t)
      largest_error = std::max(largest_error, std::abs(expected[t] - written.logits[i][t]));
    const double most = *best;
    *best = -INFINITY;
    least_margin = std::min(least_margin, most - *std::max_element(expected.begin(), expected.end()));
  }
  RecordProperty("largest_error", std::to_string(largest_error));
  RecordProperty("least_margin", std::to_string(least_margin));
  // The second most likely token is far below the rounding error of q8_1 activations: no device may pick it.
  EXPECT_LT(5 * largest_error, least_margin);
}

TEST_P(TrainedModelBySteps, WritesTheManual) {
  const GgufFile file = GgufFile::open(KERNELGEN_TINY_MODEL);
  const Tokenizer tokenizer(file);
  std::string text;
  for (const Token token : write_on(file, 48, 512, GetParam()).tokens) text += tokenizer.decode(token);
  EXPECT_TRUE(text.starts_with(std::string(prompt) + continuation)) << text;
}

TEST(TrainedModel, WritesTheSameWhenThePromptComesInParts) {
  const GgufFile file = GgufFile::open(KERNELGEN_TINY_MODEL);
  EXPECT_EQ(write_on(file, 24, 4).tokens, write_on(file, 24, 512).tokens);
}

TEST(TrainedModel, RefusesMoreTokensThanThereIsRoomFor) {
  const GgufFile file = GgufFile::open(KERNELGEN_TINY_MODEL);
  const Device& device = conformance::device();
  Model model(device, file, {.positions = 3});
  model.forward(upload_tokens(device, std::vector<Token>{1, 2}));
  try {
    model.forward(upload_tokens(device, std::vector<Token>{1, 2}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "2 tokens behind 2; there is room for 1 to 1 more");
  }
}

}  // namespace
}  // namespace kernelgen::test
