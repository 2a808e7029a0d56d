// Numbers passed to operations: rounded for floats, exact for integers.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "kernelgen/ops.hpp"
#include "reference/cast.hpp"
#include "support/expect_error.hpp"

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

void expect_refused(const Scalar& scalar, DType dtype) {
  test::expect_error(Code::invalid_argument, {"with a tensor of " + std::string(name_of(dtype))},
                     [&] { stored(scalar, dtype); });
}

TEST(Scalar, RealsAreCastToFloatsAndHeldByIntegers) {
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
      if (reference::holds(dtype, value)) {
        EXPECT_EQ(stored(value, dtype).bytes(), reference::make_scalar(dtype, value).bytes())
            << value << " as " << name_of(dtype);
      } else {
        expect_refused(value, dtype);
      }
}

TEST(Scalar, NanIsForFloatsAlone) {
  const Scalar nan = std::numeric_limits<double>::quiet_NaN();
  for (const DType dtype : dtypes) {
    if (is_float(dtype)) {
      EXPECT_TRUE(std::isnan(reference::real_at(stored(nan, dtype), 0))) << name_of(dtype);
    } else {
      expect_refused(nan, dtype);
    }
  }
}

TEST(Scalar, IntegersAreHeldExactlyOrRefused) {
  const std::int64_t values[] = {0,         1,        -1,    127,   128,  255,
                                 256,       -32769,   65535, 65536, 2049, (std::int64_t{1} << 53) + 1,
                                 INT64_MAX, INT64_MIN};
  for (const std::int64_t value : values) {
    Elements integer(DType::i64, 1);
    integer.as<std::int64_t>()[0] = value;
    for (const DType dtype : dtypes) {
      // A conversion there and back tells.
      const Elements narrow = reference::cast(integer, dtype);
      if (is_float(dtype) || reference::cast(narrow, DType::i64).bytes() == integer.bytes()) {
        EXPECT_EQ(stored(value, dtype).bytes(), narrow.bytes()) << value << " as " << name_of(dtype);
      } else {
        expect_refused(value, dtype);
      }
    }
  }
}

TEST(Scalar, SaysWhatTheDtypeHolds) {
  test::expect_error(Code::invalid_argument, {"scalar: 0.5 with a tensor of i32, which holds whole numbers"},
                     [] { stored(0.5, DType::i32); });
  test::expect_error(Code::invalid_argument, {"scalar: 256 with a tensor of u8, which holds 0 to 255"},
                     [] { stored(256, DType::u8); });
  test::expect_error(Code::invalid_argument, {"which holds -32768 to 32767"},
                     [] { stored(1e300, DType::i16); });
}

TEST(Scalar, KnowsItsKind) {
  EXPECT_TRUE(Scalar(0.5f).is_real());
  EXPECT_FALSE(Scalar(3).is_real());
  EXPECT_EQ(Scalar(3).real(), 3.0);
  EXPECT_EQ(Scalar(std::int64_t{1} << 62).integer(), std::int64_t{1} << 62);
}

}  // namespace
}  // namespace kernelgen
