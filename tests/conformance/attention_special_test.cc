// Attention on NaN and infinities: they affect only the rows that see them.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "attention_case.hpp"
#include "environment.hpp"
#include "inputs.hpp"
#include "tolerance.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

constexpr Real infinity = std::numeric_limits<Real>::infinity();
constexpr Real nan = std::numeric_limits<Real>::quiet_NaN();

void set(Elements& elements, std::int64_t i, Real value) {
  const Elements one = reference::make_scalar(elements.dtype(), value);
  std::copy(one.at(0), one.at(1), elements.at(i));
}

/// Contiguous operands as they are in `x`.
void expect_reference(const std::string& what, const reference::Attention& x, const AttentionCase& given) {
  SCOPED_TRACE(what + ": " + given.to_string());
  const Shape keys{x.batch, x.kv_heads, x.keys, x.width};
  const Tensor mask =
      x.mask.count() > 0 ? upload(x.mask).reshape({x.batch, x.heads, x.queries, x.keys}) : Tensor();
  const Tensor sinks = x.sinks.count() > 0 ? upload(x.sinks) : Tensor();
  AttentionOptions options{
      .wants_log_sum_exp = true, .causal = given.causal, .window_left = given.window_left};
  if (mask) options.mask = &mask;
  if (sinks) options.sinks = &sinks;
  const AttentionResult got = attention(upload(x.q).reshape({x.batch, x.heads, x.queries, x.width}),
                                        upload(x.k).reshape(keys), upload(x.v).reshape(keys), options);
  const reference::Attended wanted = reference::attend(x, probability_unit(given.dtype));
  expect_within("y", download(got.y), wanted.y, wanted.y_slack);
  expect_within("log-sum-exp", download(got.log_sum_exp), wanted.log_sums, wanted.log_sums_slack);
}

/// Rows of few and of many, so that every form is met.
template <class Change>
void test_specials(const std::string& what, DType dtype, const Change& change) {
  for (const std::int64_t queries : {1, 40})
    for (const std::int64_t keys : {40, 300}) {
      AttentionCase given{.dtype = dtype, .queries = queries, .keys = keys, .width = 12, .causal = true};
      given.mask = MaskShape::whole;
      given.hides_nan = false;
      for (const bool has_mask : {false, true}) {
        if (!has_mask) given.mask = MaskShape::none;
        reference::Attention x = draw_attention(given);
        change(x);
        expect_reference(what, x, given);
        given.mask = MaskShape::whole;
      }
    }
}

void test_values(DType dtype) {
  test_specials("NaN in the last value", dtype,
                [](reference::Attention& x) { set(x.v, x.v.count() - 1, nan); });
  test_specials("NaN in a value between", dtype,
                [](reference::Attention& x) { set(x.v, x.v.count() - 3 * x.width, nan); });
  test_specials("infinities in values", dtype, [](reference::Attention& x) {
    set(x.v, x.v.count() - 1, infinity);
    set(x.v, 5, -infinity);
    set(x.v, x.width + 5, infinity);
  });
}

void test_queries_and_keys(DType dtype) {
  test_specials("NaN in a query", dtype, [](reference::Attention& x) { set(x.q, 3, nan); });
  test_specials("NaN in a key", dtype, [](reference::Attention& x) { set(x.k, x.k.count() - x.width, nan); });
  if (dtype == DType::f32)  // NVIDIA GPUs' NaN has another mantissa than the host's
    test_specials("a full NaN in a key", dtype, [](reference::Attention& x) {
      std::memset(x.k.at(x.k.count() - x.width), 0xff, sizeof(float));
    });
  test_specials("an infinite query", dtype, [](reference::Attention& x) { set(x.q, 3, infinity); });
  test_specials("an infinite key", dtype, [](reference::Attention& x) { set(x.k, 3, -infinity); });
  test_specials("all keys NaN", dtype, [](reference::Attention& x) {
    for (std::int64_t i = 0; i < x.k.count(); i += x.width) set(x.k, i, nan);
  });
}

/// Masks that hide all keys of some rows, over values that are NaN where masked.
void test_masks(DType dtype) {
  const auto hide = [](reference::Attention& x) {
    if (x.mask.count() == 0) return;
    // The first row of each head sees no key, and no row sees key 2.
    for (std::int64_t i = 0; i < x.mask.count(); ++i)
      if (i / x.keys % x.queries == 0 || i % x.keys == 2) set(x.mask, i, -infinity);
    for (std::int64_t row = 2; row < x.batch * x.kv_heads * x.keys; row += x.keys)
      for (std::int64_t d = 0; d < x.width; ++d) set(x.v, row * x.width + d, d % 2 == 0 ? nan : infinity);
  };
  test_specials("rows that see nothing", dtype, hide);
  test_specials("rows that see a sink", dtype, [&](reference::Attention& x) {
    hide(x);
    x.sinks = reference::make_elements(DType::f32, std::vector<Real>(static_cast<std::size_t>(x.heads), 0.5));
  });
  test_specials("sinks of nothing, NaN and infinity", dtype, [&](reference::Attention& x) {
    hide(x);
    x.sinks = reference::make_elements(DType::f32, std::vector<Real>{-infinity, nan, infinity, 3});
  });
  test_specials("NaN in a mask", dtype, [](reference::Attention& x) {
    if (x.mask.count() > 0) set(x.mask, 0, nan);
  });
}

}  // namespace

void register_attention_special_tests() {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    const std::string types = std::string(name_of(dtype));
    register_test("attention", "special_values_" + types, [=] { test_values(dtype); });
    register_test("attention", "special_queries_and_keys_" + types, [=] { test_queries_and_keys(dtype); });
    register_test("attention", "special_masks_" + types, [=] { test_masks(dtype); });
  }
}

}  // namespace kernelgen::conformance
