#include "expect.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "environment.hpp"
#include "inputs.hpp"
#include "reference/strided.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
void expect_call(const std::string& what, DType dtype, const Shape& shape, const Approximation& wanted,
                 const std::function<Tensor(const CallOptions&)>& operation) {
  constexpr std::int64_t guard = 67;
  const std::int64_t count = reference::count_of(shape);
  const Elements poisoned = poison(dtype, count + 2 * guard);
  const Tensor whole = upload(poisoned);
  Layout layout = Layout::contiguous(shape);
  layout.offset = guard;
  const Tensor out = whole.with_layout(layout);
  try {
    const Tensor result = operation({.out = &out});
    EXPECT_EQ(result.shape(), shape) << what;
    EXPECT_EQ(result.dtype(), dtype) << what;
  } catch (const std::exception& error) {
    ADD_FAILURE() << what << ": " << error.what();
    return;
  }
  const Elements after = download(whole);
  const auto untouched = [&](std::int64_t first, std::int64_t last) {
    return std::equal(after.at(first), after.at(last), poisoned.at(first));
  };
  EXPECT_TRUE(untouched(0, guard)) << what << " wrote before its output";
  EXPECT_TRUE(untouched(guard + count, 2 * guard + count)) << what << " wrote past its output";
  expect_within(what, reference::slice(after, guard, count), wanted.value, wanted.error);
}

Input make_input(Kind kind, const Shape& shape, const Elements& values) {
  const View view = make_view(kind, shape);
  const Elements storage = repeat(values, 3, view.storage);
  return {upload(storage).with_layout(view.layout), reference::gather(storage, view.layout)};
}

Elements moderate(DType dtype, std::int64_t count, std::uint64_t stream) {
  std::vector<Real> values(static_cast<std::size_t>(count));
  const Real start = is_float(dtype) ? -4 : dtype == DType::u8 || dtype == DType::u32 ? 0 : -100;
  const Real length = is_float(dtype) ? 8 : 200;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t bits = random_bits(stream + i);
    values[i] = bits % 8 == 0 ? 0 : start + length * static_cast<Real>(bits) * 0x1p-64L;
  }
  return reference::make_elements(dtype, values);
}

}  // namespace kernelgen::conformance
