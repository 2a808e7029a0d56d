#include "hostile_case.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "environment.hpp"
#include "inputs.hpp"
#include "kernelgen/error.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

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

}  // namespace

std::uint64_t Numbers::bits() { return random_bits(stream_++); }
std::int64_t Numbers::number() { return chance(2) ? below(4) : extremes[below(std::size(extremes))]; }
double Numbers::real() { return real_extremes[below(std::size(real_extremes))]; }
Dims Numbers::dims(std::int64_t rank) {
  Dims values;
  for (; rank > 0; --rank) values.push_back(number());
  return values;
}
DType Numbers::dtype() { return all_dtypes[below(std::size(all_dtypes))]; }

Wide count(const Shape& shape) {
  Wide elements = 1;
  for (const std::int64_t extent : shape)
    if (extent <= 0) return 0;
  for (const std::int64_t extent : shape)
    elements = elements > (Wide{1} << 64) ? elements : elements * static_cast<Wide>(extent);
  return elements;
}

bool takes_long(const Shape& shape) { return count(shape) > most_elements && count(shape) < (Wide{1} << 60); }

Tensor small_tensor(const Shape& shape, DType dtype, Numbers& numbers) {
  std::vector<Real> values(static_cast<std::size_t>(count(shape)));
  for (Real& value : values) value = static_cast<Real>(numbers.below(3));
  return upload(reference::make_elements(dtype, values)).reshape(shape);
}

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

Tensor plain(const Tensor& x) { return Tensor::from_host(device(), x.to_host(), x.shape(), x.dtype()); }

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

void expect_same(const Tensor& x, const Operation1& operation) {
  ASSERT_EQ(result_of([&] { return operation(x); }), result_of([&] { return operation(plain(x)); }))
      << x.layout().to_string();
}
void expect_same(const Tensor& a, const Tensor& b, const Operation2& operation) {
  ASSERT_EQ(result_of([&] { return operation(a, b); }),
            result_of([&] { return operation(plain(a), plain(b)); }))
      << a.layout().to_string() << " and " << b.layout().to_string();
}

void repeatedly(std::uint64_t stream, const std::function<void(Numbers&)>& body) {
  const char* wanted = std::getenv("KERNELGEN_HOSTILE_TURNS");
  const std::uint64_t turns = wanted != nullptr ? std::stoull(wanted) : 600;
  for (std::uint64_t turn = 0; turn < turns && !testing::Test::HasFailure(); ++turn) {
    SCOPED_TRACE("turn " + std::to_string(turn));
    Numbers numbers(stream << 20 | turn);
    body(numbers);
  }
}

}  // namespace kernelgen::conformance
