// Attention, indices and windows with extreme numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>

#include "environment.hpp"
#include "hostile_case.hpp"
#include "inputs.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

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
    // Some valid outputs are huge.
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

}  // namespace
}  // namespace kernelgen::conformance
