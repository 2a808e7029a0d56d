// candle's kernels with one row or output per block: reductions, norms, rotary embeddings, sorts.
#include <gtest/gtest.h>

#include "conformance/inputs.hpp"
#include "conformance/tolerance.hpp"
#include "launcher.hpp"
#include "reference/normalization.hpp"
#include "reference/reduce.hpp"
#include "reference/sort.hpp"
#include "reference/strided.hpp"

namespace kernelgen::candle {
namespace {

using conformance::expect_same_values;
using conformance::expect_within;
using conformance::pool;
using conformance::repeat;
using reference::Real;

constexpr DType row_dtypes[] = {DType::bf16, DType::f16, DType::f32, DType::f64,
                                DType::u8,   DType::u32, DType::i64};
constexpr DType norm_dtypes[] = {DType::bf16, DType::f16, DType::f32, DType::f64};

/// Numbers in [-2, 2); integers below 200.
Elements numbers(DType dtype, std::int64_t count, std::uint64_t stream) {
  std::vector<Real> values;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto bits = conformance::random_bits(stream + static_cast<std::uint64_t>(i));
    values.push_back(is_float(dtype) ? std::ldexp(static_cast<Real>(bits >> 11), -51) - 2
                                     : static_cast<Real>(bits % 200));
  }
  return reference::make_elements(dtype, values);
}

std::vector<Real> reals(const Elements& elements) {
  std::vector<Real> values;
  for (std::int64_t i = 0; i < elements.count(); ++i) values.push_back(real_at(elements, i));
  return values;
}

/// The last `reduced` dims of a view are reduced.
struct Reduction {
  Shape shape;
  Dims strides;
  std::size_t reduced;
};
const Reduction reductions[] = {
    {{3, 1}, {1, 1}, 1},         {{5, 33}, {33, 1}, 1},     {{7, 1000}, {1, 7}, 1},
    {{4, 6, 50}, {6, 1, 24}, 2}, {{2, 5000}, {5000, 1}, 1}, {{6, 100}, {0, 1}, 1},
};

/// `is_small`: by the kernel for few elements, which has a thread per output.
void check_reduction(const std::string& operation, DType dtype, const Reduction& r, const Elements& storage,
                     bool is_small = false) {
  const Layout layout{r.shape, r.strides, 0};
  const Elements values = gather(storage, layout);
  std::vector<std::int64_t> dims, info(r.shape.begin(), r.shape.end());
  info.insert(info.end(), r.strides.begin(), r.strides.end());
  std::uint64_t each = 1;
  for (std::size_t d = r.shape.size() - r.reduced; d < r.shape.size(); ++d) {
    dims.push_back(static_cast<std::int64_t>(d));
    each *= static_cast<std::uint64_t>(r.shape[d]);
  }
  const auto members = reference::members(r.shape, dims);
  const auto outputs = static_cast<std::int64_t>(members.size());
  const DType output = operation.starts_with("arg") ? DType::u32 : dtype;
  const std::string kernel = "fast_" + operation + (is_small ? "_small_" : "_") + suffix(dtype);
  for (const Cut& cut : is_small ? element_cuts(outputs) : row_cuts(outputs)) {
    const std::string what = kernel + " of " + layout.to_string() + ", " + cut.text();
    const Tensor y = upload(Elements(output, outputs));
    launch(kernel, cut,
           Block()
               .add<std::uint64_t>(static_cast<std::uint64_t>(is_small ? outputs : values.count()))
               .add(each)
               .add<std::uint64_t>(r.shape.size())
               .add(upload_info(info))
               .add(upload(storage))
               .add(y));
    if (operation != "sum" || !is_float(dtype)) {
      expect_same_values(what, download(y), reference::reduce(operation, values, members));
      continue;
    }
    std::vector<Real> exact, slack;
    for (const auto& list : members) {
      const reference::Total total = reference::total(operation, values, list);
      exact.push_back(total.value);
      slack.push_back(conformance::sum_slack(dtype, static_cast<std::int64_t>(each), total.magnitudes));
    }
    expect_within(what, download(y), exact, slack);
  }
}

TEST(CandleRows, Reductions) {
  for (const DType dtype : row_dtypes)
    for (const Reduction& r : reductions) {
      const std::int64_t storage = Layout{r.shape, r.strides, 0}.extent().last + 1;
      for (const std::string operation : {"sum", "min", "max", "argmin", "argmax"}) {
        check_reduction(operation, dtype, r, numbers(dtype, storage, 1));
        if (operation != "sum") check_reduction(operation, dtype, r, repeat(pool(dtype), 5, storage));
        if (operation == "sum" && r.shape.back() < 64)
          check_reduction(operation, dtype, r, numbers(dtype, storage, 1), true);
      }
    }
}

/// Any dims of a view are summed up.
struct SummedCase {
  Shape shape;
  Dims strides;
  std::vector<std::int64_t> dims;
};
const SummedCase summed_cases[] = {
    {{7}, {1}, {0}},
    {{5, 33}, {33, 1}, {1}},
    {{5, 33}, {33, 1}, {0}},
    {{3, 4, 5, 6}, {120, 30, 6, 1}, {0, 2}},
    {{3, 4, 5, 6}, {1, 3, 12, 60}, {1, 2, 3}},
    {{4, 3, 7}, {0, 14, 2}, {0, 2}},
    {{2, 5000}, {5000, 1}, {1}},
    {{20, 3000}, {1, 20}, {0}},
    {{6, 1, 9}, {9, 9, 1}, {1}},
    {{3, 4}, {4, 1}, {}},
    {{4, 0, 3}, {0, 3, 1}, {1}},
};

/// `sum` adds to what its output holds.
void check_sum(DType dtype, const SummedCase& c) {
  const Layout layout{c.shape, c.strides, 0};
  const std::int64_t room = layout.elements() == 0 ? 0 : layout.extent().last + 1;
  const Elements storage = is_float(dtype) ? numbers(dtype, room, 1) : repeat(pool(dtype), 5, room);
  const Elements values = gather(storage, layout);
  std::vector<std::int64_t> info(c.shape.begin(), c.shape.end());
  info.insert(info.end(), c.strides.begin(), c.strides.end());
  for (const std::int64_t d : c.dims) info.push_back(c.shape[static_cast<std::size_t>(d)]);
  const Layout packed = Layout::contiguous(c.shape);
  for (const std::int64_t d : c.dims) info.push_back(packed.strides[static_cast<std::size_t>(d)]);
  const auto members = reference::members(c.shape, c.dims);
  const auto outputs = static_cast<std::int64_t>(members.size());
  for (const bool empty : {true, false}) {
    const Elements before = empty ? Elements(dtype, outputs) : numbers(dtype, outputs, 70000);
    std::vector<Real> exact, slack;
    for (std::size_t i = 0; i < members.size(); ++i) {
      const Real held = real_at(before, static_cast<std::int64_t>(i));
      const reference::Total total = reference::total("sum", values, members[i]);
      exact.push_back(is_float(dtype) ? total.value + held : std::fmod(total.value + held, Real{1LL << 32}));
      slack.push_back(is_float(dtype)
                          ? conformance::sum_slack(dtype, static_cast<std::int64_t>(members[i].size() + 1),
                                                   total.magnitudes + std::fabs(held))
                          : 0);
    }
    for (const Cut& cut : element_cuts(std::max<std::int64_t>(1, values.count()))) {
      const Tensor y = upload(before);
      launch("sum_" + suffix(dtype), cut,
             Block()
                 .add<std::uint64_t>(static_cast<std::uint64_t>(values.count()))
                 .add<std::uint64_t>(c.shape.size())
                 .add<std::uint64_t>(c.dims.size())
                 .add(upload_info(info))
                 .add(upload(storage))
                 .add(y));
      expect_within("sum_" + suffix(dtype) + " of " + layout.to_string() + ", " + cut.text(), download(y),
                    exact, slack);
    }
  }
}

TEST(CandleRows, Sums) {
  for (const DType dtype : {DType::bf16, DType::f16, DType::f32, DType::f64, DType::u32})
    for (const SummedCase& c : summed_cases) check_sum(dtype, c);
}

/// Rows of every length; `arguments` puts in what stands around n_cols.
void check_norm(const std::string& operation, DType dtype, std::int64_t n) {
  constexpr std::int64_t rows = 3;
  const Real u = conformance::accumulator_unit(dtype);
  const float eps = 1e-5f;
  const Elements x = numbers(dtype, rows * n, 1), weight = numbers(dtype, n, 50000),
                 bias = numbers(dtype, n, 90000);
  const std::vector<Real> values = reals(x), weights = reals(weight), biases = reals(bias);
  reference::Row wanted;
  for (std::int64_t r = 0; r < rows; ++r) {
    const auto row = std::span(values).subspan(static_cast<std::size_t>(r * n), static_cast<std::size_t>(n));
    const reference::Row one =
        operation == "softmax"
            ? reference::softmax("softmax", row, u)
            : reference::normalize(row, weights, operation == "rmsnorm" ? std::span<const Real>() : biases,
                                   eps, u);
    wanted.values.insert(wanted.values.end(), one.values.begin(), one.values.end());
    wanted.slack.insert(wanted.slack.end(), one.slack.begin(), one.slack.end());
  }
  std::vector<Cut> cuts = row_cuts(rows);
  if (operation == "softmax")
    for (Cut& cut : cuts) std::swap(cut.block, cut.block_y);  // candle's rows are along x
  for (const Cut& cut : cuts) {
    const Tensor y = upload(Elements(dtype, rows * n));
    const Tensor x_tensor = upload(x);
    Block block = Block().add(x_tensor).add(y);
    const Tensor weight_tensor = upload(weight), bias_tensor = upload(bias);
    if (operation != "softmax") block.add(weight_tensor);
    if (operation == "layernorm") block.add(bias_tensor);
    block.add(static_cast<std::int32_t>(n));
    if (operation != "softmax") block.add(static_cast<std::int32_t>(cut.block)).add(eps);
    launch(operation + "_" + suffix(dtype), cut, block);
    expect_within(operation + "_" + suffix(dtype) + " of rows of " + std::to_string(n) + ", " + cut.text(),
                  download(y), wanted.values, wanted.slack);
  }
}

TEST(CandleRows, SoftmaxAndNorms) {
  for (const std::string operation : {"softmax", "rmsnorm", "layernorm"})
    for (const DType dtype : norm_dtypes)
      for (const std::int64_t n : {1, 5, 64, 100, 1024, 5000}) check_norm(operation, dtype, n);
}

/// Element `first` and `second` of x by the angle at `at`.
struct Pair {
  std::int64_t first, second, at;
};

void check_rope(const std::string& kernel, DType dtype, std::int64_t count, std::int64_t angles,
                const std::vector<Pair>& pairs, const std::vector<std::uint32_t>& numbers_behind) {
  const Elements x = numbers(dtype, count, 1), cos = numbers(dtype, angles, 7000),
                 sin = numbers(dtype, angles, 8000);
  std::vector<Real> exact(static_cast<std::size_t>(count)), slack(exact.size());
  const Real u = conformance::accumulator_unit(dtype);
  for (const Pair& pair : pairs) {
    const Real a = real_at(x, pair.first), b = real_at(x, pair.second), c = real_at(cos, pair.at),
               s = real_at(sin, pair.at);
    exact[static_cast<std::size_t>(pair.first)] = a * c - b * s;
    exact[static_cast<std::size_t>(pair.second)] = a * s + b * c;
    slack[static_cast<std::size_t>(pair.first)] = 2 * u * (std::fabs(a * c) + std::fabs(b * s));
    slack[static_cast<std::size_t>(pair.second)] = 2 * u * (std::fabs(a * s) + std::fabs(b * c));
  }
  for (const Cut& cut : element_cuts(count / 2)) {
    const Tensor y = upload(Elements(dtype, count));
    const Tensor x_tensor = upload(x), cos_tensor = upload(cos), sin_tensor = upload(sin);
    Block block = Block().add(x_tensor).add(cos_tensor).add(sin_tensor).add(y);
    for (const std::uint32_t number : numbers_behind) block.add(number);
    launch(kernel + "_" + suffix(dtype), cut, block);
    expect_within(kernel + "_" + suffix(dtype) + ", " + cut.text(), download(y), exact, slack);
  }
}

/// b batches of h heads of t positions of d numbers; angles are shared by all batches, or each has its own.
TEST(CandleRows, RotaryEmbeddings) {
  constexpr std::int64_t b = 2, h = 3, t = 5, d = 8, half = d / 2;
  for (const DType dtype : norm_dtypes)
    for (const bool own : {false, true}) {
      std::vector<Pair> halves, neighbours, thd;
      for (std::int64_t i = 0; i < b; ++i)
        for (std::int64_t j = 0; j < h; ++j)
          for (std::int64_t k = 0; k < t; ++k)
            for (std::int64_t l = 0; l < half; ++l) {
              const std::int64_t at = (own ? i * t * half : 0) + k * half + l,
                                 row = ((i * h + j) * t + k) * d;
              halves.push_back({row + l, row + l + half, at});
              neighbours.push_back({row + 2 * l, row + 2 * l + 1, at});
              const std::int64_t other = ((i * t + k) * h + j) * d;
              thd.push_back({other + l, other + l + half, at});
            }
      const std::int64_t count = b * h * t * d, angles = (own ? b : 1) * t * half;
      const std::uint32_t batch = own ? h * t * d : 0;
      check_rope("rope", dtype, count, angles, halves, {b * h, t * d, d, batch});
      check_rope("rope_i", dtype, count, angles, neighbours, {b * h, t * d, batch});
      check_rope("rope_thd", dtype, count, angles, thd, {b, t, h, d, batch});
    }
}

TEST(CandleRows, Sorts) {
  for (const DType dtype : row_dtypes)
    for (const std::int64_t n : {1, 2, 31, 100, 1024, 3000}) {
      constexpr std::int64_t rows = 2;
      const Elements x = repeat(pool(dtype), 3, rows * n);
      for (const bool ascending : {true, false})
        for (const Cut& cut : row_cuts(rows)) {
          const Tensor y = upload(Elements(DType::u32, rows * n));
          const std::string kernel = std::string(ascending ? "asort_asc_" : "asort_desc_") + suffix(dtype);
          launch(kernel, cut,
                 Block()
                     .add(upload(x))
                     .add(y)
                     .add(static_cast<std::int32_t>(n))
                     .add(static_cast<std::int32_t>(4096)));
          const Elements got = download(y);
          for (std::int64_t r = 0; r < rows; ++r) {
            const auto wanted = reference::sorted_places(slice(x, r * n, n), ascending);
            const auto places =
                got.as<std::uint32_t>().subspan(static_cast<std::size_t>(r * n), static_cast<std::size_t>(n));
            ASSERT_TRUE(std::ranges::equal(places, wanted))
                << kernel << " of rows of " << n << ", " << cut.text();
          }
        }
    }
}

}  // namespace
}  // namespace kernelgen::candle
