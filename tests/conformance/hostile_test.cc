// Views, copies, rows, reductions and products with extreme numbers: never a crash, and never more memory than the numbers
// are worth.
#include <gtest/gtest.h>

#include <string>

#include "environment.hpp"
#include "hostile_case.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen::conformance {
namespace {

TEST(Hostile, TensorsAndViews) {
  repeatedly(1, [](Numbers& n) {
    const Shape shape = n.dims(n.below(5));
    if (!takes_long(shape)) {
      result_of([&] { return Tensor::zeros(device(), shape, n.dtype()); });
      result_of([&] { return Tensor::from_host(device(), Bytes(16), shape, n.dtype()); });
      result_of([&] { return rand_uniform(device(), shape, DType::f32, n.real(), n.real()); });
      result_of([&] { return rand_normal(device(), shape, DType::f64, n.number(), n.real()); });
    }
    Tensor x = odd_tensor(n.below(5), n.dtype(), n);
    for (int step = 0; step < 6; ++step) {
      try {
        switch (n.below(9)) {
          case 0:
            x = x.transpose(n.dim(), n.dim());
            break;
          case 1: {
            const Dims order = n.dims(n.below(9));
            x = x.permute(std::span(order.data(), order.size()));
            break;
          }
          case 2:
            x = x.narrow(n.dim(), n.number(), n.number());
            break;
          case 3:
            x = x.broadcast_to(n.dims(n.below(9)));
            break;
          case 4:
            x = x.reshape(n.dims(n.below(9)));
            break;
          case 5:
            x = x.squeeze(n.dim());
            break;
          case 6:
            x = x.unsqueeze(n.dim());
            break;
          case 7:
            x = x.with_layout({n.dims(2), n.dims(2), n.number()});
            break;
          default:
            x = x.with_layout({n.dims(3), {n.number(), 0, 0}, n.number()});
        }
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::invalid_argument) << error.what();
      }
      EXPECT_GE(x.elements(), 0);
      EXPECT_GE(x.data(), x.storage()->data());
      if (!takes_long(x.shape())) {
        result_of([&] { return x; });
        result_of([&] { return copy(x); });
        result_of([&] { return add(x, x); });
      }
    }
  });
}

TEST(Hostile, CopiesAndFills) {
  repeatedly(2, [](Numbers& n) {
    const DType dtype = n.dtype();
    const Tensor from = odd_tensor(n.below(4), dtype, n), to = small_tensor({24}, dtype, n);
    const std::int64_t rows = n.number(), columns = n.number(), to_stride = n.number(),
                       from_stride = n.number(), to_first = n.number(), from_first = n.number();
    expect_same(from, [&](const Tensor& source) {
      const Tensor target = plain(to);
      copy2d(target, source.layout().is_contiguous() ? source : plain(source), rows, columns, to_stride,
             from_stride, to_first, from_first);
      return target;
    });
    expect_same(from, [&](const Tensor& x) {
      const Tensor target = plain(x);
      copy_into(target, x);
      if (n.chance(2)) const_set(target, 1);
      const_set(target, 2);
      return target;
    });
    const Scalar a = n.chance(2) ? Scalar(n.number()) : Scalar(n.real()), b = n.real();
    expect_same(from, [&](const Tensor& x) { return affine(x, a, b); });
    expect_same(from, [&](const Tensor& x) { return powf(x, a); });
    expect_same(from, [&](const Tensor& x) { return elu(x, b); });
    expect_same(from, [&](const Tensor& x) { return to_dtype(x, DType::i64); });
  });
}

TEST(Hostile, RowsAndReductions) {
  repeatedly(3, [](Numbers& n) {
    const Tensor x = odd_tensor(n.below(5), n.dtype(), n);
    const Dims dims = n.chance(4) ? n.dims(n.below(4)) : Dims{n.dim()};
    const Axes axes(dims.data(), dims.size());
    const bool keep = n.chance(2);
    const std::int64_t dim = n.dim();
    for (const auto reduce : {sum, mean, prod, min, max, any, all})
      expect_same(x, [&](const Tensor& t) { return reduce(t, axes, keep, {}); });
    expect_same(x, [&](const Tensor& t) { return argmin(t, dim, keep); });
    expect_same(x, [&](const Tensor& t) { return argmax(t, std::nullopt, keep); });
    expect_same(x, [&](const Tensor& t) { return softmax(t); });
    expect_same(x, [&](const Tensor& t) { return log_softmax(t); });
    expect_same(x, [&](const Tensor& t) { return sort(t, keep).values; });
    expect_same(x, [&](const Tensor& t) { return cumsum(t, dim); });
    const std::int64_t k = n.chance(2) ? n.number() : n.below(3);
    for (const auto result : {&Indexed::values, &Indexed::indices}) {
      expect_same(x, [&](const Tensor& t) { return top_k(t, k, dim).*result; });
      expect_same(x, [&](const Tensor& t) { return max_with_index(t, dim, keep).*result; });
      expect_same(x, [&](const Tensor& t) { return min_with_index(t, std::nullopt, keep).*result; });
    }
    const double eps = n.real();
    expect_same(x, odd_tensor(1, x.dtype(), n),
                [&](const Tensor& t, const Tensor& weight) { return rms_norm(t, weight, eps); });
    expect_same(x, odd_tensor(1, x.dtype(), n),
                [&](const Tensor& t, const Tensor& weight) { return layer_norm(t, weight, weight, eps); });
    const Tensor weight =
        small_tensor({x.shape().empty() ? 1 : std::min<std::int64_t>(x.shape().back(), 9)}, x.dtype(), n);
    expect_same(x, odd_tensor(n.below(5), x.dtype(), n), [&](const Tensor& t, const Tensor& residual) {
      return add_rms_norm(t, residual, weight, eps).norm;
    });
    expect_same(x, [&](const Tensor& t) { return add_layer_norm(t, t, weight, weight, eps).sum; });
    expect_same(x, x, [&](const Tensor& t, const Tensor& other) { return silu_mul(t, other); });
  });
}

TEST(Hostile, Products) {
  repeatedly(4, [](Numbers& n) {
    const DType dtype = n.chance(4) ? DType::f64 : DType::f32;
    const Tensor a = odd_tensor(2 + n.below(3), dtype, n);
    expect_same(a, odd_tensor(2 + n.below(2), dtype, n),
                [](const Tensor& p, const Tensor& q) { return matmul(p, q); });
    expect_same(a, [](const Tensor& p) { return matmul(p, p.transpose(-1, -2)); });
    const Tensor x = odd_tensor(4, dtype, n), angles = odd_tensor(2, dtype, n);
    for (const auto rotate : {rope, rope_i, rope_thd})
      expect_same(x, angles,
                  [&](const Tensor& t, const Tensor& angle) { return rotate(t, angle, angle, {}); });
    for (const auto rotate : {rope_qk, rope_i_qk, rope_thd_qk})
      expect_same(x, angles,
                  [&](const Tensor& t, const Tensor& angle) { return rotate(t, t, angle, angle, {}).k; });
    const Tensor even = small_tensor({1, 1, 2, 2}, dtype, n), table = small_tensor({2, 1}, dtype, n);
    Layout wild = table.layout();
    wild.strides[1] = n.number();
    for (const auto rotate : {rope, rope_i, rope_thd})
      expect_same(even, [&](const Tensor& t) { return rotate(t, table.with_layout(wild), table, {}); });
  });
}

/// Each of these ended the process, or would have under sanitizers.
TEST(Hostile, WhatWasFound) {
  const Tensor none = Tensor::zeros(device(), {1, 0, 2, 2}, DType::f32);
  const Tensor weight = Tensor::zeros(device(), {0, 4, 1, 1}, DType::f32);
  for (const std::int64_t groups : {one << 62, most, (one << 62) + 1, one << 31}) {
    Window2 window;
    window.groups = groups;
    try {
      conv_transpose2d(none, weight, window);
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::invalid_argument);
      EXPECT_NE(std::string(error.what()).find("2^31"), std::string::npos) << error.what();
    }
  }
  const Tensor cut = Tensor::zeros(device(), {4, 6}, DType::f32).narrow(1, 0, 0).transpose(0, 1);
  EXPECT_EQ(cut.reshape({0}).elements(), 0);
  const Tensor source = Tensor::zeros(device(), {6, 4}, DType::f32).narrow(0, 0, 0);
  const Tensor out = cut.narrow(1, 0, 4);  // strided, but for having no element
  EXPECT_EQ(exp(source, {.out = &out}).elements(), 0);
  const Tensor point = Tensor::zeros(device(), {1}, DType::u8);
  EXPECT_EQ(result_of([&] { return point.broadcast_to({one << 50}); }), std::nullopt);
  EXPECT_EQ(result_of([&] { return copy(point.broadcast_to({one << 50})); }), std::nullopt);
  EXPECT_EQ(result_of([&] { return point.broadcast_to({most, 2}); }), std::nullopt);
  EXPECT_EQ(result_of([&] { return point.with_layout({{most, 2}, {0, 0}, 0}); }), std::nullopt);
}

}  // namespace
}  // namespace kernelgen::conformance
