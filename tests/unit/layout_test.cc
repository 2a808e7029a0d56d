#include "kernelgen/layout.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "kernelgen/error.hpp"

namespace kernelgen {
namespace {

using Order = std::vector<std::int64_t>;

/// The message of the Error that `f` throws.
template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::invalid_argument);
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

void expect_holds(const std::string& message, const std::string& part) {
  EXPECT_NE(message.find(part), std::string::npos) << "'" << part << "' is missing in: " << message;
}

TEST(Dims, HoldsUpToEight) {
  Dims dims{1, 2, 3, 4, 5, 6, 7};
  dims.push_back(8);
  EXPECT_EQ(dims.size(), 8u);
  EXPECT_EQ(dims.back(), 8);
  expect_holds(error_of([&] { dims.push_back(9); }), "8");
  expect_holds(error_of([&] { dims.insert(0, 9); }), "8");
  expect_holds(error_of([] { Dims({1, 2, 3, 4, 5, 6, 7, 8, 9}); }), "9");
  EXPECT_EQ(dims, (Dims{1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(Dims, InsertEraseAndPrint) {
  Dims dims{1, 3};
  dims.insert(1, 2);
  dims.insert(3, 4);
  dims.insert(0, 0);
  EXPECT_EQ(dims, (Dims{0, 1, 2, 3, 4}));
  dims.erase(0);
  dims.erase(3);
  EXPECT_EQ(dims, (Dims{1, 2, 3}));
  EXPECT_NE(dims, (Dims{1, 2}));
  EXPECT_EQ(dims.to_string(), "[1, 2, 3]");
  EXPECT_EQ(Dims().to_string(), "[]");
}

TEST(Layout, Contiguous) {
  const Layout layout = Layout::contiguous({2, 3, 4});
  EXPECT_EQ(layout.strides, (Dims{12, 4, 1}));
  EXPECT_EQ(layout.elements(), 24);
  EXPECT_TRUE(layout.is_contiguous());
  EXPECT_EQ(Layout::contiguous({}).elements(), 1);
  EXPECT_EQ(Layout::contiguous({2, 0, 3}).elements(), 0);
  expect_holds(error_of([] { Layout::contiguous({2, -1}); }), "[2, -1]");
  const std::int64_t huge = std::int64_t{1} << 32;
  expect_holds(error_of([&] { Layout::contiguous({huge, huge}); }), "[4294967296, 4294967296]");
}

TEST(Layout, IsContiguousLooksPastSingleDimsAndEmptyShapes) {
  Layout layout = Layout::contiguous({2, 1, 3});
  layout.strides[1] = 77;
  layout.offset = 5;
  EXPECT_TRUE(layout.is_contiguous());
  layout.strides[0] = 4;
  EXPECT_FALSE(layout.is_contiguous());
  layout.shape[2] = 0;
  EXPECT_TRUE(layout.is_contiguous());
  EXPECT_FALSE(Layout::contiguous({3}).broadcast_to({2, 3}).is_contiguous());
}

/// Without elements strides mean nothing; they used to be checked before the extent of 0 after them.
TEST(Layout, ViewsWithoutElementsAreContiguous) {
  const Layout empty = Layout::contiguous({4, 6}).narrow(1, 0, 0).transpose(0, 1);
  EXPECT_TRUE(empty.is_contiguous());
  EXPECT_EQ(empty.reshape({0}).shape, (Dims{0}));
  EXPECT_EQ(empty.reshape({4, 0}).shape, (Dims{4, 0}));
  EXPECT_TRUE((Layout{{3, 0}, {-7, 5}, 2}).is_contiguous());
  EXPECT_EQ(empty.narrow(1, 3, 1).offset, 0);
}

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

TEST(Layout, CountsWhatFits) {
  const Layout empty = Layout::contiguous({0, largest, largest});
  EXPECT_EQ(empty.elements(), 0);
  EXPECT_EQ(Layout::contiguous({1}).broadcast_to({0, largest, 3}).elements(), 0);
  EXPECT_EQ(Layout::contiguous({largest}).elements(), largest);
  expect_holds(error_of([] { Layout::contiguous({largest, 2}); }), "more than 2^63 - 1 elements");
  expect_holds(error_of([] { Layout::contiguous({1}).broadcast_to({largest, 2}); }),
               "more than 2^63 - 1 elements");
  EXPECT_EQ(Layout::contiguous({1}).broadcast_to({largest, 1}).elements(), largest);
  EXPECT_FALSE((Layout{{largest, largest}, {1, 1}, 0}).is_contiguous());
  error_of([] { (Layout{{2, 3}, {largest, 1}, 5}).narrow(0, 1, 1); });
  EXPECT_EQ((Layout{{0, 3}, {1, largest}, 5}).narrow(1, 2, 1).offset, 5);
  EXPECT_EQ((Layout{{2}, {largest}, 0}).unsqueeze(0).rank(), 2u);
  EXPECT_LT((Layout{{largest, 0}, {largest, 1}, 5}).extent().last, 0);
  error_of([] { (Layout{{2, 2}, {largest, largest - 1}, 0}).reshape({4}); });
}

TEST(Layout, Extent) {
  Layout layout{{2, 3}, {10, -2}, 7};
  EXPECT_EQ(layout.extent().first, 3);
  EXPECT_EQ(layout.extent().last, 17);
  layout.shape[1] = 0;
  EXPECT_LT(layout.extent().last, layout.extent().first);
  layout = {{3}, {largest}, 0};
  error_of([&] { layout.extent(); });
  layout = {{2}, {largest}, 1};
  error_of([&] { layout.extent(); });
}

TEST(Layout, TransposeAndPermute) {
  const Layout layout = Layout::contiguous({2, 3, 4});
  const Layout transposed = layout.transpose(0, -1);
  EXPECT_EQ(transposed.shape, (Dims{4, 3, 2}));
  EXPECT_EQ(transposed.strides, (Dims{1, 4, 12}));
  const Layout permuted = layout.permute(Order{2, 0, 1});
  EXPECT_EQ(permuted.shape, (Dims{4, 2, 3}));
  EXPECT_EQ(permuted.strides, (Dims{1, 12, 4}));
  EXPECT_EQ(Layout::contiguous({}).permute(Order{}).rank(), 0u);
  EXPECT_EQ(layout.permute(Order{-1, 0, 1}), permuted);
  error_of([&] { layout.transpose(0, 3); });
  expect_holds(error_of([&] { layout.permute(Order{0, 1}); }), "[2, 3, 4]");
  expect_holds(error_of([&] { layout.permute(Order{0, 1, 1}); }), "[0, 1, 1]");
}

TEST(Layout, PermuteOfRankEight) {
  const Layout layout = Layout::contiguous({1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(layout.permute(Order{7, 6, 5, 4, 3, 2, 1, 0}).shape, (Dims{8, 7, 6, 5, 4, 3, 2, 1}));
}

TEST(Layout, Narrow) {
  const Layout layout = Layout::contiguous({4, 6});
  const Layout part = layout.narrow(1, 2, 3).narrow(0, 1, 2);
  EXPECT_EQ(part.shape, (Dims{2, 3}));
  EXPECT_EQ(part.strides, (Dims{6, 1}));
  EXPECT_EQ(part.offset, 8);
  EXPECT_EQ(layout.narrow(0, 4, 0).elements(), 0);
  EXPECT_EQ(layout.narrow(-1, 0, 6), layout);
  expect_holds(error_of([&] { layout.narrow(1, 4, 3); }), "[4, 6]");
  error_of([&] { layout.narrow(1, -1, 2); });
  error_of([&] { layout.narrow(1, 0, -1); });
  error_of([&] { layout.narrow(1, 7, 0); });
  error_of([&] { layout.narrow(1, 1, largest); });
}

TEST(Layout, SqueezeAndUnsqueeze) {
  const Layout layout = Layout::contiguous({2, 1, 3});
  EXPECT_EQ(layout.squeeze(1), Layout::contiguous({2, 3}));
  EXPECT_EQ(layout.squeeze(-2).shape, (Dims{2, 3}));
  expect_holds(error_of([&] { layout.squeeze(0); }), "[2, 1, 3]");
  const Layout flat = Layout::contiguous({2, 3});
  EXPECT_EQ(flat.unsqueeze(0).shape, (Dims{1, 2, 3}));
  EXPECT_EQ(flat.unsqueeze(-1).shape, (Dims{2, 3, 1}));
  EXPECT_TRUE(flat.unsqueeze(1).is_contiguous());
  EXPECT_EQ(Layout::contiguous({}).unsqueeze(0).shape, (Dims{1}));
  error_of([&] { flat.unsqueeze(3); });
  error_of([] { Layout::contiguous({1, 1, 1, 1, 1, 1, 1, 1}).unsqueeze(0); });
}

TEST(Layout, BroadcastTo) {
  const Layout row = Layout::contiguous({1, 3}).broadcast_to({2, 4, 3});
  EXPECT_EQ(row.shape, (Dims{2, 4, 3}));
  EXPECT_EQ(row.strides, (Dims{0, 0, 1}));
  EXPECT_EQ(Layout::contiguous({}).broadcast_to({5}).strides, (Dims{0}));
  EXPECT_EQ(Layout::contiguous({1}).broadcast_to({0}).elements(), 0);
  const Layout same = Layout::contiguous({2, 3});
  EXPECT_EQ(same.broadcast_to({2, 3}), same);
  const std::string message = error_of([&] { same.broadcast_to({3, 3}); });
  expect_holds(message, "[2, 3]");
  expect_holds(message, "[3, 3]");
  error_of([&] { same.broadcast_to({3}); });
  error_of([] { Layout::contiguous({1}).broadcast_to({-2}); });
}

TEST(Layout, ReshapeOfContiguous) {
  const Layout layout = Layout::contiguous({2, 6});
  EXPECT_EQ(layout.reshape({3, 4}), Layout::contiguous({3, 4}));
  EXPECT_EQ(layout.reshape({12}).shape, (Dims{12}));
  EXPECT_EQ(Layout::contiguous({1}).reshape({}).rank(), 0u);
  EXPECT_EQ(Layout::contiguous({0, 3}).reshape({7, 0}).elements(), 0);
  const std::string message = error_of([&] { layout.reshape({5, 2}); });
  expect_holds(message, "[2, 6]");
  expect_holds(message, "[5, 2]");
}

/// Position of row-major element `index`.
std::int64_t position(const Layout& layout, std::int64_t index) {
  std::int64_t at = layout.offset;
  for (std::size_t dim = layout.rank(); dim-- > 0; index /= layout.shape[dim])
    at += index % layout.shape[dim] * layout.strides[dim];
  return at;
}

TEST(Layout, ReshapeOfViewsKeepsEveryElement) {
  const Layout sliced = Layout::contiguous({4, 6, 5}).narrow(2, 1, 3);
  const Layout transposed = Layout::contiguous({4, 6}).transpose(0, 1);
  const Layout repeated = Layout::contiguous({1, 6}).broadcast_to({4, 6});
  const Layout stepped{{1, 6, 1, 4}, {999, 8, -5, 2}, 3};
  const std::pair<Layout, Shape> possible[] = {
      {sliced, {24, 3}},       {sliced, {2, 2, 3, 2, 3}}, {sliced, {4, 1, 6, 1, 3}}, {transposed, {2, 3, 4}},
      {transposed, {6, 2, 2}}, {repeated, {2, 2, 6}},     {repeated, {4, 3, 2}},     {stepped, {24}},
      {stepped, {3, 8, 1}},    {stepped, {2, 1, 3, 2, 2}}};
  for (const auto& [layout, shape] : possible) {
    const Layout view = layout.reshape(shape);
    ASSERT_EQ(view.shape, shape);
    for (std::int64_t i = 0; i < layout.elements(); ++i)
      ASSERT_EQ(position(view, i), position(layout, i)) << layout.to_string() << " as " << shape.to_string();
  }
  error_of([&] { sliced.reshape({4, 18}); });
  error_of([&] { transposed.reshape({24}); });
  error_of([&] { transposed.reshape({3, 8}); });
  error_of([&] { repeated.reshape({24}); });
}

TEST(Layout, BroadcastShapes) {
  EXPECT_EQ(broadcast_shapes("add", {2, 1, 3}, {4, 1}), (Shape{2, 4, 3}));
  EXPECT_EQ(broadcast_shapes("add", {}, {2, 3}), (Shape{2, 3}));
  EXPECT_EQ(broadcast_shapes("add", {1}, {0}), (Shape{0}));
  EXPECT_EQ(broadcast_shapes("add", {0, 1}, {1, 5}), (Shape{0, 5}));
  const std::string message = error_of([] { broadcast_shapes("add", {2, 3}, {3, 2}); });
  expect_holds(message, "add");
  expect_holds(message, "[2, 3]");
  expect_holds(message, "[3, 2]");
  error_of([] { broadcast_shapes("add", {2}, {0}); });
}

TEST(Layout, NormalizeDim) {
  EXPECT_EQ(normalize_dim("sum", -1, 3), 2u);
  EXPECT_EQ(normalize_dim("sum", 2, 3), 2u);
  expect_holds(error_of([] { normalize_dim("sum", 3, 3); }), "sum");
  error_of([] { normalize_dim("sum", -4, 3); });
  error_of([] { normalize_dim("sum", 0, 0); });
}

}  // namespace
}  // namespace kernelgen
