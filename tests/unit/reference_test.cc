// The reference decides every conformance test, so it is compared with known values here.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <optional>
#include <vector>

#include "reference/attention.hpp"
#include "reference/binary.hpp"
#include "reference/cast.hpp"
#include "reference/random.hpp"
#include "reference/strided.hpp"
#include "reference/unary.hpp"

namespace kernelgen::reference {
namespace {

constexpr Real infinity = std::numeric_limits<Real>::infinity();
constexpr Real nan = std::numeric_limits<Real>::quiet_NaN();

Real unary_of(std::string_view operation, DType dtype, Real x) {
  return real_at(unary(operation, make_scalar(dtype, x)), 0);
}

Real binary_of(std::string_view operation, DType dtype, Real a, Real b) {
  return real_at(binary(operation, make_scalar(dtype, a), make_scalar(dtype, b)), 0);
}

TEST(ReferenceElement, KnownPatterns) {
  EXPECT_EQ(to_real(F16{0x3c00}), 1);
  EXPECT_EQ(to_real(F16{0x7bff}), 65504);
  EXPECT_EQ(to_real(F16{0x0001}), 0x1p-24L);
  EXPECT_EQ(to_real(F16{0xfc00}), -infinity);
  EXPECT_TRUE(std::isnan(to_real(F16{0x7e00})));
  EXPECT_EQ(to_real(Bf16{0x3f80}), 1);
  EXPECT_EQ(to_real(Bf16{0x0001}), 0x1p-133L);
  EXPECT_EQ(to_real(F8e4m3{0x38}), 1);
  EXPECT_EQ(to_real(F8e4m3{0x7e}), 448);
  EXPECT_EQ(to_real(F8e4m3{0x01}), 0x1p-9L);
  EXPECT_TRUE(std::isnan(to_real(F8e4m3{0x7f})));
  EXPECT_TRUE(std::isnan(to_real(F8e4m3{0xff})));
}

TEST(ReferenceElement, EveryPatternSurvivesARoundTrip) {
  for (const DType dtype : {DType::f16, DType::bf16, DType::f8e4m3}) {
    const Elements patterns = all_patterns(dtype);
    for (std::int64_t i = 0; i < patterns.count(); ++i) {
      const Real value = real_at(patterns, i);
      if (std::isnan(value)) continue;
      EXPECT_EQ(bits_at(make_scalar(dtype, value), 0), static_cast<std::uint64_t>(i)) << name_of(dtype);
    }
  }
}

TEST(ReferenceElement, RoundsToNearestEvenOnce) {
  EXPECT_EQ(from_real<F16>(65519.99L).bits, 0x7bff);
  EXPECT_EQ(from_real<F16>(65520).bits, 0x7c00);
  EXPECT_EQ(from_real<F16>(1 + 0x1p-11L).bits, 0x3c00);
  EXPECT_EQ(from_real<F16>(1 + 3 * 0x1p-11L).bits, 0x3c02);
  EXPECT_EQ(from_real<F16>(1 + 0x1p-11L + 0x1p-40L).bits, 0x3c01);
  EXPECT_EQ(from_real<F16>(0x1p-25L).bits, 0);
  EXPECT_EQ(from_real<F16>(0x1p-25L + 0x1p-60L).bits, 1);
  EXPECT_EQ(from_real<F16>(0x1p-14L - 0x1p-26L).bits, 0x0400);
  EXPECT_EQ(from_real<F16>(-0.0L).bits, 0x8000);
  EXPECT_EQ(from_real<Bf16>(0x1p200L).bits, 0x7f80);
  EXPECT_EQ(from_real<Bf16>(1 + 0x1p-8L).bits, 0x3f80);
  EXPECT_EQ(from_real<F8e4m3>(infinity).bits, 0x7e);
  EXPECT_EQ(from_real<F8e4m3>(-1e30L).bits, 0xfe);
  EXPECT_EQ(from_real<F8e4m3>(nan).bits & 0x7f, 0x7f);
  EXPECT_EQ(from_real<F8e4m3>(0x1p-10L).bits, 0);
  EXPECT_EQ(from_real<F8e4m3>(0x1.8p-10L).bits, 1);
  // The compiler's own conversion is the same rule for f32.
  EXPECT_EQ(std::bit_cast<std::uint32_t>(from_real<float>(1 + 0x1p-24L)), 0x3f800000u);
}

TEST(ReferenceElement, IntegersSaturateFromFloatsAndKeepLowBitsFromIntegers) {
  EXPECT_EQ(from_real<std::uint8_t>(-3.9L), 0);
  EXPECT_EQ(from_real<std::uint8_t>(300), 255);
  EXPECT_EQ(from_real<std::uint8_t>(nan), 0);
  EXPECT_EQ(from_real<std::int16_t>(-2.9L), -2);
  EXPECT_EQ(from_real<std::int64_t>(infinity), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(from_real<std::int64_t>(-0x1p63L), std::numeric_limits<std::int64_t>::lowest());
  EXPECT_EQ(from_integer<std::uint8_t>(-1), 255);
  EXPECT_EQ(from_integer<std::int16_t>(0x18000), -32768);
  EXPECT_EQ(from_integer<std::uint32_t>(-1), 0xffffffffu);
  EXPECT_EQ(to_real(from_integer<F8e4m3>(100000)), 448);
  EXPECT_EQ(from_integer<F16>(2049).bits, from_real<F16>(2048).bits);
}

TEST(ReferenceUnary, KnownValues) {
  EXPECT_EQ(unary_operations().size(), 28u);
  EXPECT_EQ(unary_of("exp", DType::f32, 1), static_cast<Real>(2.7182818284590452354f));
  EXPECT_EQ(unary_of("exp", DType::f64, 1), static_cast<Real>(2.7182818284590452354));
  EXPECT_EQ(unary_of("erf", DType::f64, 0.5L), static_cast<Real>(0.5204998778130465377));
  EXPECT_EQ(unary_of("normcdf", DType::f32, 0), 0.5L);
  EXPECT_EQ(unary_of("normcdf", DType::f64, -10), static_cast<Real>(7.6198530241605260660e-24));
  EXPECT_EQ(unary_of("gelu_erf", DType::f64, 1), static_cast<Real>(0.84134474606854292577));
  EXPECT_EQ(unary_of("gelu", DType::f64, 1), static_cast<Real>(0.84119199060827670478));
  EXPECT_EQ(unary_of("silu", DType::f64, 1), static_cast<Real>(0.73105857863000487925));
  EXPECT_EQ(unary_of("sigmoid", DType::f64, -100), static_cast<Real>(3.7200759760208359630e-44));
  EXPECT_TRUE(std::signbit(unary_of("gelu", DType::f32, -1e30L)));
  EXPECT_EQ(unary_of("gelu", DType::f32, 1e30L), static_cast<Real>(1e30f));
  EXPECT_EQ(unary_of("exp", DType::f8e4m3, 10), 448);
  EXPECT_EQ(unary_of("recip", DType::f8e4m3, 0), 448);
  EXPECT_EQ(unary_of("log", DType::f16, 0), -infinity);
}

TEST(ReferenceUnary, SignsRoundingAndNan) {
  EXPECT_EQ(unary_of("round", DType::f32, 2.5L), 3);
  EXPECT_EQ(unary_of("round", DType::f32, -2.5L), -3);
  EXPECT_EQ(unary_of("round", DType::f32, 0.49999997L), 0);
  EXPECT_TRUE(std::signbit(unary_of("ceil", DType::bf16, -0.5L)));
  EXPECT_FALSE(std::signbit(unary_of("sign", DType::f32, -0.0L)));
  EXPECT_TRUE(std::isnan(unary_of("sign", DType::f16, nan)));
  EXPECT_TRUE(std::isnan(unary_of("relu", DType::f32, nan)));
  EXPECT_EQ(unary_of("relu", DType::f32, -1), 0);
  EXPECT_TRUE(std::isnan(unary_of("sqrt", DType::f32, -1)));
  EXPECT_TRUE(takes_integers("neg"));
  EXPECT_FALSE(takes_integers("exp"));
}

TEST(ReferenceUnary, IntegersWrap) {
  EXPECT_EQ(unary_of("neg", DType::u8, 1), 255);
  EXPECT_EQ(unary_of("abs", DType::i16, -32768), -32768);
  EXPECT_EQ(unary_of("sqr", DType::u8, 200), 200 * 200 % 256);
  EXPECT_EQ(unary_of("sign", DType::i64, -5), -1);
  EXPECT_EQ(unary_of("neg", DType::i64, -0x1p63L), -0x1p63L);
}

TEST(ReferenceUnary, WithScalars) {
  const Elements x = make_elements(DType::f32, std::vector<Real>{nan, 2, -1});
  EXPECT_EQ(real_at(powf(x, make_scalar(DType::f32, 0)), 0), 1);
  EXPECT_EQ(real_at(powf(x, make_scalar(DType::f32, 0.5L)), 1), static_cast<Real>(1.41421356237309504880f));
  EXPECT_TRUE(std::isnan(real_at(powf(x, make_scalar(DType::f32, 0.5L)), 2)));
  EXPECT_EQ(real_at(elu(x, make_scalar(DType::f32, 2)), 1), 2);
  EXPECT_EQ(real_at(elu(x, make_scalar(DType::f32, 2)), 2), static_cast<Real>(-1.2642411176571153568f));
}

TEST(ReferenceBinary, IntegersWrapAndDivideByZero) {
  EXPECT_EQ(binary_of("add", DType::u8, 200, 100), 44);
  EXPECT_EQ(binary_of("sub", DType::u32, 0, 1), 4294967295.0L);
  EXPECT_EQ(binary_of("mul", DType::i16, 300, 300), static_cast<Real>(static_cast<std::int16_t>(90000)));
  EXPECT_EQ(binary_of("div", DType::i32, -7, 2), -3);
  EXPECT_EQ(binary_of("div", DType::i32, 7, 0), 0);
  EXPECT_EQ(binary_of("div", DType::i64, -0x1p63L, -1), -0x1p63L);
  EXPECT_EQ(binary_of("div", DType::i16, -32768, -1), -32768);
  EXPECT_EQ(binary_of("maximum", DType::u32, 4294967295.0L, 1), 4294967295.0L);
}

TEST(ReferenceBinary, Floats) {
  EXPECT_EQ(binary_of("add", DType::f16, 2048, 1), 2048);
  EXPECT_EQ(binary_of("mul", DType::f8e4m3, 300, 300), 448);
  EXPECT_EQ(binary_of("div", DType::f32, 1, 3), static_cast<Real>(1.0f / 3.0f));
  EXPECT_EQ(binary_of("div", DType::f32, 1, 0), infinity);
  EXPECT_TRUE(std::isnan(binary_of("maximum", DType::f32, nan, 1)));
  EXPECT_TRUE(std::isnan(binary_of("minimum", DType::f32, 1, nan)));
  EXPECT_EQ(binary_of("minimum", DType::bf16, -infinity, 1), -infinity);
}

TEST(ReferenceBinary, Compare) {
  const Elements a = make_elements(DType::f32, std::vector<Real>{nan, -0.0L, 1});
  const Elements b = make_elements(DType::f32, std::vector<Real>{nan, 0.0L, 2});
  const auto all = [&](std::string_view operation) {
    const Elements result = compare(operation, a, b);
    return std::vector<int>(result.as<std::uint8_t>().begin(), result.as<std::uint8_t>().end());
  };
  EXPECT_EQ(all("eq"), (std::vector<int>{0, 1, 0}));
  EXPECT_EQ(all("ne"), (std::vector<int>{1, 0, 1}));
  EXPECT_EQ(all("lt"), (std::vector<int>{0, 0, 1}));
  EXPECT_EQ(all("le"), (std::vector<int>{0, 1, 1}));
  EXPECT_EQ(all("gt"), (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(all("ge"), (std::vector<int>{0, 1, 0}));
}

TEST(ReferenceBinary, AffineGivesBothRoundings) {
  const float x = 1 + 0x1p-12f;
  const Affine result =
      affine(make_scalar(DType::f32, x), make_scalar(DType::f32, x), make_scalar(DType::f32, -1));
  EXPECT_EQ(real_at(result.fused, 0), 0x1p-11L + 0x1p-24L);
  EXPECT_EQ(real_at(result.separate, 0), 0x1p-11L);
  const Affine wrapped =
      affine(make_scalar(DType::u8, 100), make_scalar(DType::u8, 3), make_scalar(DType::u8, 1));
  EXPECT_EQ(real_at(wrapped.fused, 0), 301 - 256);
}

TEST(ReferenceCast, RoundsOnceAndKeepsBits) {
  // Through f32 this would become 1 + 2^-11 and then 1.
  const Elements tie = make_scalar(DType::f64, 1 + 0x1p-11L + 0x1p-40L);
  EXPECT_EQ(bits_at(cast(tie, DType::f16), 0), 0x3c01u);
  EXPECT_EQ(real_at(cast(make_scalar(DType::i64, 0x1p53L + 1), DType::f64), 0), 0x1p53L);
  EXPECT_EQ(real_at(cast(make_scalar(DType::f32, 1e20L), DType::i32), 0), 2147483647);
  EXPECT_EQ(real_at(cast(make_scalar(DType::u32, 4294967295.0L), DType::i64), 0), 4294967295.0L);
  EXPECT_EQ(real_at(cast(make_scalar(DType::u32, 4294967295.0L), DType::i32), 0), -1);

  const Elements condition = make_elements(DType::i16, std::vector<Real>{-1, 0});
  Elements a(DType::f16, 2);
  Elements b(DType::f16, 2);
  a.as<std::uint16_t>()[0] = 0x7d01;  // a NaN with a payload
  b.as<std::uint16_t>()[1] = 0xfe77;
  const Elements picked = where(condition, a, b);
  EXPECT_EQ(bits_at(picked, 0), 0x7d01u);
  EXPECT_EQ(bits_at(picked, 1), 0xfe77u);
}

TEST(ReferenceStrided, GatherAndScatter) {
  const Elements storage = make_elements(DType::i32, std::vector<Real>{0, 1, 2, 3, 4, 5, 6});
  Layout layout;
  layout.shape.push_back(2);
  layout.shape.push_back(3);
  layout.strides.push_back(1);
  layout.strides.push_back(2);
  layout.offset = 1;
  const Elements gathered = gather(storage, layout);
  const std::vector<std::int32_t> expected{1, 3, 5, 2, 4, 6};
  EXPECT_TRUE(std::ranges::equal(gathered.as<std::int32_t>(), expected));
  EXPECT_EQ(position(layout, 4), 4);

  Elements target(DType::i32, 7);
  scatter(target, layout, gathered);
  const std::vector<std::int32_t> restored{0, 1, 2, 3, 4, 5, 6};
  EXPECT_TRUE(std::ranges::equal(target.as<std::int32_t>(), restored));
}

/// Random123's known answers (examples/kat_vectors, philox4x32 of 10 rounds).
TEST(ReferenceRandom, PhiloxKnownAnswers) {
  using Counter = std::array<std::uint32_t, 4>;
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Counter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox({ones, ones, ones, ones}, {ones, ones}),
            (Counter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Counter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(ReferenceRandom, ElementsAreCutFromTheirCounter) {
  EXPECT_EQ(uniform(DType::f32, {0, 0}, 0, 0, 1), 0x6627e8p-24L);
  EXPECT_EQ(uniform(DType::f16, {0, 0}, 3, 0, 1), 0x9b00dbp-24L);
  EXPECT_EQ(uniform(DType::f64, {0, 0}, 0, 0, 1), std::ldexp(Real(0xe169c58d6627e8d5 >> 11), -53));
  EXPECT_EQ(uniform(DType::f32, {0, 0}, 0, -2, 2), -2 + 4 * 0x6627e8p-24L);
}

/// Queries 1 and 2 of one element over keys 0, 1, 2 with values 1, 10, 100: logits 0, q, 2q.
Attention small_attention() {
  return {.batch = 1,
          .heads = 1,
          .kv_heads = 1,
          .queries = 2,
          .keys = 3,
          .width = 1,
          .q = make_elements(DType::f32, std::vector<Real>{1, 2}),
          .k = make_elements(DType::f32, std::vector<Real>{0, 1, 2}),
          .v = make_elements(DType::f32, std::vector<Real>{1, 10, 100}),
          .scale = std::log(2.0),
          .window_left = std::nullopt,
          .window_right = std::nullopt};
}

void expect_attended(const Attention& x, const std::vector<double>& y, const std::vector<double>& sums) {
  const Attended got = attend(x, 0);
  for (std::size_t t = 0; t < y.size(); ++t) {
    EXPECT_NEAR(static_cast<double>(got.y[t]), y[t], 1e-12) << t;
    // As numbers whose logarithm it is.
    EXPECT_NEAR(std::exp(static_cast<double>(got.log_sums[t])), sums[t], 1e-12) << t;
  }
}

TEST(ReferenceAttention, KnownValues) {
  expect_attended(small_attention(), {421.0 / 7, 1641.0 / 21}, {7, 21});
  Attention x = small_attention();
  x.window_right = 0;  // query 0 stands at key 1
  expect_attended(x, {21.0 / 3, 1641.0 / 21}, {3, 21});
  x.window_left = 0;
  expect_attended(x, {10, 100}, {2, 16});
  x = small_attention();
  x.key_lengths = {1};  // query 0 stands before the first key
  x.window_right = 0;
  expect_attended(x, {0, 1}, {0, 1});
  x = small_attention();
  x.query_lengths = {1};
  expect_attended(x, {421.0 / 7, 0}, {7, 0});
  x = small_attention();
  x.sinks = make_elements(DType::f32, std::vector<Real>{0});
  expect_attended(x, {421.0 / 8, 1641.0 / 22}, {8, 22});
  x = small_attention();
  x.mask = make_elements(DType::f32, std::vector<Real>{0, -INFINITY, 0, -INFINITY, -INFINITY, -INFINITY});
  expect_attended(x, {401.0 / 5, 0}, {5, 0});
  x = small_attention();
  x.soft_cap = 1e9;
  expect_attended(x, {421.0 / 7, 1641.0 / 21}, {7, 21});
}

TEST(ReferenceAttention, DistancesAreFromTheQuerysPlace) {
  Attention x = small_attention();
  x.k = make_elements(DType::f32, std::vector<Real>{0, 0, 0});
  x.slopes = make_elements(DType::f64, std::vector<Real>{std::log(2.0L)});
  // Query 0 stands at key 1, query 1 at key 2.
  expect_attended(x, {(0.5 + 10 + 50) / 2, (0.25 + 5 + 100) / 1.75}, {2, 1.75});
}

}  // namespace
}  // namespace kernelgen::reference
