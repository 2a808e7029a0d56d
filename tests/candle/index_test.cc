// candle's kernels by index, over [left, dim, right], with repeated indices, sentinels and indices
// out of range.
#include <gtest/gtest.h>

#include <map>

#include "conformance/inputs.hpp"
#include "conformance/tolerance.hpp"
#include "launcher.hpp"

namespace kernelgen::candle {
namespace {

using conformance::expect_same_values;
using conformance::expect_within;
using reference::Real;

constexpr DType value_dtypes[] = {DType::bf16, DType::f16, DType::f32, DType::f64,
                                  DType::u8,   DType::u32, DType::i64, DType::f8e4m3};

/// Sizes of source and destination around the dim.
struct Case {
  std::int64_t left, extent, count, right;
};
const Case cases[] = {{1, 5, 9, 1}, {3, 7, 4, 5}, {2, 40, 100, 33}, {4, 1, 6, 2}};

/// Small whole numbers, whose sums are exact in every format.
Elements whole_numbers(DType dtype, std::int64_t count, std::uint64_t stream) {
  std::vector<Real> values;
  for (std::int64_t i = 0; i < count; ++i)
    values.push_back(static_cast<Real>(conformance::random_bits(stream + static_cast<std::uint64_t>(i)) % 3));
  return reference::make_elements(dtype, values);
}

/// Indices of the dim; every seventh is the sentinel, some lie just outside or below zero.
Elements make_ids(DType dtype, std::int64_t count, std::int64_t extent) {
  Elements ids(dtype, count);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto bits = conformance::random_bits(900 + static_cast<std::uint64_t>(i));
    std::int64_t index = static_cast<std::int64_t>(bits % static_cast<std::uint64_t>(extent));
    if (bits % 11 == 3) index = extent;
    if (bits % 13 == 4 && dtype != DType::u8 && dtype != DType::u32) index = -1;
    std::memcpy(ids.at(i), &index, size_of(dtype));
    if (i % 7 == 6) {
      const std::uint64_t largest = dtype == DType::u8    ? 0xff
                                    : dtype == DType::u32 ? 0xffffffff
                                                          : ~std::uint64_t{0} >> (65 - 8 * size_of(dtype));
      std::memcpy(ids.at(i), &largest, size_of(dtype));
    }
  }
  return ids;
}

/// The index, or nothing where it is a sentinel or is outside.
std::optional<std::int64_t> index_at(const Elements& ids, std::int64_t i, std::int64_t extent) {
  const Real value = real_at(ids, i);
  if (value < 0 || value >= static_cast<Real>(extent)) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

/// Every kernel of that name and all its dtypes.
void for_each_kernel(const std::string& name, int wanted,
                     const std::function<void(DType, DType, const std::string&)>& f) {
  int count = 0;
  for (const DType ids : conformance::integer_dtypes)
    for (const DType dtype : value_dtypes) {
      const std::string kernel = name + "_" + suffix(ids) + "_" + suffix(dtype);
      if (!package().find_kernel(kernel)) continue;
      ++count;
      f(ids, dtype, kernel);
    }
  EXPECT_EQ(count, wanted) << name;
}

using Size = std::uint64_t;

TEST(CandleIndex, Gather) {
  for_each_kernel("gather", 26, [](DType id, DType dtype, const std::string& kernel) {
    for (const Case& c : cases) {
      const std::int64_t n = c.left * c.count * c.right;
      const Elements x = conformance::repeat(conformance::pool(dtype), 3, c.left * c.extent * c.right);
      const Elements ids = make_ids(id, n, c.extent);
      Elements wanted(dtype, n);
      for (std::int64_t i = 0; i < n; ++i)
        if (const auto index = index_at(ids, i, c.extent))
          std::memcpy(wanted.at(i),
                      x.at((i / (c.count * c.right) * c.extent + *index) * c.right + i % c.right),
                      size_of(dtype));
      for (const Cut& cut : element_cuts(n)) {
        const Tensor y = upload(conformance::repeat(reference::make_scalar(dtype, 7), 0, n));
        launch(kernel, cut,
               Block()
                   .add(Size(n))
                   .add(upload(ids))
                   .add(upload(x))
                   .add(y)
                   .add(Size(c.left))
                   .add(Size(c.extent))
                   .add(Size(c.count))
                   .add(Size(c.right)));
        ASSERT_EQ(download(y).bytes(), wanted.bytes()) << kernel << ", " << cut.text();
      }
    }
  });
}

TEST(CandleIndex, IndexSelect) {
  for_each_kernel("is", 26, [](DType id, DType dtype, const std::string& kernel) {
    for (const Case& c : cases)
      for (const std::int64_t stride : {0, 1, 3}) {  // of ids; 0 where no info is given
        const std::int64_t n = c.left * c.count * c.right, pitch = std::max<std::int64_t>(stride, 1);
        const Elements x = conformance::repeat(conformance::pool(dtype), 3, c.left * c.extent * c.right);
        const Elements ids = make_ids(id, c.count * pitch, c.extent);
        Elements wanted(dtype, n);
        for (std::int64_t i = 0; i < n; ++i)
          if (const auto index = index_at(ids, i / c.right % c.count * pitch, c.extent))
            std::memcpy(wanted.at(i),
                        x.at((i / (c.count * c.right) * c.extent + *index) * c.right + i % c.right),
                        size_of(dtype));
        const Tensor info = stride == 0 ? Tensor() : upload_info({c.count, stride});
        for (const Cut& cut : element_cuts(n)) {
          const Tensor y = upload(Elements(dtype, n));
          launch(kernel, cut,
                 Block()
                     .add(Size(n))
                     .add(Size(1))
                     .add(info)
                     .add(upload(ids))
                     .add(upload(x))
                     .add(y)
                     .add(Size(c.left))
                     .add(Size(c.extent))
                     .add(Size(c.count))
                     .add(Size(c.right)));
          ASSERT_EQ(download(y).bytes(), wanted.bytes()) << kernel << ", " << cut.text();
        }
      }
  });
}

/// s, sa and ia write into a destination that holds something.
void check_scatter(const std::string& name, int kernels) {
  const bool adds = name != "s", per_line = name == "ia";
  for_each_kernel(name, kernels, [&](DType id, DType dtype, const std::string& kernel) {
    for (const Case& c : cases) {
      const Elements before = whole_numbers(dtype, c.left * c.extent * c.right, 1);
      const Elements x = whole_numbers(dtype, c.left * c.count * c.right, 5000);
      const Elements ids = make_ids(id, per_line ? c.count : x.count(), c.extent);
      std::vector<Real> values, slack(static_cast<std::size_t>(before.count()));
      for (std::int64_t i = 0; i < before.count(); ++i) values.push_back(real_at(before, i));
      for (std::int64_t i = 0; i < x.count(); ++i) {
        const auto index = index_at(ids, per_line ? i / c.right % c.count : i, c.extent);
        if (!index) continue;
        Real& target = values[static_cast<std::size_t>(
            (i / (c.count * c.right) * c.extent + *index) * c.right + i % c.right)];
        target = (adds ? target : 0) + real_at(x, i);
      }
      for (const Cut& cut : element_cuts(c.left * c.right)) {
        const Tensor y = upload(before), ids_tensor = upload(ids), x_tensor = upload(x);
        Block block = Block().add(ids_tensor);
        if (per_line) block.add(Size(c.count));
        block.add(x_tensor)
            .add(y)
            .add(Size(c.left))
            .add(Size(c.count))
            .add(Size(c.extent))
            .add(Size(c.right));
        launch(kernel, cut, block);
        expect_within(kernel + ", " + cut.text(), download(y), values, slack);
      }
    }
  });
}

TEST(CandleIndex, Scatter) { check_scatter("s", 21); }
TEST(CandleIndex, ScatterAdd) { check_scatter("sa", 26); }
TEST(CandleIndex, IndexAdd) { check_scatter("ia", 26); }

}  // namespace
}  // namespace kernelgen::candle
