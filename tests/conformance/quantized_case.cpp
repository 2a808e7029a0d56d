#include "quantized_case.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "environment.hpp"
#include "reference/quantized.hpp"
#include "reference/strided.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

/// Layouts here are counted in blocks.
Layout in_elements(Layout layout, DType format) {
  const std::int64_t n = block_elements(format);
  const std::size_t last = layout.rank() - 1;
  layout.shape[last] *= n;
  for (std::size_t d = 0; d < last; ++d) layout.strides[d] *= n;
  layout.offset *= n;
  return layout;
}

View row_view(RowKind kind, const Shape& shape) {
  const std::size_t outer = shape.size() - 1;
  switch (kind) {
    case RowKind::contiguous:
      return make_view(Kind::contiguous, shape);
    case RowKind::offset:
      return make_view(Kind::offset, shape);
    case RowKind::sliced:
      return make_view(Kind::sliced, shape);
    case RowKind::transposed: {
      std::vector<std::int64_t> order;
      for (std::size_t d = outer; d-- > 0;) order.push_back(static_cast<std::int64_t>(d));
      order.push_back(static_cast<std::int64_t>(outer));
      return make_permuted_view(shape, order);
    }
    case RowKind::reversed: {
      View view = make_view(Kind::contiguous, shape);
      for (std::size_t d = 0; d < outer; ++d) {
        if (view.storage > 0) view.layout.offset += (shape[d] - 1) * view.layout.strides[d];
        view.layout.strides[d] *= -1;
      }
      return view;
    }
    case RowKind::row:
      return make_view(Kind::row, shape);
  }
  throw std::logic_error("no such kind of rows");
}

/// The blocks of a view in row-major order.
Elements gathered(const Elements& storage, const Layout& layout) {
  Elements result(storage.dtype(), reference::count_of(layout.shape));
  for (std::int64_t b = 0; b < result.count(); ++b)
    std::memcpy(result.at(b), storage.at(reference::position(layout, b)), size_of(storage.dtype()));
  return result;
}

bool is_nan_f16(const std::byte* bytes) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, bytes, sizeof bits);
  return (bits & 0x7fff) > 0x7c00;
}

/// Elements with one NaN for all.
Elements with_one_nan(Elements elements) {
  const DType dtype = elements.dtype();
  for (std::int64_t i = 0; i < elements.count(); ++i) {
    if (!is_quantized(dtype)) {
      if (std::isnan(real_at(elements, i)))
        std::memcpy(elements.at(i), reference::make_scalar(dtype, NAN).at(0), size_of(dtype));
      continue;
    }
    const reference::BlockLayout layout = reference::layout_of(dtype);
    for (const int place : {layout.step, layout.second})
      if (place >= 0 && is_nan_f16(elements.at(i) + place))
        reference::write_f16(elements.at(i), place, std::numeric_limits<float>::quiet_NaN());
  }
  return elements;
}

std::string text_of(const Elements& elements, std::int64_t i) {
  if (!is_quantized(elements.dtype())) return describe(elements, i);
  std::string text;
  for (std::size_t b = 0; b < size_of(elements.dtype()); ++b) {
    constexpr std::string_view digits = "0123456789abcdef";
    const auto byte = std::to_integer<std::size_t>(elements.at(i)[b]);
    text += {digits[byte / 16], digits[byte % 16], ' '};
  }
  return text;
}

}  // namespace

std::string_view name_of(RowKind kind) {
  constexpr std::string_view names[] = {"contiguous", "offset", "sliced", "transposed", "reversed", "row"};
  return names[static_cast<std::size_t>(kind)];
}

BlockInput make_block_input(RowKind kind, const Shape& shape, const Elements& blocks) {
  const DType format = blocks.dtype();
  Shape counted = shape;
  counted[shape.size() - 1] /= block_elements(format);
  const View view = row_view(kind, counted);
  const Elements storage = repeat(blocks, 3, view.storage);
  const Elements seen = gathered(storage, view.layout);
  return {upload_blocks(storage).with_layout(in_elements(view.layout, format)),
          reference::dequantize(format, seen.bytes())};
}

Elements moderate_blocks(DType format, std::int64_t count, std::uint64_t stream) {
  Elements blocks = random_patterns(format, count, stream);
  const reference::BlockLayout layout = reference::layout_of(format);
  for (std::int64_t b = 0; b < count; ++b) {
    const std::uint64_t bits = random_bits(stream + 31 * static_cast<std::uint64_t>(b));
    const auto sign = [&](int bit) { return (bits >> bit & 1) != 0 ? -1.0f : 1.0f; };
    const float step = sign(0) * std::ldexp(static_cast<float>(32 + (bits >> 8 & 31)),
                                            -12 + static_cast<int>(bits >> 24 & 15) % 3);
    const float second = sign(1) * std::ldexp(static_cast<float>(32 + (bits >> 16 & 31)), -9);
    reference::write_step(format, blocks.at(b), step);
    if (layout.second >= 0) reference::write_f16(blocks.at(b), layout.second, second);
  }
  return blocks;
}

Tensor upload_blocks(const Elements& blocks) {
  return Tensor::from_host(device(), blocks.bytes(), {blocks.count() * block_elements(blocks.dtype())},
                           blocks.dtype());
}

void expect_exactly(const std::string& what, const Shape& shape, const Elements& wanted,
                    const std::function<Tensor(const CallOptions&)>& operation) {
  constexpr std::int64_t guard = 3;
  const DType dtype = wanted.dtype();
  const Elements poisoned = poison(dtype, wanted.count() + 2 * guard);
  const Tensor whole = upload_blocks(poisoned);
  Layout layout = Layout::contiguous(shape);
  layout.offset = guard * block_elements(dtype);
  const Tensor out = whole.with_layout(layout);
  try {
    const Tensor result = operation({.out = &out});
    EXPECT_EQ(result.shape(), shape) << what;
    EXPECT_EQ(result.dtype(), dtype) << what;
  } catch (const std::exception& error) {
    ADD_FAILURE() << what << ": " << error.what();
    return;
  }
  const Elements after(dtype, whole.to_host());
  const Elements got = with_one_nan(reference::slice(after, guard, wanted.count())),
                 right = with_one_nan(wanted);
  const std::size_t size = size_of(dtype);
  for (std::int64_t i = 0; i < wanted.count(); ++i) {
    if (std::memcmp(got.at(i), right.at(i), size) == 0) continue;
    ADD_FAILURE() << what << ": number " << i << " of " << wanted.count() << " is " << text_of(got, i)
                  << ", wanted " << text_of(right, i) << " (KERNELGEN_SEED=" << seed() << ")";
    return;
  }
  for (const std::int64_t first : {std::int64_t{0}, guard + wanted.count()})
    EXPECT_TRUE(std::equal(after.at(first), after.at(first + guard), poisoned.at(first)))
        << what << " wrote outside its output";
}

Elements rounded(DType dtype, const std::vector<float>& values) {
  return reference::make_elements(dtype, std::vector<Real>(values.begin(), values.end()));
}

}  // namespace kernelgen::conformance
