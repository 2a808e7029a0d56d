#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace kernelgen::test {

/// A convolution as a stub of a vendor's library sees it. Of one by data, x is the derivative that comes out, y the one that
/// goes in.
struct StubConvolution {
  struct Tensor {
    int type = -1;
    std::int64_t alignment = 0;
    std::array<std::int64_t, 4> shape{}, strides{};
  };

  bool by_data = false;
  Tensor x, y, filter;
  std::array<std::int64_t, 2> padding{}, stride{}, dilation{};
  int mode = -1, compute = -1;
  int engine = -1;
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
  void* stream = nullptr;
  std::uintptr_t context = 0;

  std::int64_t groups() const { return x.shape[1] / filter.shape[1]; }

  /// Sizes and channels fit together.
  bool is_consistent() const {
    bool fits = x.shape[0] == y.shape[0] && filter.shape[0] == y.shape[1] &&
                filter.shape[1] * groups() == x.shape[1] && filter.shape[0] % groups() == 0;
    for (std::size_t axis = 0; axis < 2; ++axis) {
      const std::int64_t reach = (filter.shape[axis + 2] - 1) * dilation[axis] + 1;
      fits = fits && y.shape[axis + 2] == (x.shape[axis + 2] + 2 * padding[axis] - reach) / stride[axis] + 1;
    }
    return fits;
  }

  /// On host memory; what is outside of an operand is zero.
  template <class T>
  void compute_on_host(void* x_data, const void* filter_data, void* y_data) const {
    T* const of_x = static_cast<T*>(x_data);
    T* const of_y = static_cast<T*>(y_data);
    const T* const factors = static_cast<const T*>(filter_data);
    const Tensor& result = by_data ? x : y;
    std::fill_n(by_data ? of_x : of_y, result.shape[0] * result.strides[0], T(0));
    for_each_product([&](std::int64_t in, bool inside, std::int64_t out, std::int64_t factor) {
      if (by_data && inside) of_x[in] += of_y[out] * factors[factor];
      if (!by_data) of_y[out] += (inside ? of_x[in] : T(0)) * factors[factor];
    });
  }

 private:
  static std::int64_t offset_of(const std::array<std::int64_t, 4>& strides, std::int64_t n, std::int64_t c,
                                std::int64_t h, std::int64_t w) {
    return strides[0] * n + strides[1] * c + strides[2] * h + strides[3] * w;
  }

  /// Calls f(offset in x, inside x, offset in y, offset of the weight) for every product.
  template <class F>
  void for_each_product(const F& f) const {
    const auto& [outs, channels, rows, columns] = filter.shape;
    const std::int64_t outs_of_group = outs / groups();
    for (std::int64_t n = 0; n < y.shape[0]; ++n)
      for (std::int64_t k = 0; k < outs; ++k)
        for (std::int64_t h = 0; h < y.shape[2]; ++h)
          for (std::int64_t w = 0; w < y.shape[3]; ++w)
            for (std::int64_t channel = 0; channel < channels; ++channel)
              for (std::int64_t r = 0; r < rows; ++r)
                for (std::int64_t s = 0; s < columns; ++s) {
                  const std::int64_t row = h * stride[0] - padding[0] + r * dilation[0];
                  const std::int64_t column = w * stride[1] - padding[1] + s * dilation[1];
                  const bool inside = row >= 0 && row < x.shape[2] && column >= 0 && column < x.shape[3];
                  f(offset_of(x.strides, n, k / outs_of_group * channels + channel, row, column), inside,
                    offset_of(y.strides, n, k, h, w), offset_of(filter.strides, k, channel, r, s));
                }
  }
};

}  // namespace kernelgen::test
