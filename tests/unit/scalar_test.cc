// A number given to an operation becomes an element by the cast rules.
#include <gtest/gtest.h>

#include <limits>

#include "kernelgen/ops.hpp"
#include "reference/cast.hpp"

namespace kernelgen {
namespace {

using reference::Elements;

constexpr DType dtypes[] = {DType::u8,   DType::u32, DType::i16, DType::i32, DType::i64,
                            DType::bf16, DType::f16, DType::f32, DType::f64, DType::f8e4m3};

Elements stored(const Scalar& scalar, DType dtype) {
  Elements element(dtype, 1);
  scalar.store(dtype, element.at(0));
  return element;
}

TEST(Scalar, RealsAreCast) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double values[] = {0.0,
                           -0.0,
                           0.5,
                           -0.5,
                           1.0,
                           2.5,
                           -2.9,
                           255.9,
                           256.0,
                           449.0,
                           65504.0,
                           65519.9,
                           65520,
                           1e10,
                           -1e10,
                           1e300,
                           infinity,
                           -infinity,
                           1e-30,
                           0x1p-9,
                           0x1.8p-10,
                           1 + 0x1p-11,
                           1 + 0x1p-11 + 0x1p-40,
                           0x1p63,
                           -0x1p63,
                           4294967295.0};
  for (const double value : values)
    for (const DType dtype : dtypes)
      EXPECT_EQ(stored(value, dtype).bytes(), reference::make_scalar(dtype, value).bytes())
          << value << " as " << name_of(dtype);
}

TEST(Scalar, NanIsZeroForIntegers) {
  const Scalar nan = std::numeric_limits<double>::quiet_NaN();
  for (const DType dtype : dtypes) {
    const Elements element = stored(nan, dtype);
    if (is_float(dtype)) {
      EXPECT_TRUE(std::isnan(reference::real_at(element, 0))) << name_of(dtype);
    } else {
      EXPECT_EQ(reference::bits_at(element, 0), 0u) << name_of(dtype);
    }
  }
}

TEST(Scalar, IntegersKeepTheirLowBits) {
  const std::int64_t values[] = {0,         1,        -1,    127,   128,  255,
                                 256,       -32769,   65535, 65536, 2049, (std::int64_t{1} << 53) + 1,
                                 INT64_MAX, INT64_MIN};
  for (const std::int64_t value : values) {
    Elements integer(DType::i64, 1);
    integer.as<std::int64_t>()[0] = value;
    for (const DType dtype : dtypes)
      EXPECT_EQ(stored(value, dtype).bytes(), reference::cast(integer, dtype).bytes())
          << value << " as " << name_of(dtype);
  }
}

TEST(Scalar, KnowsItsKind) {
  EXPECT_TRUE(Scalar(0.5f).is_real());
  EXPECT_FALSE(Scalar(3).is_real());
  EXPECT_EQ(Scalar(3).real(), 3.0);
  EXPECT_EQ(Scalar(std::int64_t{1} << 62).integer(), std::int64_t{1} << 62);
}

}  // namespace
}  // namespace kernelgen
