// Quantized operations over views with extreme shapes, strides and offsets, of whole blocks or not: an Error, or what the
// same call gives for plain copies of its operands.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "environment.hpp"
#include "inputs.hpp"
#include "kernelgen/error.hpp"
#include "quantized_case.hpp"
#include "reference/block_layout.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

constexpr std::int64_t one = 1;
constexpr std::int64_t extremes[] = {0,
                                     1,
                                     -1,
                                     2,
                                     16,
                                     31,
                                     32,
                                     33,
                                     -32,
                                     64,
                                     96,
                                     255,
                                     256,
                                     -256,
                                     one << 31,
                                     one << 33,
                                     -(one << 33),
                                     one << 62,
                                     std::numeric_limits<std::int64_t>::min(),
                                     std::numeric_limits<std::int64_t>::max(),
                                     std::numeric_limits<std::int64_t>::max() - 31};
/// Elements of a view that a test may wait for.
constexpr std::int64_t most_elements = 1 << 14;

class Numbers {
 public:
  explicit Numbers(std::uint64_t stream) : stream_(stream << 32) {}

  std::int64_t below(std::size_t n) { return static_cast<std::int64_t>(random_bits(stream_++) % n); }
  bool chance(std::size_t in) { return below(in) == 0; }
  std::int64_t extreme() { return extremes[below(std::size(extremes))]; }
  /// Small, by `unit`; now and then anything.
  std::int64_t number(std::size_t limit, std::int64_t unit) {
    return chance(9) ? extreme() : below(limit) * unit;
  }

 private:
  std::uint64_t stream_;
};

std::uint64_t turns() {
  const char* text = std::getenv("KERNELGEN_HOSTILE_TURNS");
  return text != nullptr ? std::strtoull(text, nullptr, 0) : 3000;
}

Shape odd_shape(std::int64_t rank, std::int64_t unit, Numbers& numbers) {
  Shape shape;
  for (std::int64_t d = 0; d < rank; ++d) shape.push_back(numbers.number(4, d + 1 < rank ? 1 : unit));
  return shape;
}

/// A view of that shape of a flat tensor, whose strides count in `unit`, along the last dim in 1.
std::optional<Tensor> odd_view(const Tensor& flat, const Shape& shape, std::int64_t unit, Numbers& numbers) {
  Layout layout{shape, {}, 0};
  for (std::size_t d = 0; d + 1 < shape.size(); ++d)
    layout.strides.push_back(numbers.number(5, numbers.chance(4) ? -unit : unit));
  if (!shape.empty()) layout.strides.push_back(numbers.chance(9) ? numbers.extreme() : 1);
  layout.offset = numbers.number(6, unit);
  try {
    Tensor view = flat.with_layout(layout);
    for (const std::int64_t extent : view.shape())
      if (extent > 1024) return std::nullopt;  // of a result that would be as long
    if (view.elements() > most_elements) return std::nullopt;
    return view;
  } catch (const Error&) {
    return std::nullopt;
  }
}

Tensor plain(const Tensor& x) { return Tensor::from_host(device(), x.to_host(), x.shape(), x.dtype()); }

/// What a call gives, or how its Error begins.
std::string outcome(const std::function<Tensor()>& call) {
  try {
    const std::vector<std::byte> bytes = call().to_host();
    return "bytes " + std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  } catch (const Error& error) {
    const std::string text = error.what();
    return "error " + text.substr(0, text.find(':'));
  }
}

class HostileQuantized : public testing::Test {
 protected:
  static DType format_of(Numbers& numbers) {
    return reference::block_formats[numbers.below(std::size(reference::block_formats))];
  }
  static Tensor blocks_of(DType format) { return upload_blocks(moderate_blocks(format, 40, 3)); }
  /// Finite numbers, so that what a NaN becomes need not be the same.
  static Tensor activations() { return upload(repeat(make_finite(), 0, 4096)); }
  static Elements make_finite() {
    std::vector<Real> values;
    for (std::uint64_t i = 0; i < 997; ++i)
      values.push_back(static_cast<Real>(random_bits(i) % 2001) / 1000 - 1);
    return reference::make_elements(DType::f32, values);
  }
  /// Mostly rows that there are.
  static Tensor numbers_of_rows(Numbers& numbers) {
    std::vector<Real> values;
    for (int i = 0; i < 64; ++i)
      values.push_back(static_cast<Real>(numbers.chance(20) ? 255 : numbers.below(3)));
    return upload(reference::make_elements(DType::u32, values));
  }
  /// A call with views, where all came about, and with copies of them.
  template <class Call, class... View>
  void compare(const std::string& what, std::uint64_t turn, Call call, const std::optional<View>&... views) {
    if (!(views && ...)) return;
    const std::string got = outcome([&] { return call(*views...); });
    const std::string wanted = outcome([&] { return call(plain(*views)...); });
    good_[what] += got.size() > std::string("bytes ").size() && got.starts_with("bytes ");
    std::string shapes;
    ((shapes += " " + views->layout().to_string()), ...);
    ASSERT_TRUE(got == wanted) << what << " of" << shapes << ", turn " << turn
                               << ", KERNELGEN_SEED=" << seed();
  }
  void TearDown() override {
    for (const auto& [what, count] : good_) EXPECT_GT(count, turns() / 500) << what << " seldom had a result";
  }

  std::map<std::string, std::uint64_t> good_;  ///< calls with elements in their results
};

TEST_F(HostileQuantized, Views) {
  for (std::uint64_t turn = 0; turn < turns() && !HasFailure(); ++turn) {
    Numbers numbers(1000 + turn);
    const DType format = format_of(numbers), dtype = activation_dtypes[numbers.below(3)];
    const std::int64_t block = block_elements(format);
    const auto view =
        odd_view(blocks_of(format), odd_shape(numbers.below(5), block, numbers), block, numbers);
    compare("dequantize", turn, [&](const Tensor& x) { return dequantize(x, dtype); }, view);
    compare("copy", turn, [&](const Tensor& x) { return copy(x); }, view);
    const auto x = odd_view(activations(), odd_shape(numbers.below(5), block, numbers), block, numbers);
    if (is_quantizable(format))
      compare("quantize", turn, [&](const Tensor& a) { return quantize(a, format); }, x);
  }
}

TEST_F(HostileQuantized, Products) {
  for (std::uint64_t turn = 0; turn < turns() && !HasFailure(); ++turn) {
    Numbers numbers(2000000 + turn);
    const DType format = format_of(numbers);
    const std::int64_t block = block_elements(format);
    // Shapes that fit, mostly.
    const std::int64_t n = (1 + numbers.below(2)) * block, tokens = numbers.below(4),
                       chosen = 1 + numbers.below(3);
    const auto view = [&](const Tensor& flat, const Shape& shape, std::int64_t unit) {
      const auto rank = static_cast<std::int64_t>(shape.size());
      return odd_view(flat, numbers.chance(6) ? odd_shape(rank, unit, numbers) : shape, unit, numbers);
    };
    const auto weights = view(blocks_of(format), {numbers.below(5), n}, block);
    const auto experts = view(blocks_of(format), {3, numbers.below(4), n}, block);
    const auto x = view(activations(), {tokens, numbers.chance(2) ? 1 : chosen, n}, block);
    const auto ids = view(numbers_of_rows(numbers), {tokens, chosen}, 1);
    compare(
        "quantized_matmul", turn, [](const Tensor& a, const Tensor& w) { return quantized_matmul(a, w); }, x,
        weights);
    compare(
        "indexed_matmul", turn,
        [](const Tensor& a, const Tensor& w, const Tensor& i) { return indexed_matmul(a, w, i); }, x, experts,
        ids);
    compare(
        "get_rows", turn, [](const Tensor& w, const Tensor& i) { return get_rows(w, i, DType::f32); },
        weights, ids);
  }
}

}  // namespace
}  // namespace kernelgen::conformance
