// Operations with a "body": results of several outputs and workspaces, grids by their rules, refused calls.
#include "forms_fixture.hpp"

namespace kernelgen::forms {
namespace {

TEST(Body, OutputsWorkspacesAndConstants) {
  for (const std::int64_t n : {1, 127, 128, 1001, 5000}) {
    const Values x = numbers(6 * n);
    Values low, high;
    for (std::int64_t row = 0; row < 6; ++row) {
      const auto [least, greatest] = std::minmax_element(x.begin() + row * n, x.begin() + (row + 1) * n);
      low.push_back(2 * *least);
      high.push_back(2 * *greatest);
    }
    for (const DType type : {DType::f16, DType::f32}) {
      SCOPED_TRACE(testing::Message() << n << " elements of " << name_of(type));
      const Results found = call_all("bounds", {{tensor(x, {2, 3, n}, type)}}, {{2}});
      ASSERT_EQ(found.size(), 2u);
      for (const Tensor& one : found) {
        EXPECT_EQ(one.shape(), (Shape{2, 3}));
        EXPECT_EQ(one.dtype(), type);
      }
      expect_near(found[0], low, 0);
      expect_near(found[1], high, 0);
    }
  }
}

TEST(Body, TakesEveryLayout) {
  const Values x = numbers(4 * 300);
  const Tensor t = tensor(x, {4, 300}, DType::f32);
  const Tensor copied = copy(t.transpose(0, 1));
  expect_near(call_all("bounds", {{t.transpose(0, 1)}}, {{1}})[0],
              values_of(call_all("bounds", {{copied}}, {{1}})[0]), 0);
  const Results none = call_all("bounds", {{Tensor::empty(device(), {0, 5}, DType::f32)}}, {{1}});
  EXPECT_EQ(none[1].shape(), Shape{0});
}

TEST(Body, GridsAndConditionsAreThoseOfTheRule) {
  const Tensor x = tensor(numbers(3), {3}, DType::f32);
  expect_near(call("blocks", {{x}}, {{2}}), {2000, 2000, 2000}, 0);
  expect_near(call("blocks", {{x}}, {{100}}), {100, 100, 100}, 0);
  const Tensor out = Tensor::empty(device(), {3}, DType::u32);
  call("blocks", {{x}}, {{100}}, {.out = &out});
  expect_near(out, {100, 100, 100}, 0);
}

/// A launch for each step of a loop, workspaces that begin with zeros, numbers of 32 bits.
TEST(Body, LoopsOfLaunches) {
  for (const DType type : {DType::u8, DType::u32, DType::i64}) {
    const auto bytes = static_cast<std::int64_t>(size_of(type));
    for (const std::int64_t n : {0, 1, 3000}) {
      SCOPED_TRACE(testing::Message() << n << " elements of " << name_of(type));
      Values x, counts(static_cast<std::size_t>(256 * bytes), 0);
      for (std::int64_t i = 0; i < n; ++i) {
        const std::int64_t value = type == DType::u8 ? i % 200 : 1000 * i;
        x.push_back(static_cast<double>(value));
        for (std::int64_t digit = 0; digit < bytes; ++digit)
          ++counts[static_cast<std::size_t>(256 * digit + (value >> (8 * digit) & 255))];
      }
      for (int again = 0; again < 2; ++again)
        expect_near(call("digit_counts", {{tensor(x, {n}, type)}}), counts, 0);
    }
  }
}

TEST(Body, RunsInGraphs) {
  const Tensor x = tensor(numbers(600), {2, 300}, DType::f32);
  const Values expected = values_of(call_all("bounds", {{x}}, {{1}})[0]);
  Results found;
  const Graph graph = device().capture([&] { found = call_all("bounds", {{x}}, {{1}}); });
  graph.launch();
  expect_near(found[0], expected, 0);
}

TEST(Body, Refuses) {
  const Tensor x = tensor(numbers(6), {2, 3}, DType::f32), line = tensor(numbers(3), {3}, DType::f32);
  const auto refuses = [](std::initializer_list<std::string_view> parts, const auto& f) {
    expect_error(Code::invalid_argument, parts, f);
  };
  refuses({"blocks: the grid would be 0; it has to be 1 to 2147483647"},
          [&] { call("blocks", {{line}}, {{0}}); });
  refuses({"blocks: the grid would be -5000"}, [&] { call("blocks", {{line}}, {{-5}}); });
  refuses({"blocks: the grid would be 2147483648"}, [&] { call("blocks", {{line}}, {{1LL << 31}}); });
  refuses({"blocks: grid \"wanted * 1000\": '*' overflows 64 bits"},
          [&] { call("blocks", {{line}}, {{std::int64_t{-1} << 62}}); });
  refuses({"blocks: n \"x[0]\": x has rank 0, so no dim 0"},
          [&] { call("blocks", {{tensor({1}, {}, DType::f32)}}, {{1}}); });
  refuses({"bounds: requires n > 0; x is [2, 0]"},
          [&] { call_all("bounds", {{Tensor::empty(device(), {2, 0}, DType::f32)}}, {{1}}); });
  refuses({"bounds: has 2 results, which call_all() gives"}, [&] { call("bounds", {{x}}, {{1}}); });
  refuses({"bounds: 1 tensors and 0 numbers given; it takes 1 and 1"}, [&] { call_all("bounds", {{x}}); });
  refuses({"bounds: no kernel for dtype i64; it accepts f16 f32"},
          [&] { call_all("bounds", {{to_dtype(x, DType::i64)}}, {{1}}); });
}

}  // namespace
}  // namespace kernelgen::forms
