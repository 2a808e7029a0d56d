// Attention: every option and every two of them, dtypes, widths, groups, memory layouts, pages, splits of the keys.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "attention_case.hpp"
#include "environment.hpp"
#include "inputs.hpp"

namespace kernelgen::conformance {
namespace {

/// What one option does to a case.
using Option = std::function<void(AttentionCase&)>;

const std::vector<Option>& all_options() {
  static const std::vector<Option> options{
      [](AttentionCase& x) { x.causal = true; },
      [](AttentionCase& x) { x.window_left = 4; },
      [](AttentionCase& x) { x.window_right = 3; },
      [](AttentionCase& x) { x.window_left = x.window_right = 0; },
      [](AttentionCase& x) { x.soft_cap = 1.5; },
      [](AttentionCase& x) { x.scale = 0.3; },
      [](AttentionCase& x) { x.mask = MaskShape::whole; },
      [](AttentionCase& x) { x.mask = MaskShape::of_queries; },
      [](AttentionCase& x) { x.mask = MaskShape::of_keys; },
      [](AttentionCase& x) { x.slopes = true; },
      [](AttentionCase& x) { x.slopes = x.slopes_by_batch = true; },
      [](AttentionCase& x) { x.sinks = true; },
      [](AttentionCase& x) { x.query_lengths = Lengths::drawn; },
      [](AttentionCase& x) { x.key_lengths = Lengths::drawn; },
      [](AttentionCase& x) { x.page_rows = 7; },
      [](AttentionCase& x) { x.rows_first = true; },
  };
  return options;
}

/// None of them, each alone, and each with each, over a few shapes.
void test_options(DType dtype, std::optional<DType> cache) {
  const AttentionCase plain{.dtype = dtype, .cache = cache};
  const auto check = [&](const auto&... option) {
    for (const auto [queries, keys] : {std::array<std::int64_t, 2>{5, 9}, {70, 70}, {3, 2}}) {
      if (sizeof...(option) > 1 && queries == 5) continue;
      AttentionCase given = plain;
      given.batch = 3;
      given.queries = queries;
      given.keys = keys;
      (option(given), ...);
      check_attention(given);
    }
  };
  check([](AttentionCase&) {});
  for (std::size_t a = 0; a < all_options().size(); ++a) {
    check(all_options()[a]);
    for (std::size_t b = 0; b < a; ++b) check(all_options()[a], all_options()[b]);
  }
}

void test_widths(DType dtype, std::optional<DType> cache) {
  for (const std::int64_t width : {1, 7, 8, 31, 40, 64, 72, 80, 96, 128, 160, 192, 255, 256})
    for (const std::int64_t queries : {1, 33}) {
      AttentionCase given{.dtype = dtype, .cache = cache, .queries = queries, .keys = 45, .width = width};
      check_attention(given);
      given.causal = true;
      given.rows_first = true;
      check_attention(given);
    }
}

void test_groups(DType dtype, std::optional<DType> cache) {
  for (const auto [heads, kv_heads] :
       {std::array<std::int64_t, 2>{1, 1}, {6, 6}, {6, 2}, {6, 1}, {32, 4}, {71, 1}})
    for (const std::int64_t queries : {1, 2, 37})
      check_attention({.dtype = dtype,
                       .cache = cache,
                       .heads = heads,
                       .kv_heads = kv_heads,
                       .queries = queries,
                       .keys = 50,
                       .width = 24,
                       .causal = true,
                       .slopes = true,
                       .sinks = true,
                       .query_lengths = Lengths::drawn});
}

void test_memory(DType dtype, std::optional<DType> cache) {
  for (const Kind kind : strided_kinds) {
    AttentionCase given{
        .dtype = dtype, .cache = cache, .queries = 6, .keys = 21, .width = 20, .memory = kind};
    // One row for several would be NaN for those who look, too; and several pages would be one.
    const bool is_repeated = kind == Kind::row || kind == Kind::column || kind == Kind::scalar;
    given.hides_nan = !is_repeated;
    check_attention(given);
    given.page_rows = 4;
    if (!is_repeated) check_attention(given);
  }
}

void test_pages(DType dtype, std::optional<DType> cache) {
  for (const DType ids : {DType::u32, DType::i32, DType::i64, DType::i16, DType::u8})
    for (const std::int64_t page_rows : {1, 7, 16, 64})
      for (const std::int64_t queries : {1, 19})
        check_attention({.dtype = dtype,
                         .cache = cache,
                         .batch = 3,
                         .queries = queries,
                         .keys = 65,
                         .width = 32,
                         .causal = true,
                         .query_lengths = Lengths::drawn,
                         .key_lengths = Lengths::drawn,
                         .ids = ids,
                         .page_rows = page_rows});
}

/// Few rows over many keys, which are cut into splits; and rows in numbers around those that blocks take.
void test_sizes(DType dtype, std::optional<DType> cache) {
  for (const std::int64_t keys : {63, 64, 65, 1000, 4099})
    for (const std::int64_t group : {1, 4}) {
      AttentionCase given{.dtype = dtype,
                          .cache = cache,
                          .batch = 2,
                          .heads = 2 * group,
                          .kv_heads = 2,
                          .queries = 1,
                          .keys = keys,
                          .width = 64};
      check_attention(given);
      given.sinks = true;
      given.key_lengths = Lengths::drawn;
      check_attention(given);
      given.page_rows = 16;
      check_attention(given);
      given.window_left = 300;
      check_attention(given);
    }
  // One head of k: cut on every device with several threads.
  for (const std::int64_t group : {1, 3, 40})
    for (const std::int64_t queries : {1, 5}) {
      AttentionCase given{.dtype = dtype,
                          .cache = cache,
                          .batch = 1,
                          .heads = group,
                          .kv_heads = 1,
                          .queries = queries,
                          .keys = 4500,
                          .width = 64,
                          .causal = true};
      check_attention(given);
      given.sinks = given.slopes = true;
      given.mask = MaskShape::of_keys;
      given.page_rows = 64;
      check_attention(given);
    }
  for (const std::int64_t queries : {7, 8, 9, 15, 16, 17, 63, 64, 65, 127, 129, 200})
    check_attention({.dtype = dtype,
                     .cache = cache,
                     .batch = 1,
                     .heads = 2,
                     .queries = queries,
                     .keys = 131,
                     .width = 16,
                     .causal = true});
  check_attention({.dtype = dtype,
                   .cache = cache,
                   .batch = 1,
                   .heads = 2,
                   .kv_heads = 1,
                   .queries = 300,
                   .keys = 333,
                   .width = 128,
                   .causal = true});
}

/// More rows than a tile of any GPU has, over a few steps of keys.
void test_tiles(DType dtype, std::optional<DType> cache) {
  for (const std::int64_t width : {40, 64, 72, 128, 200, 256})
    for (const std::int64_t keys : {65, 128, 190}) {
      AttentionCase given{.dtype = dtype, .cache = cache, .queries = 70, .keys = keys, .width = width};
      check_attention(given);
      given.causal = given.sinks = true;
      given.query_lengths = given.key_lengths = Lengths::drawn;
      check_attention(given);
      given.mask = MaskShape::whole;
      given.page_rows = 16;
      given.rows_first = true;
      check_attention(given);
    }
}

/// Nothing to do, or nothing to see.
void test_empty(DType dtype, std::optional<DType> cache) {
  const AttentionCase plain{.dtype = dtype, .cache = cache};
  for (const Option& option :
       std::vector<Option>{[](AttentionCase& x) { x.batch = 0; }, [](AttentionCase& x) { x.queries = 0; },
                           [](AttentionCase& x) { x.keys = 0; }, [](AttentionCase& x) { x.heads = 0; },
                           [](AttentionCase& x) { x.heads = x.kv_heads = 0; }})
    for (const bool has_more : {false, true}) {
      AttentionCase given = plain;
      option(given);
      if (has_more) {
        given.causal = given.sinks = given.slopes = true;
        given.mask = MaskShape::whole;
        given.query_lengths = given.key_lengths = Lengths::drawn;
      }
      check_attention(given);
    }
}

}  // namespace

void register_attention_tests() {
  struct Types {
    DType dtype;
    std::optional<DType> cache = {};
  };
  for (const Types& types : {Types{DType::f32},
                             {DType::f16},
                             {DType::bf16},
                             {DType::f32, DType::f8e4m3},
                             {DType::f16, DType::f8e4m3},
                             {DType::bf16, DType::f8e4m3},
                             {DType::f32, DType::f16},
                             {DType::f32, DType::bf16}}) {
    const auto add = [&](const std::string& part, void (*test)(DType, std::optional<DType>)) {
      const bool is_f8 = types.cache == DType::f8e4m3;
      std::string name = part + "_" + std::string(name_of(types.dtype));
      if (types.cache && !is_f8) name += "_over_" + std::string(name_of(*types.cache));
      register_test(is_f8 ? "attention_f8" : "attention", name, [=] { test(types.dtype, types.cache); });
    };
    add("options", test_options);
    add("widths", test_widths);
    add("groups", test_groups);
    add("memory", test_memory);
    add("pages", test_pages);
    add("sizes", test_sizes);
    add("tiles", test_tiles);
    add("empty", test_empty);
  }
}

}  // namespace kernelgen::conformance
