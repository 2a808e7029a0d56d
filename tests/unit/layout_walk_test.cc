// Random chains of views, compared with a model without strides: the list of all positions.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>

#include "kernelgen/error.hpp"
#include "kernelgen/layout.hpp"

namespace kernelgen {
namespace {

using Positions = std::vector<std::int64_t>;

std::int64_t count_of(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

/// The index of a row-major element.
Dims index_of(const Shape& shape, std::int64_t element) {
  Dims index = shape;
  for (std::size_t d = shape.size(); d-- > 0; element /= shape[d]) index[d] = element % shape[d];
  return index;
}

std::int64_t element_of(const Shape& shape, const Dims& index) {
  std::int64_t element = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) element = element * shape[d] + index[d];
  return element;
}

/// A shape and the position of each element, in row-major order.
struct Model {
  Shape shape;
  Positions positions;

  /// A view of another shape whose element `index` is this one's element from(index).
  template <class From>
  Model view(const Shape& other, const From& from) const {
    Model result{other, {}};
    for (std::int64_t i = 0; i < count_of(other); ++i)
      result.positions.push_back(
          positions[static_cast<std::size_t>(element_of(shape, from(index_of(other, i))))]);
    return result;
  }

  bool is_contiguous() const {
    for (std::size_t i = 0; i < positions.size(); ++i)
      if (positions[i] != positions[0] + static_cast<std::int64_t>(i)) return false;
    return true;
  }

  /// Whether there are strides by which the elements are those of `other`.
  bool has_strides_for(const Shape& other) const {
    if (positions.empty()) return true;
    Dims strides = other;
    for (std::size_t d = 0; d < other.size(); ++d) {
      Dims second = other;
      for (std::size_t k = 0; k < other.size(); ++k) second[k] = k == d && other[d] > 1 ? 1 : 0;
      strides[d] = positions[static_cast<std::size_t>(element_of(other, second))] - positions[0];
    }
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const Dims index = index_of(other, static_cast<std::int64_t>(i));
      std::int64_t at = positions[0];
      for (std::size_t d = 0; d < other.size(); ++d) at += index[d] * strides[d];
      if (at != positions[i]) return false;
    }
    return true;
  }
};

Positions positions_of(const Layout& layout) {
  Positions positions;
  for (std::int64_t i = 0; i < count_of(layout.shape); ++i) {
    const Dims index = index_of(layout.shape, i);
    std::int64_t at = layout.offset;
    for (std::size_t d = 0; d < layout.rank(); ++d) at += index[d] * layout.strides[d];
    positions.push_back(at);
  }
  return positions;
}

class Walk {
 public:
  explicit Walk(unsigned seed) : random_(seed) { start(); }

  void step() {
    const int action = pick(0, 8);
    const auto rank = static_cast<std::int64_t>(layout_.rank());
    if (action == 0 || count_of(layout_.shape) > 300) return start();
    if (action == 1 && rank > 0) return narrow();
    if (action == 2 && rank > 0) {
      const std::int64_t a = pick(0, rank - 1), b = pick(0, rank - 1);
      const auto swapped = [&](Dims dims) {
        std::swap(dims[static_cast<std::size_t>(a)], dims[static_cast<std::size_t>(b)]);
        return dims;
      };
      return expect(layout_.transpose(a - (pick(0, 1) != 0 ? rank : 0), b),
                    model_.view(swapped(model_.shape), swapped), "transpose");
    }
    if (action == 3) return permute();
    if (action == 4 || action == 5) return reshape();
    if (action == 6) return squeeze_or_unsqueeze();
    if (action == 7) return broadcast();
    as_strided();
  }

 private:
  std::int64_t pick(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  Shape draw_shape(std::int64_t most_dims) {
    Shape shape;
    for (std::int64_t d = pick(0, most_dims); d > 0; --d) {
      const std::int64_t extents[] = {0, 1, 1, 2, 2, 3, 4, 6};
      shape.push_back(extents[pick(pick(0, 3) == 0 ? 0 : 1, 7)]);
    }
    return shape;
  }

  void start() {
    const Shape shape = draw_shape(4);
    layout_ = Layout::contiguous(shape);
    model_ = {shape, positions_of(layout_)};
    trace_ = "start at " + layout_.to_string();
    check();
  }

  void narrow() {
    const std::int64_t dim = pick(0, static_cast<std::int64_t>(layout_.rank()) - 1);
    const auto d = static_cast<std::size_t>(dim);
    const std::int64_t first = pick(0, layout_.shape[d]), length = pick(0, layout_.shape[d] - first);
    Shape shape = model_.shape;
    shape[d] = length;
    const Model wanted = model_.view(shape, [&](Dims index) {
      index[d] += first;
      return index;
    });
    expect(layout_.narrow(dim, first, length), wanted, "narrow");
  }

  void permute() {
    std::vector<std::int64_t> order(layout_.rank());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random_);
    Shape shape = model_.shape;
    for (std::size_t d = 0; d < order.size(); ++d)
      shape[d] = model_.shape[static_cast<std::size_t>(order[d])];
    const Model wanted = model_.view(shape, [&](const Dims& index) {
      Dims from = index;
      for (std::size_t d = 0; d < order.size(); ++d) from[static_cast<std::size_t>(order[d])] = index[d];
      return from;
    });
    expect(layout_.permute(order), wanted, "permute");
  }

  /// A shape of as many elements: dims are cut into factors, and ones put between.
  Shape draw_reshape() {
    Shape shape;
    std::int64_t left = count_of(model_.shape);
    if (left == 0) {
      shape = draw_shape(4);
      shape.push_back(0);
      return shape;
    }
    while ((left > 1 || pick(0, 2) == 0) && shape.size() < max_rank - 1) {
      std::int64_t factor = pick(1, std::min<std::int64_t>(left, 6));
      while (left % factor != 0) --factor;
      shape.push_back(factor);
      left /= factor;
    }
    if (left > 1) shape.push_back(left);
    return shape;
  }

  void reshape() {
    const Shape shape = draw_reshape();
    std::optional<Layout> view;
    try {
      view = layout_.reshape(shape);
    } catch (const Error&) {
    }
    ASSERT_EQ(view.has_value(), model_.has_strides_for(shape)) << "reshape to " << shape.to_string() << "\n"
                                                               << trace_;
    if (view) expect(*view, {shape, model_.positions}, "reshape");
  }

  void squeeze_or_unsqueeze() {
    const auto rank = static_cast<std::int64_t>(layout_.rank());
    const std::int64_t dim = pick(0, rank);
    const auto d = static_cast<std::size_t>(dim);
    Shape shape = model_.shape;
    if (dim < rank && shape[d] == 1) {
      shape.erase(d);
      expect(layout_.squeeze(dim), {shape, model_.positions}, "squeeze");
    } else if (layout_.rank() < max_rank) {
      shape.insert(d, 1);
      expect(layout_.unsqueeze(dim), {shape, model_.positions}, "unsqueeze");
    }
  }

  void broadcast() {
    Shape shape = model_.shape;
    for (std::size_t d = 0; d < shape.size(); ++d)
      if (shape[d] == 1 && pick(0, 1) == 0) shape[d] = pick(0, 3);
    const auto missing = static_cast<std::size_t>(pick(0, layout_.rank() < 5 ? 2 : 0));
    for (std::size_t k = 0; k < missing; ++k) shape.insert(0, pick(1, 3));
    const Model wanted = model_.view(shape, [&](const Dims& index) {
      Dims from = model_.shape;
      for (std::size_t d = 0; d < from.size(); ++d) from[d] = model_.shape[d] == 1 ? 0 : index[d + missing];
      return from;
    });
    expect(layout_.broadcast_to(shape), wanted, "broadcast_to");
  }

  void as_strided() {
    Layout layout{draw_shape(4), {}, pick(0, 50)};
    for (std::size_t d = 0; d < layout.rank(); ++d) layout.strides.push_back(pick(-7, 7));
    expect(layout, {layout.shape, positions_of(layout)}, "as_strided");
  }

  void expect(const Layout& layout, const Model& model, const char* action) {
    layout_ = layout;
    model_ = model;
    trace_ += std::string("\n") + action + " gives " + layout.to_string();
    check();
  }

  void check() const {
    ASSERT_EQ(layout_.shape, model_.shape) << trace_;
    ASSERT_EQ(positions_of(layout_), model_.positions) << trace_;
    ASSERT_EQ(layout_.elements(), static_cast<std::int64_t>(model_.positions.size())) << trace_;
    ASSERT_EQ(layout_.is_contiguous(), model_.is_contiguous()) << trace_;
    const Layout::Extent extent = layout_.extent();
    if (model_.positions.empty()) {
      ASSERT_LT(extent.last, extent.first) << trace_;
      return;
    }
    const auto [least, most] = std::minmax_element(model_.positions.begin(), model_.positions.end());
    ASSERT_EQ(extent.first, *least) << trace_;
    ASSERT_EQ(extent.last, *most) << trace_;
  }

  std::mt19937 random_;
  Layout layout_;
  Model model_;
  std::string trace_;
};

TEST(LayoutWalk, ViewsOfViews) {
  for (unsigned seed = 0; seed < 100 && !testing::Test::HasFailure(); ++seed) {
    Walk walk(seed);
    for (int i = 0; i < 300 && !testing::Test::HasFailure(); ++i) walk.step();
  }
}

}  // namespace
}  // namespace kernelgen
