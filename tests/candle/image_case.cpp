#include "image_case.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "conformance/expect.hpp"
#include "conformance/inputs.hpp"
#include "reference/strided.hpp"

namespace kernelgen::candle {
namespace {

Dims strides_of(Kind kind, const Shape& shape) {
  Dims strides = shape;
  std::int64_t pitch = kind == Kind::gaps ? 2 : 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::size_t d = kind == Kind::reversed_dims ? i : shape.size() - 1 - i;
    strides[d] = pitch;
    pitch = pitch * shape[d] + (kind == Kind::gaps ? 3 : 0);
  }
  if (kind == Kind::one_batch) strides[0] = 0;
  return strides;
}

/// A floating-point sum, or the low bits of an integer one.
Real wrapped(DType dtype, Real sum) {
  return is_float(dtype) ? sum : std::fmod(sum, std::ldexp(Real{1}, static_cast<int>(8 * size_of(dtype))));
}

}  // namespace

View::View(Kind kind, const Shape& shape, const Elements& source)
    : layout{shape, strides_of(kind, shape), 0} {
  const Elements storage =
      conformance::repeat(source, 5, layout.elements() == 0 ? 0 : layout.extent().last + 1);
  tensor = upload(storage);
  values = gather(storage, layout);
}

Tensor info_of(const std::vector<Layout>& layouts) {
  std::vector<std::int64_t> numbers;
  for (const Layout& layout : layouts) {
    numbers.insert(numbers.end(), layout.shape.begin(), layout.shape.end());
    numbers.insert(numbers.end(), layout.strides.begin(), layout.strides.end());
  }
  return upload_info(numbers);
}

Elements factors(DType dtype, std::uint64_t stream) {
  if (is_float(dtype)) return conformance::moderate(dtype, 1021, stream);
  std::vector<Real> values;
  for (std::uint64_t i = 0; i < 1021; ++i)
    values.push_back(
        static_cast<Real>(conformance::random_bits(stream + i) % (dtype == DType::u8 ? 256 : 100000)));
  return reference::make_elements(dtype, values);
}

void check(const std::string& kernel, const std::string& what, DType dtype, std::int64_t count,
           const std::function<Block(void*)>& arguments, const Comparison& compare) {
  const std::int64_t room = 16, size = static_cast<std::int64_t>(size_of(dtype));
  const Elements poisoned(
      dtype, std::vector<std::byte>(static_cast<std::size_t>((count + 2 * room) * size), std::byte{0xa5}));
  for (const Cut& cut : element_cuts(std::max<std::int64_t>(1, count))) {
    const std::string name = kernel + "_" + suffix(dtype), full = name + " " + what + ", " + cut.text();
    const Tensor whole = upload(poisoned);
    launch(name, cut, arguments(static_cast<std::byte*>(whole.data()) + room * size));
    const Elements got = download(whole);
    compare(full, slice(got, room, count));
    EXPECT_EQ(slice(got, 0, room).bytes(), slice(poisoned, 0, room).bytes()) << full << " wrote before";
    EXPECT_EQ(slice(got, room + count, room).bytes(), slice(poisoned, 0, room).bytes())
        << full << " wrote past the end";
  }
}

Comparison within(const Sums& sums, DType dtype, Real error) {
  std::vector<Real> exact, slack;
  for (std::size_t i = 0; i < sums.value.size(); ++i) {
    exact.push_back(wrapped(dtype, sums.value[i]));
    slack.push_back(error == 0 ? 0 : error * sums.magnitude[i]);
  }
  return [=](const std::string& what, const Elements& got) {
    conformance::expect_within(what, got, exact, slack);
  };
}

Comparison same_bits(const Elements& wanted) {
  return
      [=](const std::string& what, const Elements& got) { EXPECT_EQ(got.bytes(), wanted.bytes()) << what; };
}

}  // namespace kernelgen::candle
