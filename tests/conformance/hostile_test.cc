// Every operation that takes numbers, with the most extreme ones there are: an Error, or what the same call gives for
// plain copies of its operands. Never a crash, never more memory than the numbers are worth.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "environment.hpp"
#include "inputs.hpp"
#include "kernelgen/error.hpp"
#include "kernelgen/ops.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t one = 1;
constexpr std::int64_t extremes[] = {0,
                                     1,
                                     -1,
                                     2,
                                     3,
                                     4,
                                     least,
                                     least + 1,
                                     most,
                                     most - 1,
                                     one << 62,
                                     -(one << 62),
                                     (one << 62) + 1,
                                     one << 61,
                                     one << 57,
                                     one << 33,
                                     one << 32,
                                     (one << 32) + 1,
                                     -(one << 32),
                                     one << 31,
                                     (one << 31) - 1,
                                     -(one << 31),
                                     3037000500};
constexpr double real_extremes[] = {0,     -0.0,   1,        -1,        0.5, 1e-310,
                                    1e300, -1e300, INFINITY, -INFINITY, NAN, 9.3e18};

/// What would take long, or gigabytes, and rightly so.
constexpr Wide most_elements = 1 << 16;

class Numbers {
 public:
  explicit Numbers(std::uint64_t stream) : stream_(stream << 32) {}

  std::uint64_t bits() { return random_bits(stream_++); }
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(n));
  }
  bool chance(int in) { return below(in) == 0; }
  /// Mostly small, so that calls get past their first check.
  std::int64_t number() { return chance(2) ? below(4) : extremes[below(std::size(extremes))]; }
  std::int64_t dim() { return chance(3) ? number() : below(3); }
  double real() { return real_extremes[below(std::size(real_extremes))]; }
  Size2 size() { return {number(), number()}; }
  Dims dims(std::int64_t rank) {
    Dims values;
    for (; rank > 0; --rank) values.push_back(number());
    return values;
  }
  DType dtype() { return all_dtypes[below(std::size(all_dtypes))]; }

 private:
  std::uint64_t stream_;
};

Wide count(const Shape& shape) {
  Wide elements = 1;
  for (const std::int64_t extent : shape)
    if (extent <= 0) return 0;
  for (const std::int64_t extent : shape)
    elements = elements > (Wide{1} << 64) ? elements : elements * static_cast<Wide>(extent);
  return elements;
}

/// More than a test may take, and less than is refused for its size alone.
bool takes_long(const Shape& shape) { return count(shape) > most_elements && count(shape) < (Wide{1} << 60); }

/// Small integers: sums of them are exact in any order.
Tensor small_tensor(const Shape& shape, DType dtype, Numbers& numbers) {
  std::vector<Real> values(static_cast<std::size_t>(count(shape)));
  for (Real& value : values) value = static_cast<Real>(numbers.below(3));
  return upload(reference::make_elements(dtype, values)).reshape(shape);
}

/// Views with extreme strides where no element lies, without elements, or repeated.
Tensor odd_tensor(std::int64_t rank, DType dtype, Numbers& numbers) {
  Shape shape;
  for (std::int64_t d = 0; d < rank; ++d) shape.push_back(numbers.below(4) + (numbers.chance(4) ? 0 : 1));
  Tensor tensor = small_tensor(shape, dtype, numbers);
  if (numbers.chance(2)) return tensor;
  Layout layout = tensor.layout();
  for (std::size_t d = 0; d < layout.rank(); ++d) {
    if (numbers.chance(6)) layout.shape[d] = 0;
    if (layout.shape[d] <= 1 || numbers.chance(6)) layout.strides[d] = numbers.number();
    if (numbers.chance(6)) layout.shape[d] = numbers.number();
  }
  if (numbers.chance(6)) layout.offset = numbers.number();
  try {
    const Tensor view = tensor.with_layout(layout);
    // Without elements too, extents are small or larger than any memory: results may have some.
    for (const std::int64_t extent : view.shape())
      if (extent > 6 && extent < (one << 57)) return tensor;
    return count(view.shape()) > most_elements ? tensor : view;
  } catch (const Error&) {
    return tensor;
  }
}

/// The same elements in memory of their own, one after another.
Tensor plain(const Tensor& x) { return Tensor::from_host(device(), x.to_host(), x.shape(), x.dtype()); }

using Bytes = std::vector<std::byte>;

/// What a call gives; nothing for an Error. Anything else that is thrown ends the test.
std::optional<Bytes> result_of(const std::function<Tensor()>& call) {
  std::optional<Bytes> result;
  try {
    const Tensor y = call();
    result = y.to_host();
    EXPECT_EQ(static_cast<Wide>(result->size()), count(y.shape()) * size_of(y.dtype()));
    EXPECT_LE(count(y.shape()), most_elements);
    device().synchronize();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()), "");
    result.reset();
    try {
      device().synchronize();
    } catch (const Error&) {  // a bad index
    }
  }
  return result;
}

using Operation1 = std::function<Tensor(const Tensor&)>;
using Operation2 = std::function<Tensor(const Tensor&, const Tensor&)>;

/// Odd operands give what plain ones do.
void expect_same(const Tensor& x, const Operation1& operation) {
  ASSERT_EQ(result_of([&] { return operation(x); }), result_of([&] { return operation(plain(x)); }))
      << x.layout().to_string();
}
void expect_same(const Tensor& a, const Tensor& b, const Operation2& operation) {
  ASSERT_EQ(result_of([&] { return operation(a, b); }),
            result_of([&] { return operation(plain(a), plain(b)); }))
      << a.layout().to_string() << " and " << b.layout().to_string();
}

/// The body, over and over with numbers of its own; KERNELGEN_HOSTILE_TURNS turns, or some hundreds.
void repeatedly(std::uint64_t stream, const std::function<void(Numbers&)>& body) {
  const char* wanted = std::getenv("KERNELGEN_HOSTILE_TURNS");
  const std::uint64_t turns = wanted != nullptr ? std::stoull(wanted) : 600;
  for (std::uint64_t turn = 0; turn < turns && !testing::Test::HasFailure(); ++turn) {
    SCOPED_TRACE("turn " + std::to_string(turn));
    Numbers numbers(stream << 20 | turn);
    body(numbers);
  }
}

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

TEST(Hostile, Attention) {
  repeatedly(7, [](Numbers& n) {
    const auto some = [&] { return n.below(3) + (n.chance(4) ? 0 : 1); };
    const DType dtype = n.chance(6)   ? n.dtype()
                        : n.chance(2) ? DType::f32
                                      : DType::bf16,
                kv_type = n.chance(3) ? DType::f8e4m3 : dtype,
                id_type = integer_dtypes[n.below(std::size(integer_dtypes))];
    const std::int64_t batch = some(), kv_heads = some(), rows = some(), width = some();
    const bool has_pages = n.chance(3);
    const Tensor q = n.chance(6)
                         ? odd_tensor(4, dtype, n)
                         : small_tensor({batch, some(), kv_heads * some(), width}, dtype, n).transpose(1, 2);
    const Tensor k = n.chance(6)
                         ? odd_tensor(4, kv_type, n)
                         : small_tensor({width, has_pages ? some() : batch, kv_heads, rows}, kv_type, n)
                               .permute(std::array<std::int64_t, 4>{1, 2, 3, 0});
    const auto ids = [&](const Shape& shape) {
      std::vector<Real> values(static_cast<std::size_t>(count(shape)));
      for (Real& value : values) value = static_cast<Real>(n.chance(4) ? n.number() : n.below(3));
      return to_dtype(upload(reference::make_elements(DType::i64, values)).reshape(shape), id_type);
    };
    const Tensor mask = odd_tensor(n.below(5), dtype, n), slopes = odd_tensor(1 + n.below(2), DType::f32, n),
                 sinks = odd_tensor(1, DType::f32, n), queries = ids({batch}), keys = ids({batch}),
                 pages = ids({batch, some()});
    AttentionOptions options;
    if (n.chance(3)) options.scale = n.real();
    if (n.chance(3)) options.soft_cap = n.real();
    if (n.chance(3)) options.window_left = n.number();
    if (n.chance(3)) options.window_right = n.number();
    options.causal = n.chance(2);
    if (n.chance(4)) options.mask = &mask;
    if (n.chance(8)) options.alibi_slopes = &slopes;
    if (n.chance(8)) options.sinks = &sinks;
    if (n.chance(3)) options.query_lengths = &queries;
    if (n.chance(3)) options.key_lengths = &keys;
    if (has_pages) options.block_table = &pages;
    expect_same(q, k, [&](const Tensor& a, const Tensor& b) { return attention(a, b, b, options).y; });
  });
}

TEST(Hostile, Indices) {
  repeatedly(5, [](Numbers& n) {
    const std::int64_t rank = n.below(4),
                       dim = n.chance(3) ? n.dim() : n.below(std::max<std::int64_t>(rank, 1));
    const DType dtype = n.dtype(), id_type = integer_dtypes[n.below(std::size(integer_dtypes))];
    const Tensor x = odd_tensor(rank, dtype, n);
    std::vector<Real> values(4);
    for (Real& value : values) value = static_cast<Real>(n.chance(3) ? n.number() : n.below(3));
    const Tensor line = to_dtype(upload(reference::make_elements(DType::i64, values)), id_type);
    const Tensor some = n.chance(2) ? line : line.narrow(0, n.below(3), 1);
    Tensor ids = some;
    for (std::size_t d = 1; d < x.shape().size(); ++d) ids = ids.unsqueeze(0);
    const auto same = [&](const Operation2& operation) { expect_same(x, some, operation); };
    same([&](const Tensor& t, const Tensor& i) { return index_select(t, dim, i); });
    same([&](const Tensor& t, const Tensor& i) {
      return cross_entropy(t, i, {.wants_log_sum_exp = true}).log_sum_exp;
    });
    if (!x.shape().empty() && x.shape().back() > 0) {
      const Tensor row = x.narrow(-1, 0, 1).squeeze(-1);
      if (count(row.shape()) <= most_elements)
        same([&](const Tensor& t, const Tensor& i) {
          return cross_entropy(t, count(row.shape()) == 0 ? Tensor::zeros(device(), row.shape(), id_type)
                                                          : i.narrow(0, 0, 1).broadcast_to(row.shape()))
              .loss;
        });
    }
    expect_same(x, ids, [&](const Tensor& t, const Tensor& i) { return gather(t, dim, i); });
    expect_same(x, ids, [&](const Tensor& t, const Tensor& i) {
      const Tensor y = plain(x);
      scatter_set(y, dim, i, t);
      return y;
    });
    expect_same(x, ids, [&](const Tensor& t, const Tensor& i) {
      const Tensor y = plain(x);
      scatter_add_set(y, dim, i, t, true);
      return y;
    });
    same([&](const Tensor& t, const Tensor& i) {
      return index_add(t, dim, i, index_select(t, dim, i), true);
    });
  });
}

TEST(Hostile, Windows) {
  repeatedly(6, [](Numbers& n) {
    const DType dtype = DType::f32;
    const bool is_line = n.chance(2);
    const std::int64_t rank = is_line ? 3 : 4;
    const Tensor x = odd_tensor(rank, dtype, n), weight = odd_tensor(rank, dtype, n);
    const Window2 window{n.size(), n.size(), n.size(), n.chance(2) ? Size2{0, 0} : n.size(), n.number()};
    const Window1 line{window.stride.width, window.padding.width, window.dilation.width,
                       window.output_padding.width, window.groups};
    // Some outputs are huge by right.
    const auto is_modest = [&](Size2 size) { return std::max(size.height, size.width) < 8; };
    const bool takes_little = is_modest(window.stride) && is_modest(window.padding) &&
                              is_modest(window.dilation) && is_modest(window.output_padding);
    const auto modest_or_refused = [&](auto&& call) -> Operation2 {
      return [&, call](const Tensor& t, const Tensor& w) {
        // What is not modest gives an image that no memory holds, or none at all.
        const Tensor none = Tensor::empty(device(), {0}, dtype);
        return call(t, w, takes_little ? CallOptions{} : CallOptions{.out = &none});
      };
    };
    if (is_line) {
      expect_same(x, weight, modest_or_refused([&](const Tensor& t, const Tensor& w, const CallOptions& o) {
                    return conv1d(t, w, line, o);
                  }));
      expect_same(x, weight, modest_or_refused([&](const Tensor& t, const Tensor& w, const CallOptions& o) {
                    return conv_transpose1d(t, w, line, o);
                  }));
    } else {
      expect_same(x, weight, modest_or_refused([&](const Tensor& t, const Tensor& w, const CallOptions& o) {
                    return conv2d(t, w, window, o);
                  }));
      expect_same(x, weight, modest_or_refused([&](const Tensor& t, const Tensor& w, const CallOptions& o) {
                    return conv_transpose2d(t, w, window, o);
                  }));
    }
    const Size2 kernel = n.size(), stride = n.size();
    expect_same(x, [&](const Tensor& t) { return avg_pool2d(t, kernel, stride); });
    expect_same(x, [&](const Tensor& t) { return max_pool2d(t, kernel, stride); });
    const Size2 size = n.size();
    const std::int64_t length = n.number();
    const Scale2 scale{n.chance(2) ? std::nullopt : std::optional(n.real()), std::nullopt};
    const bool align = n.chance(2);
    if (!takes_long({length})) expect_same(x, [&](const Tensor& t) { return upsample_nearest1d(t, length); });
    if (!takes_long({size.height, size.width, 64})) {
      expect_same(x, [&](const Tensor& t) { return upsample_nearest2d(t, size); });
      expect_same(x, [&](const Tensor& t) { return upsample_bilinear2d(t, size, align, scale); });
    }
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
