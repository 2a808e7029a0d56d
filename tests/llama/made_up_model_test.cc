// Models of each architecture with random weights, made in memory, against plain loops of double: biases, norms of heads,
// both orders of pairs, scaled positions, grouped heads, tied and untied tables, formats that cannot be multiplied at once.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <random>

#include "conformance/environment.hpp"
#include "gguf_writer.hpp"
#include "kernelgen/error.hpp"
#include "kernelgen/ops.hpp"
#include "model.hpp"
#include "plain_llama.hpp"
#include "reference/quantized.hpp"
#include "tokens.hpp"

namespace kernelgen::test {
namespace {

constexpr std::int64_t layers = 2, width = 64, heads = 4, kv_heads = 2, hidden = 96, vocabulary = 70;
constexpr std::int64_t head = width / heads, kv_width = kv_heads * head;

struct Case {
  const char* name;
  std::string architecture = "llama";
  bool is_tied = false;
  bool is_quantized = false;  ///< q8_0, but k and up q4_0
  std::function<void(GgufWriter&)> extra = [](GgufWriter&) {};
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

/// The file of a case, with weights drawn from one sequence.
class MadeUp {
 public:
  explicit MadeUp(const Case& c) : case_(c), random_(conformance::seed()) {
    const std::string prefix = c.architecture + ".";
    writer_.add("general.architecture", std::string_view(c.architecture));
    writer_.add(prefix + "block_count", static_cast<std::uint32_t>(layers));
    writer_.add(prefix + "embedding_length", static_cast<std::uint32_t>(width));
    writer_.add(prefix + "feed_forward_length", static_cast<std::uint32_t>(hidden));
    writer_.add(prefix + "context_length", std::uint32_t{64});
    writer_.add(prefix + "attention.head_count", static_cast<std::uint32_t>(heads));
    writer_.add(prefix + "attention.head_count_kv", static_cast<std::uint32_t>(kv_heads));
    writer_.add(prefix + "attention.layer_norm_rms_epsilon", 1e-6f);
    writer_.add(prefix + "rope.freq_base", 500.0f);
    c.extra(writer_);
    add("token_embd.weight", {vocabulary, width});
    for (std::int64_t i = 0; i < layers; ++i) add_layer("blk." + std::to_string(i) + ".");
    add("output_norm.weight", {width});
    if (!c.is_tied) add("output.weight", {vocabulary, width});
  }

  std::string bytes() const { return writer_.head() + data_; }

 private:
  void add_layer(const std::string& prefix) {
    add(prefix + "attn_norm.weight", {width});
    add(prefix + "attn_q.weight", {width, width});
    add(prefix + "attn_k.weight", {kv_width, width});
    add(prefix + "attn_v.weight", {kv_width, width});
    if (case_.architecture == "qwen2") {
      add(prefix + "attn_q.bias", {width});
      add(prefix + "attn_k.bias", {kv_width});
      add(prefix + "attn_v.bias", {kv_width});
    }
    if (case_.architecture == "qwen3") {
      add(prefix + "attn_q_norm.weight", {head});
      add(prefix + "attn_k_norm.weight", {head});
    }
    add(prefix + "attn_output.weight", {width, width});
    add(prefix + "ffn_norm.weight", {width});
    add(prefix + "ffn_gate.weight", {hidden, width});
    add(prefix + "ffn_up.weight", {hidden, width});
    add(prefix + "ffn_down.weight", {width, hidden});
  }

  void add(const std::string& name, const Shape& shape) {
    const bool is_matrix = shape.size() == 2;
    std::normal_distribution<float> normal(
        0, is_matrix ? 1 / std::sqrt(static_cast<float>(shape.back())) : 0.2f);
    std::vector<float> values;
    for (std::int64_t i = 0; i < Layout::contiguous(shape).elements(); ++i)
      values.push_back(normal(random_) + (name.ends_with("norm.weight") ? 1.0f : 0.0f));
    if (!case_.is_quantized || !is_matrix)
      return append(name, shape, DType::f32, std::as_bytes(std::span(values)));
    const bool is_other = name.ends_with("attn_k.weight") || name.ends_with("ffn_up.weight");
    const DType dtype = is_other ? DType::q4_0 : DType::q8_0;
    append(name, shape, dtype, reference::quantize(dtype, values));
  }

  void append(const std::string& name, const Shape& shape, DType dtype, std::span<const std::byte> bytes) {
    writer_.add_tensor(name, shape, gguf_format(dtype), bytes.size());
    data_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    data_ += writer_.padding(bytes.size());
  }

  const Case& case_;
  std::mt19937_64 random_;
  GgufWriter writer_;
  std::string data_;
};

/// The largest difference of logits from the plain ones, over a prompt in parts and a few tokens one by one.
double largest_error(const Case& c) {
  const std::string bytes = MadeUp(c).bytes();
  const GgufFile file = GgufFile::from_memory(std::as_bytes(std::span(bytes)), c.name);
  const Device& device = conformance::device();
  Model model(device, file, {.positions = 24, .rows = 5});
  std::mt19937 random(3);
  std::vector<Token> tokens;
  for (int i = 0; i < 16; ++i) tokens.push_back(static_cast<Token>(random() % vocabulary));
  const std::vector<std::vector<double>> plain = PlainLlama(file).logits(tokens);
  double largest = 0;
  std::int64_t done = 0;
  for (const std::int64_t count : {12, 1, 1, 2}) {
    const std::span<const Token> next(tokens.data() + done, static_cast<std::size_t>(count));
    const std::vector<std::byte> logits = model.forward(upload_tokens(device, next)).to_host();
    done += count;
    for (std::size_t t = 0; t < vocabulary; ++t) {
      float logit = 0;
      std::memcpy(&logit, logits.data() + t * sizeof logit, sizeof logit);
      const double error = std::abs(logit - plain[static_cast<std::size_t>(done) - 1][t]);
      largest = error > largest || std::isnan(error) ? error : largest;
    }
  }
  return largest;
}

class MadeUpModel : public testing::TestWithParam<Case> {};

TEST_P(MadeUpModel, HasTheLogitsOfPlainLoops) {
  SCOPED_TRACE("KERNELGEN_SEED=" + std::to_string(conformance::seed()));
  // Logits are about 1. Activations are rounded to 8 bits a block before quantized products.
  EXPECT_LE(largest_error(GetParam()), GetParam().is_quantized ? 0.1 : 5e-5);
}

const Case cases[] = {
    {.name = "llama"},
    {.name = "llama_tied", .is_tied = true},
    {.name = "llama_quantized", .is_quantized = true},
    {.name = "qwen2", .architecture = "qwen2"},
    {.name = "qwen2_quantized", .architecture = "qwen2", .is_quantized = true},
    {.name = "qwen3", .architecture = "qwen3"},
    {.name = "linear",
     .extra =
         [](GgufWriter& writer) {
           writer.add("llama.rope.scaling.type", std::string_view("linear"));
           writer.add("llama.rope.scaling.factor", 4.0f);
         }},
    {.name = "yarn",
     .architecture = "qwen2",
     .extra =
         [](GgufWriter& writer) {
           writer.add("qwen2.rope.scaling.type", std::string_view("yarn"));
           writer.add("qwen2.rope.scaling.factor", 4.0f);
           writer.add("qwen2.rope.scaling.original_context_length", std::uint32_t{64});
         }},
};
INSTANTIATE_TEST_SUITE_P(, MadeUpModel, testing::ValuesIn(cases),
                         [](const auto& info) { return std::string(info.param.name); });

/// What opening a model says that is wrong in one way.
std::string message(const Case& c) {
  const std::string bytes = MadeUp(c).bytes();
  try {
    Model(conformance::device(), GgufFile::from_memory(std::as_bytes(std::span(bytes)), "bad.gguf"), {});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(MadeUpModelError, NamesWhatIsWrong) {
  EXPECT_EQ(message({.name = "", .architecture = "mamba"}),
            "bad.gguf: architecture 'mamba'; llama, qwen2 and qwen3 are known here");
  EXPECT_EQ(message({.name = "",
                     .extra =
                         [](GgufWriter& writer) {
                           writer.add("llama.rope.scaling.type", std::string_view("longrope"));
                         }}),
            "bad.gguf: rope.scaling.type 'longrope'; none, linear and yarn are known here");
  EXPECT_EQ(
      message(
          {.name = "",
           .extra = [](GgufWriter& writer) { writer.add("llama.rope.dimension_count", std::uint32_t{8}); }}),
      "bad.gguf: heads of 16: only those that are rotated as a whole, with values as wide, are known here");
}

}  // namespace
}  // namespace kernelgen::test
