// Attention through the C interface.
#include "capi_fixture.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

namespace kernelgen::test {
namespace {

class CapiAttention : public Capi {
 protected:
  kernelgen_tensor* lengths(const std::vector<int32_t>& values) {
    const int64_t count = static_cast<int64_t>(values.size());
    kernelgen_tensor* tensor = nullptr;
    ok(kernelgen_tensor_from_host(device_, values.data(), values.size() * sizeof(int32_t), KERNELGEN_I32, 1,
                                  &count, nullptr, &tensor));
    return keep(tensor);
  }

  // Two queries of one element, two keys whose logits are 0, values 1 and 3.
  const kernelgen_tensor* q_ = nullptr;
  const kernelgen_tensor* k_ = nullptr;
  const kernelgen_tensor* v_ = nullptr;
  kernelgen_tensor* y_ = nullptr;

  void SetUp() override {
    Capi::SetUp();
    q_ = make({1, 1}, {1, 1, 2, 1});
    k_ = make({0, 0}, {1, 1, 2, 1});
    v_ = make({1, 3}, {1, 1, 2, 1});
  }

  std::vector<float> attend(const kernelgen_attention_options& options) {
    ok(kernelgen_attention(q_, k_, v_, &options, nullptr, nullptr, &y_));
    return read(keep(y_));
  }
};

TEST_F(CapiAttention, WithoutOptions) {
  ok(kernelgen_attention(q_, k_, v_, nullptr, nullptr, nullptr, &y_));
  EXPECT_EQ(read(keep(y_)), (std::vector<float>{2, 2}));
}

TEST_F(CapiAttention, EveryOption) {
  using Values = std::vector<float>;
  const auto plain = kernelgen_attention_options_init();
  EXPECT_EQ(attend(plain), (Values{2, 2}));
  auto options = plain;
  options.causal = 1;
  EXPECT_EQ(attend(options), (Values{1, 2}));
  options = plain;
  options.window_left = options.window_right = 0;
  EXPECT_EQ(attend(options), (Values{1, 3}));
  options = plain;
  options.mask = make({0, -std::numeric_limits<float>::infinity()}, {2});
  EXPECT_EQ(attend(options), (Values{1, 1}));
  options = plain;
  const float log_two = std::log(2.0f);
  options.sinks = make({log_two}, {1});
  EXPECT_FLOAT_EQ(attend(options)[0], 1);
  options = plain;
  options.alibi_slopes = make({1e9}, {1});
  EXPECT_EQ(attend(options), (Values{1, 3}));
  options = plain;
  options.query_lengths = lengths({1});
  EXPECT_EQ(attend(options), (Values{2, 0}));
  options = plain;
  options.key_lengths = lengths({1});
  EXPECT_EQ(attend(options), (Values{1, 1}));
  options = plain;
  kernelgen_tensor* const sums = make({0, 0}, {1, 1, 2});
  options.log_sum_exp = sums;
  attend(options);
  EXPECT_FLOAT_EQ(read(sums)[1], log_two);
}

TEST_F(CapiAttention, ScaleAndCap) {
  k_ = make({1, 2}, {1, 1, 2, 1});
  auto options = kernelgen_attention_options_init();
  options.scale = 1e4;
  EXPECT_EQ(attend(options), (std::vector<float>{3, 3}));
  options.soft_cap = 1;
  EXPECT_EQ(attend(options), (std::vector<float>{2, 2}));
}

TEST_F(CapiAttention, Pages) {
  k_ = make({0, 0, 0, 0, 0, 0}, {3, 1, 2, 1});
  v_ = make({100, 100, 7, 8, 5, 9}, {3, 1, 2, 1});
  const int32_t table[] = {2, 1};
  const int64_t shape[] = {1, 2};
  kernelgen_tensor* pages = nullptr;
  ok(kernelgen_tensor_from_host(device_, table, sizeof table, KERNELGEN_I32, 2, shape, nullptr, &pages));
  auto options = kernelgen_attention_options_init();
  options.block_table = keep(pages);
  options.key_lengths = lengths({3});
  EXPECT_EQ(attend(options), (std::vector<float>{7, 7}));
  options.key_lengths = lengths({5});
  ok(kernelgen_attention(q_, k_, v_, &options, nullptr, nullptr, &y_));
  keep(y_);
  fails(kernelgen_device_synchronize(device_), KERNELGEN_INDEX_OUT_OF_RANGE,
        "key_lengths has 5 at position 0");
}

TEST_F(CapiAttention, Refusals) {
  auto options = kernelgen_attention_options_init();
  options.size -= 8;
  fails(kernelgen_attention(q_, k_, v_, &options, nullptr, nullptr, &y_), KERNELGEN_INVALID_ARGUMENT,
        "kernelgen_attention_options_init()");
  options = kernelgen_attention_options_init();
  options.window_left = -2;
  fails(kernelgen_attention(q_, k_, v_, &options, nullptr, nullptr, &y_), KERNELGEN_INVALID_ARGUMENT,
        "window_left is -2");
  fails(kernelgen_attention(nullptr, k_, v_, nullptr, nullptr, nullptr, &y_), KERNELGEN_INVALID_ARGUMENT,
        "q is NULL");
  fails(kernelgen_attention(q_, k_, v_, nullptr, nullptr, nullptr, nullptr), KERNELGEN_INVALID_ARGUMENT,
        "result is NULL");
}

}  // namespace
}  // namespace kernelgen::test
