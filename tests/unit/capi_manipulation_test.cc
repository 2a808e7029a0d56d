// Concatenation, padding, rolls, sequences, scaled_softmax and norms without weights through the C interface.
#include "capi_fixture.hpp"

namespace kernelgen::test {
namespace {

using Floats = std::vector<float>;

TEST_F(Capi, JoinsTensors) {
  const kernelgen_tensor* const tensors[] = {make({1, 2}, {2}), make({3, 4}, {2})};
  kernelgen_tensor* y = nullptr;
  ok(kernelgen_concat(tensors, 2, 0, nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (Floats{1, 2, 3, 4}));
  ok(kernelgen_stack(tensors, 2, 1, nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (Floats{1, 3, 2, 4}));
  fails(kernelgen_concat(nullptr, 2, 0, nullptr, nullptr, &y), KERNELGEN_INVALID_ARGUMENT, "tensors is NULL");
  fails(kernelgen_concat(nullptr, 0, 0, nullptr, nullptr, &y), KERNELGEN_INVALID_ARGUMENT, "no inputs");
  const kernelgen_tensor* const missing[] = {nullptr};
  fails(kernelgen_stack(missing, 1, 0, nullptr, nullptr, &y), KERNELGEN_INVALID_ARGUMENT,
        "element of tensors");
}

TEST_F(Capi, PadsAndRolls) {
  const kernelgen_tensor* x = make({1, 2, 3}, {3});
  const int64_t one[] = {1}, two[] = {2}, dim[] = {0};
  kernelgen_tensor* y = nullptr;
  ok(kernelgen_pad(x, 1, one, 1, two, kernelgen_integer(9), nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (Floats{9, 1, 2, 3, 9, 9}));
  ok(kernelgen_pad_reflect(x, 1, one, 1, two, nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (Floats{2, 1, 2, 3, 2, 1}));
  ok(kernelgen_pad_replicate(x, 1, one, 1, two, nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (Floats{1, 1, 2, 3, 3, 3}));
  ok(kernelgen_pad_circular(x, 1, one, 1, two, nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (Floats{3, 1, 2, 3, 1, 2}));
  ok(kernelgen_roll(x, 1, two, 1, dim, nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (Floats{2, 3, 1}));
  fails(kernelgen_pad(x, 1, nullptr, 1, two, kernelgen_integer(0), nullptr, nullptr, &y),
        KERNELGEN_INVALID_ARGUMENT, "before is NULL");
}

TEST_F(Capi, MasksTriangles) {
  const kernelgen_tensor* x = make({1, 2, 3, 4}, {2, 2});
  kernelgen_tensor* y = nullptr;
  ok(kernelgen_tril(x, 0, kernelgen_integer(-1), nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (Floats{1, -1, 3, 4}));
  ok(kernelgen_triu(x, 1, kernelgen_integer(0), nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (Floats{0, 2, 0, 0}));
  ok(kernelgen_diag(make({5, 6}, {2}), nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (Floats{5, 0, 0, 6}));
}

TEST_F(Capi, MakesSequences) {
  kernelgen_tensor* y = nullptr;
  ok(kernelgen_arange(device_, kernelgen_integer(1), kernelgen_integer(6), kernelgen_integer(2),
                      KERNELGEN_F32, nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (Floats{1, 3, 5}));
  ok(kernelgen_timestep_embedding(make({0}, {1}), 3, 100, nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (Floats{1, 0, 0}));
  fails(kernelgen_arange(nullptr, kernelgen_integer(0), kernelgen_integer(1), kernelgen_integer(1),
                         KERNELGEN_F32, nullptr, nullptr, &y),
        KERNELGEN_INVALID_ARGUMENT, "device is NULL");
}

TEST_F(Capi, NormalizesWithoutWeights) {
  kernelgen_tensor* y = nullptr;
  ok(kernelgen_plain_rms_norm(make({3, -3}, {2}), 0, nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (Floats{1, -1}));
  ok(kernelgen_plain_layer_norm(make({1, 3}, {2}), 0, nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (Floats{-1, 1}));
  ok(kernelgen_l2_norm(make({0.25f, 0}, {2}), 0.5, nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (Floats{0.5f, 0}));
  ok(kernelgen_group_norm(make({1, 3, 7, 5}, {1, 2, 2}), 2, 0, nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (Floats{-1, 1, 1, -1}));
}

TEST_F(Capi, ScalesAndMasksSoftmax) {
  const kernelgen_tensor* x = make({0, 0}, {1, 1, 2});
  const kernelgen_tensor *mask = make({0, -1e30f}, {2}), *sinks = make({0}, {1});
  kernelgen_tensor* y = nullptr;
  ok(kernelgen_scaled_softmax(x, 2, nullptr, nullptr, nullptr, nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (Floats{0.5f, 0.5f}));
  ok(kernelgen_scaled_softmax(x, 2, mask, nullptr, sinks, nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (Floats{0.5f, 0}));
}

TEST_F(Capi, SetsRows) {
  kernelgen_tensor *y = make({0, 0, 0, 0}, {2, 2}), *ids = nullptr;
  const int64_t shape[] = {1}, id = 1;
  ok(kernelgen_tensor_from_host(device_, &id, sizeof id, KERNELGEN_I64, 1, shape, nullptr, &ids));
  keep(ids);
  ok(kernelgen_set_rows(y, ids, make({5, 6}, {1, 2}), nullptr));
  EXPECT_EQ(read(y), (Floats{0, 0, 5, 6}));
  fails(kernelgen_set_rows(y, nullptr, y, nullptr), KERNELGEN_INVALID_ARGUMENT, "ids is NULL");
}

}  // namespace
}  // namespace kernelgen::test
