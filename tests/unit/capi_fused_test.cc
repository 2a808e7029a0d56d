// C functions with two results: handles, outputs, refusals.
#include <gtest/gtest.h>

#include "capi_fixture.hpp"

namespace kernelgen::test {
namespace {

TEST_F(Capi, Gates) {
  const kernelgen_tensor *a = make({0, 100}, {2}), *b = make({7, 2}, {2});
  kernelgen_tensor* y = nullptr;
  ok(kernelgen_silu_mul(a, b, nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (std::vector<float>{0, 200}));
  ok(kernelgen_gelu_mul(a, b, nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (std::vector<float>{0, 200}));
}

TEST_F(Capi, AddsAndNormalizes) {
  const kernelgen_tensor *x = make({1, 1}, {1, 2}), *residual = make({2, -4}, {1, 2});
  const kernelgen_tensor *weight = make({2, 1}, {2}), *bias = make({0, 5}, {2});
  kernelgen_tensor *sum = nullptr, *norm = nullptr;
  ok(kernelgen_add_rms_norm(x, residual, weight, 0, nullptr, nullptr, nullptr, &sum, &norm));
  EXPECT_EQ(read(keep(sum)), (std::vector<float>{3, -3}));
  EXPECT_EQ(read(keep(norm)), (std::vector<float>{2, -1}));
  ok(kernelgen_add_layer_norm(x, residual, weight, bias, 0, sum, norm, nullptr, nullptr, nullptr));
  EXPECT_EQ(read(sum), (std::vector<float>{3, -3}));
  EXPECT_EQ(read(norm), (std::vector<float>{2, 4}));
  // One into x, the other a new tensor.
  ok(kernelgen_add_rms_norm(x, residual, weight, 0, x, nullptr, nullptr, nullptr, &norm));
  EXPECT_EQ(read(x), (std::vector<float>{3, -3}));
  EXPECT_EQ(read(keep(norm)), (std::vector<float>{2, -1}));
  fails(kernelgen_add_rms_norm(x, residual, weight, 0, nullptr, nullptr, nullptr, &sum, nullptr),
        KERNELGEN_INVALID_ARGUMENT, "norm is NULL");
  fails(kernelgen_add_layer_norm(x, residual, weight, nullptr, 0, nullptr, nullptr, nullptr, &sum, &norm),
        KERNELGEN_INVALID_ARGUMENT, "bias is NULL");
  fails(kernelgen_add_rms_norm(x, residual, weight, 0, x, x, nullptr, nullptr, nullptr),
        KERNELGEN_INVALID_ARGUMENT, "overlaps");
}

TEST_F(Capi, RotatesQueriesAndKeys) {
  const kernelgen_tensor *q = make({1, 2}, {1, 1, 1, 2}), *k = make({1, 2, 3, 4}, {1, 2, 1, 2});
  const kernelgen_tensor *cos = make({0}, {1, 1}), *sin = make({1}, {1, 1});
  for (const auto rotate : {kernelgen_rope_qk, kernelgen_rope_i_qk}) {
    kernelgen_tensor *q_result = nullptr, *k_result = nullptr;
    ok(rotate(q, k, cos, sin, nullptr, nullptr, nullptr, &q_result, &k_result));
    EXPECT_EQ(read(keep(q_result)), (std::vector<float>{-2, 1}));
    EXPECT_EQ(read(keep(k_result)), (std::vector<float>{-2, 1, -4, 3}));
  }
  kernelgen_tensor *q_result = nullptr, *k_result = nullptr;
  const kernelgen_tensor* by_heads = make({1, 2, 3, 4}, {1, 1, 2, 2});
  ok(kernelgen_rope_thd_qk(q, by_heads, cos, sin, nullptr, nullptr, nullptr, &q_result, &k_result));
  EXPECT_EQ(read(keep(k_result)), (std::vector<float>{-2, 1, -4, 3}));
  keep(q_result);
  fails(kernelgen_rope_qk(q, k, cos, sin, nullptr, nullptr, nullptr, nullptr, &k_result),
        KERNELGEN_INVALID_ARGUMENT, "q_result is NULL");
}

TEST_F(Capi, RotatesAndStoresInACache) {
  const kernelgen_tensor *q = make({1, 2}, {1, 1, 2}), *k = make({3, 4}, {1, 1, 2}), *v = make({5}, {1, 1});
  const kernelgen_tensor *cos = make({0}, {1, 1}), *sin = make({1}, {1, 1});
  const kernelgen_tensor *keys = make({0, 0, 0, 0}, {2, 2}), *values = make({0, 0}, {2, 1});
  kernelgen_tensor *ids = nullptr, *y = nullptr;
  ok(kernelgen_to_dtype(make({1}, {1}), KERNELGEN_U32, nullptr, nullptr, &ids));
  keep(ids);
  ok(kernelgen_rope_set_rows(q, k, v, cos, sin, keys, ids, values, ids, 0, nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (std::vector<float>{-2, 1}));
  EXPECT_EQ(read(keys), (std::vector<float>{0, 0, -4, 3}));
  EXPECT_EQ(read(values), (std::vector<float>{0, 5}));
  fails(kernelgen_rope_set_rows(q, k, v, cos, sin, keys, nullptr, values, ids, 0, nullptr, nullptr, &y),
        KERNELGEN_INVALID_ARGUMENT, "key_ids is NULL");
}

TEST_F(Capi, CrossEntropyWithAndWithoutItsLogSumExp) {
  const kernelgen_tensor* logits = make({0, -1000, 5, -1000}, {2, 2});
  kernelgen_tensor *targets = nullptr, *loss = nullptr, *sum = nullptr;
  ok(kernelgen_to_dtype(make({1, 0}, {2}), KERNELGEN_U32, nullptr, nullptr, &targets));
  keep(targets);
  ok(kernelgen_cross_entropy(logits, targets, nullptr, nullptr, nullptr, &loss, nullptr));
  EXPECT_EQ(read(keep(loss)), (std::vector<float>{1000, 0}));
  ok(kernelgen_cross_entropy(logits, targets, loss, nullptr, nullptr, nullptr, &sum));
  EXPECT_EQ(read(keep(sum)), (std::vector<float>{0, 5}));
  ok(kernelgen_cross_entropy(logits, targets, loss, sum, nullptr, nullptr, nullptr));
  EXPECT_EQ(read(sum), (std::vector<float>{0, 5}));
  fails(kernelgen_cross_entropy(logits, targets, nullptr, nullptr, nullptr, nullptr, &sum),
        KERNELGEN_INVALID_ARGUMENT, "loss is NULL");
}

}  // namespace
}  // namespace kernelgen::test
