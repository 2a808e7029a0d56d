#include "attention_case.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "environment.hpp"
#include "inputs.hpp"
#include "reference/cast.hpp"
#include "reference/strided.hpp"
#include "tolerance.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

using reference::make_elements;

constexpr Real nan = std::numeric_limits<Real>::quiet_NaN();
constexpr Real infinity = std::numeric_limits<Real>::infinity();

/// A seed from the case's parameters: equal cases have equal operands.
class Draw {
 public:
  explicit Draw(const std::string& text) : state_(std::hash<std::string>{}(text)) {}

  std::uint64_t bits() { return random_bits(state_++); }
  /// In [low, high).
  Real real(Real low, Real high) {
    return low + (high - low) * std::ldexp(static_cast<Real>(bits() >> 11), -53);
  }
  std::int64_t below(std::int64_t end) {
    return static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(end));
  }
  std::vector<Real> reals(std::int64_t count, Real low, Real high) {
    std::vector<Real> values(static_cast<std::size_t>(count));
    for (Real& value : values) value = real(low, high);
    return values;
  }

 private:
  std::uint64_t state_;
};

std::vector<std::int64_t> draw_lengths(Draw& draw, std::int64_t batch, std::int64_t most) {
  std::vector<std::int64_t> lengths;
  for (std::int64_t b = 0; b < batch; ++b)
    lengths.push_back(b == 0 ? most : b + 1 == batch ? 0 : draw.below(most + 1));
  return lengths;
}

Shape mask_shape(const AttentionCase& given) {
  switch (given.mask) {
    case MaskShape::of_queries:
      return {given.queries, given.keys};
    case MaskShape::of_keys:
      return {given.batch, 1, 1, given.keys};
    default:
      return {given.batch, given.heads, given.queries, given.keys};
  }
}

void fill(Elements& elements, std::int64_t first, std::int64_t count, Real value) {
  const Elements one = reference::make_scalar(elements.dtype(), value);
  for (std::int64_t i = first; i < first + count; ++i) std::copy(one.at(0), one.at(1), elements.at(i));
}

bool is_seen(const reference::Attention& x, std::int64_t b, std::int64_t j) {
  for (std::int64_t t = 0; t < x.queries; ++t)
    if (x.sees(b, t, j)) return true;
  return false;
}

/// NaN in everything that is masked or unused.
void hide_nan(reference::Attention& x) {
  for (std::int64_t b = 0; b < x.batch; ++b) {
    for (std::int64_t j = 0; j < x.keys; ++j) {
      if (is_seen(x, b, j)) continue;
      for (std::int64_t h = 0; h < x.kv_heads; ++h) {
        const std::int64_t row = ((b * x.kv_heads + h) * x.keys + j) * x.width;
        fill(x.k, row, x.width, nan);
        fill(x.v, row, x.width, nan);
      }
    }
    if (x.query_lengths.empty()) continue;
    for (std::int64_t h = 0; h < x.heads; ++h) {
      const std::int64_t length = x.query_lengths[static_cast<std::size_t>(b)];
      fill(x.q, ((b * x.heads + h) * x.queries + length) * x.width, (x.queries - length) * x.width, nan);
    }
  }
}

/// Row-major elements put where a layout has them, into a storage of that size. They become what the view then has: some
/// views have an element several times.
Tensor place(Elements& elements, const View& view) {
  Elements storage = poison(elements.dtype(), view.storage);
  reference::scatter(storage, view.layout, elements);
  elements = reference::gather(storage, view.layout);
  return upload(storage).with_layout(view.layout);
}

View view_of(const AttentionCase& given, const Shape& shape) {
  return given.rows_first ? make_permuted_view(shape, {0, 2, 1, 3}) : make_view(given.memory, shape);
}

/// A cache in which the keys' pages are in any order, among others, and its table.
struct Cache {
  Elements k, v;
  std::vector<Real> table;
  Shape shape;
};

Cache make_cache(const AttentionCase& given, const reference::Attention& x, Draw& draw) {
  const std::int64_t each = (x.keys + given.page_rows - 1) / given.page_rows, count = each * x.batch + 3;
  Cache cache{{}, {}, {}, {count, x.kv_heads, given.page_rows, x.width}};
  const std::int64_t elements = reference::count_of(cache.shape);
  cache.k = cache.v = Elements(x.k.dtype(), elements);
  fill(cache.k, 0, elements, nan);
  fill(cache.v, 0, elements, nan);
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i-- > 1;)
    std::swap(order[i], order[static_cast<std::size_t>(draw.below(static_cast<std::int64_t>(i) + 1))]);
  for (std::int64_t b = 0; b < x.batch; ++b)
    for (std::int64_t p = 0; p < each; ++p) {
      const std::int64_t page = order[static_cast<std::size_t>(b * each + p)];
      bool is_read = false;
      for (std::int64_t r = 0; r < given.page_rows && p * given.page_rows + r < x.keys; ++r) {
        const std::int64_t j = p * given.page_rows + r;
        is_read = is_read || is_seen(x, b, j);
        for (std::int64_t h = 0; h < x.kv_heads; ++h) {
          const std::int64_t from = ((b * x.kv_heads + h) * x.keys + j) * x.width;
          const std::int64_t to = ((page * x.kv_heads + h) * given.page_rows + r) * x.width;
          std::copy(x.k.at(from), x.k.at(from + x.width), cache.k.at(to));
          std::copy(x.v.at(from), x.v.at(from + x.width), cache.v.at(to));
        }
      }
      cache.table.push_back(static_cast<Real>(is_read || !given.hides_nan ? page : count + draw.below(20)));
    }
  return cache;
}

Tensor upload_ids(DType dtype, const std::vector<Real>& values, const Shape& shape) {
  return upload(make_elements(dtype, values)).reshape(shape);
}

std::vector<Real> reals(const std::vector<std::int64_t>& values) { return {values.begin(), values.end()}; }

/// A tensor in the middle of a storage of guards.
struct Guarded {
  Elements before;
  Tensor whole, tensor;

  Guarded(DType dtype, View view) : before(poison(dtype, view.storage + 134)), whole(upload(before)) {
    view.layout.offset += 67;
    tensor = whole.with_layout(view.layout);
  }

  /// The tensor's elements. Nothing else of the storage may have been written.
  Elements elements(const std::string& what) const {
    Elements after = download(whole);
    const Elements written = reference::gather(after, tensor.layout());
    reference::scatter(after, tensor.layout(), reference::gather(before, tensor.layout()));
    EXPECT_EQ(after.bytes(), before.bytes()) << what << " wrote outside its output";
    return written;
  }
};

}  // namespace

std::string AttentionCase::to_string() const {
  std::string text = std::string(name_of(dtype)) + (cache ? " over " + std::string(name_of(*cache)) : "");
  const auto add = [&](const std::string& name, const auto& value) {
    text += ", " + name + " " + std::to_string(value);
  };
  add("batch", batch);
  add("heads", heads);
  add("of k", kv_heads);
  add("queries", queries);
  add("keys", keys);
  add("width", width);
  if (causal) text += ", causal";
  if (window_left) add("before", *window_left);
  if (window_right) add("after", *window_right);
  if (soft_cap != 0) add("cap", soft_cap);
  if (scale) add("scale", *scale);
  if (mask != MaskShape::none) add("mask", static_cast<int>(mask));
  if (slopes) text += slopes_by_batch ? ", slopes by batch" : ", slopes";
  if (sinks) text += ", sinks";
  if (query_lengths == Lengths::drawn) text += ", query lengths " + std::string(name_of(ids));
  if (key_lengths == Lengths::drawn) text += ", key lengths " + std::string(name_of(ids));
  if (page_rows > 0) text += ", pages of " + std::to_string(page_rows) + " " + std::string(name_of(ids));
  return text + (rows_first ? ", rows first" : ", " + std::string(name_of(memory)));
}

Real probability_unit(DType dtype) {
  return dtype == DType::bf16 ? 0x1p-8L : dtype == DType::f16 ? 0x1p-11L : 0;
}

reference::Attention draw_attention(const AttentionCase& given) {
  Draw draw(given.to_string());
  const DType kv_type = given.key_dtype();
  const std::int64_t kv_elements = given.batch * given.kv_heads * given.keys * given.width;
  reference::Attention x{
      .batch = given.batch,
      .heads = given.heads,
      .kv_heads = given.kv_heads,
      .queries = given.queries,
      .keys = given.keys,
      .width = given.width,
      .q = reference::cast(
          make_elements(given.mask_dtype(),
                        draw.reals(given.batch * given.heads * given.queries * given.width, -2, 2)),
          given.dtype),
      .k = make_elements(kv_type, draw.reals(kv_elements, -2, 2)),
      .v = make_elements(kv_type, draw.reals(kv_elements, -4, 4)),
      .scale = static_cast<float>(given.scale.value_or(1 / std::sqrt(static_cast<double>(given.width)))),
      .window_left = given.window_left,
      .window_right = given.causal ? 0 : given.window_right,
      .soft_cap = static_cast<float>(given.soft_cap)};
  if (given.mask != MaskShape::none) {
    const Shape shape = mask_shape(given);
    std::vector<Real> values = draw.reals(reference::count_of(shape), -3, 3);
    for (Real& value : values)
      if (draw.below(4) == 0) value = -infinity;
    x.mask = make_elements(given.mask_dtype(), values);
  }
  if (given.slopes)
    x.slopes = make_elements(DType::f32,
                             draw.reals((given.slopes_by_batch ? given.batch : 1) * given.heads, 0, 0.5));
  if (given.sinks) x.sinks = make_elements(DType::f32, draw.reals(given.heads, -2, 2));
  if (given.query_lengths == Lengths::drawn) x.query_lengths = draw_lengths(draw, given.batch, given.queries);
  if (given.key_lengths == Lengths::drawn) x.key_lengths = draw_lengths(draw, given.batch, given.keys);
  if (given.hides_nan) hide_nan(x);
  return x;
}

void check_attention(const AttentionCase& given) {
  const std::string what = "attention " + given.to_string();
  SCOPED_TRACE(what);
  reference::Attention x = draw_attention(given);
  const Shape query_shape{x.batch, x.heads, x.queries, x.width}, sums_shape{x.batch, x.heads, x.queries};
  Draw draw("cache of " + what);

  AttentionOptions options{.causal = given.causal,
                           .window_left = given.window_left,
                           .window_right = given.causal ? std::nullopt : given.window_right,
                           .soft_cap = given.soft_cap};
  options.scale = given.scale;
  const Tensor q = place(x.q, view_of(given, query_shape));
  Tensor k, v, pages;
  if (given.page_rows > 0) {
    Cache cache = make_cache(given, x, draw);
    k = place(cache.k, view_of(given, cache.shape));
    v = place(cache.v, view_of(given, cache.shape));
    pages = upload_ids(
        given.ids, cache.table,
        {x.batch, static_cast<std::int64_t>(cache.table.size()) / std::max<std::int64_t>(x.batch, 1)});
    options.block_table = &pages;
    // Rows of the last page after the keys are keys too: lengths leave them out.
    if (x.key_lengths.empty() && x.keys % given.page_rows != 0)
      x.key_lengths.assign(static_cast<std::size_t>(x.batch), x.keys);
  } else {
    const Shape key_shape{x.batch, x.kv_heads, x.keys, x.width};
    k = place(x.k, view_of(given, key_shape));
    v = place(x.v, view_of(given, key_shape));
  }
  Tensor mask, slopes, sinks, query_lengths, key_lengths;
  if (given.mask != MaskShape::none) {
    const Shape shape = mask_shape(given);
    mask = upload(x.mask).reshape(shape);
    x.mask = reference::gather(
        x.mask, reference::repeated(Layout::contiguous(shape), {x.batch, x.heads, x.queries, x.keys}));
    if (given.page_rows > 0 && x.keys % given.page_rows != 0) {
      // It reaches over the whole of the last page.
      Shape longer = shape;
      longer[longer.size() - 1] = (x.keys / given.page_rows + 1) * given.page_rows;
      Elements part = download(mask);
      mask = place(part, {Layout::contiguous(longer).narrow(-1, 0, x.keys), reference::count_of(longer)})
                 .with_layout(Layout::contiguous(longer));
    }
    options.mask = &mask;
  }
  if (given.slopes) {
    const Shape all{x.batch, x.heads};
    slopes = upload(x.slopes);
    if (given.slopes_by_batch) slopes = slopes.reshape(all);
    x.slopes = reference::gather(x.slopes, reference::repeated(slopes.layout(), all));
    options.alibi_slopes = &slopes;
  }
  if (given.sinks) options.sinks = &(sinks = upload(x.sinks));
  if (!x.query_lengths.empty())
    options.query_lengths = &(query_lengths = upload_ids(given.ids, reals(x.query_lengths), {x.batch}));
  if (!x.key_lengths.empty())
    options.key_lengths = &(key_lengths = upload_ids(given.ids, reals(x.key_lengths), {x.batch}));

  const Guarded y(given.dtype, given.rows_first ? make_permuted_view(query_shape, {0, 2, 1, 3})
                                                : make_view(Kind::contiguous, query_shape));
  const Guarded log_sums(DType::f32, make_view(Kind::contiguous, sums_shape));
  options.out = &y.tensor;
  options.log_sum_exp = &log_sums.tensor;
  try {
    attention(q, k, v, options);
  } catch (const std::exception& error) {
    ADD_FAILURE() << error.what();
    return;
  }
  reference::Attended wanted = reference::attend(x, probability_unit(given.mask_dtype()));
  // GPUs may round f32 results over 16-bit keys to that dtype.
  if (given.dtype != given.mask_dtype() && device().kind() != DeviceKind::cpu)
    for (std::size_t i = 0; i < wanted.y.size(); ++i)
      wanted.y_slack[i] += std::abs(wanted.y[i]) * probability_unit(given.mask_dtype());
  expect_within("y", y.elements("y"), wanted.y, wanted.y_slack);
  expect_within("log-sum-exp", log_sums.elements("log-sum-exp"), wanted.log_sums, wanted.log_sums_slack);
}

}  // namespace kernelgen::conformance
