#include "kernelgen/layout.hpp"

#include <algorithm>
#include <limits>

#include "common/format.hpp"

#include "kernelgen/error.hpp"

namespace kernelgen {
namespace {

[[noreturn]] void invalid(std::string message) { throw Error(Code::invalid_argument, std::move(message)); }

std::int64_t multiply(std::int64_t a, std::int64_t b, const Shape& shape) {
  std::int64_t product;
  if (__builtin_mul_overflow(a, b, &product))
    invalid(fmt::format("shape {} has more than 2^63 - 1 elements", shape.to_string()));
  return product;
}

}  // namespace

std::size_t normalize_dim(std::string_view operation, std::int64_t dim, std::size_t rank) {
  const auto signed_rank = static_cast<std::int64_t>(rank);
  if (dim < -signed_rank || dim >= signed_rank)
    invalid(fmt::format("{}: dim {} does not exist in a tensor of rank {}", operation, dim, rank));
  return static_cast<std::size_t>(dim < 0 ? dim + signed_rank : dim);
}

Layout Layout::contiguous(const Shape& shape) {
  Layout layout{shape, shape, 0};
  for (std::int64_t extent : shape)
    if (extent < 0) invalid(fmt::format("shape {} has a negative extent", shape.to_string()));
  std::int64_t step = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    layout.strides[d] = step;
    step = multiply(step, std::max<std::int64_t>(shape[d], 1), shape);
  }
  return layout;
}

std::int64_t Layout::elements() const {
  std::int64_t count = 1;
  for (std::int64_t extent : shape)
    if (extent == 0) return 0;
  for (std::int64_t extent : shape) count = multiply(count, extent, shape);
  return count;
}

bool Layout::is_contiguous() const {
  std::int64_t step = 1;
  for (std::size_t d = rank(); d-- > 0;) {
    if (shape[d] == 0) return true;
    if (shape[d] != 1 && strides[d] != step) return false;
    step *= shape[d];
  }
  return true;
}

Layout::Extent Layout::extent() const {
  Extent range{offset, offset};
  for (std::size_t d = 0; d < rank(); ++d) {
    if (shape[d] == 0) return {offset, offset - 1};
    std::int64_t span;
    std::int64_t& end = strides[d] < 0 ? range.first : range.last;
    if (__builtin_mul_overflow(shape[d] - 1, strides[d], &span) || __builtin_add_overflow(end, span, &end))
      invalid(fmt::format("layout {}: an element's position does not fit 64 bits", to_string()));
  }
  return range;
}

Layout Layout::transpose(std::int64_t dim0, std::int64_t dim1) const {
  const std::size_t a = normalize_dim("transpose", dim0, rank()),
                    b = normalize_dim("transpose", dim1, rank());
  Layout view = *this;
  std::swap(view.shape[a], view.shape[b]);
  std::swap(view.strides[a], view.strides[b]);
  return view;
}

Layout Layout::permute(std::span<const std::int64_t> order) const {
  const Dims dims(order);
  if (dims.size() != rank())
    invalid(fmt::format("permute: order {} does not name each dim of shape {} once", dims.to_string(),
                        shape.to_string()));
  Layout view = *this;
  unsigned seen = 0;
  for (std::size_t d = 0; d < rank(); ++d) {
    const std::size_t from = normalize_dim("permute", dims[d], rank());
    seen |= 1u << from;
    view.shape[d] = shape[from];
    view.strides[d] = strides[from];
  }
  if (seen + 1 != 1u << rank())
    invalid(fmt::format("permute: order {} does not name each dim of shape {} once", dims.to_string(),
                        shape.to_string()));
  return view;
}

Layout Layout::narrow(std::int64_t dim, std::int64_t start, std::int64_t length) const {
  const std::size_t d = normalize_dim("narrow", dim, rank());
  if (start < 0 || length < 0 || start > shape[d] || length > shape[d] - start)
    invalid(fmt::format("narrow: {} elements from {} on do not lie in dim {} of shape {}", length, start, dim,
                        shape.to_string()));
  Layout view = *this;
  view.shape[d] = length;
  if (length > 0) view.offset += start * strides[d];
  return view;
}

Layout Layout::squeeze(std::int64_t dim) const {
  const std::size_t d = normalize_dim("squeeze", dim, rank());
  if (shape[d] != 1) invalid(fmt::format("squeeze: dim {} of shape {} is not 1", dim, shape.to_string()));
  Layout view = *this;
  view.shape.erase(d);
  view.strides.erase(d);
  return view;
}

Layout Layout::unsqueeze(std::int64_t dim) const {
  const std::size_t d = normalize_dim("unsqueeze", dim, rank() + 1);
  Layout view = *this;
  view.strides.insert(d, d < rank() ? strides[d] * shape[d] : 1);
  view.shape.insert(d, 1);
  return view;
}

Layout Layout::broadcast_to(const Shape& target) const {
  Layout view{target, target, offset};
  const bool fits = target.size() >= rank();
  for (std::size_t i = 0; fits && i < target.size(); ++i) {
    const std::size_t d = target.size() - 1 - i;
    const bool present = i < rank();
    const std::int64_t extent = present ? shape[rank() - 1 - i] : 1;
    if (target[d] < 0 || (extent != target[d] && extent != 1))
      invalid(fmt::format("broadcast_to: shape {} does not broadcast to {}", shape.to_string(),
                          target.to_string()));
    view.strides[d] = extent == target[d] && present ? strides[rank() - 1 - i] : 0;
  }
  if (!fits)
    invalid(fmt::format("broadcast_to: shape {} does not broadcast to {}", shape.to_string(),
                        target.to_string()));
  return view;
}

Layout Layout::reshape(const Shape& target) const {
  Layout view = contiguous(target);
  view.offset = offset;
  if (view.elements() != elements())
    invalid(fmt::format("reshape: shape {} has {} elements, {} has {}", shape.to_string(), elements(),
                        target.to_string(), view.elements()));
  if (is_contiguous()) return view;
  // Each run of dims that step as one can be cut anew; a target dim may not reach over two runs. Dims of one
  // element have no say in it.
  Dims extents, steps;
  for (std::size_t d = 0; d < rank(); ++d)
    if (shape[d] != 1) {
      extents.push_back(shape[d]);
      steps.push_back(strides[d]);
    }
  std::size_t t = 0;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    std::int64_t have = extents[d], want = target[t];
    std::size_t end = t + 1;
    while (have != want) {
      if (want < have) {
        want *= target[end++];
        continue;
      }
      if (steps[d] != steps[d + 1] * extents[d + 1])
        invalid(fmt::format("reshape: {} cannot become {} without a copy", to_string(), target.to_string()));
      have *= extents[++d];
    }
    std::int64_t step = steps[d];
    for (std::size_t k = end; k-- > t;) {
      view.strides[k] = step;
      step *= target[k];
    }
    t = end;
  }
  return view;
}

std::string Layout::to_string() const {
  return fmt::format("shape {} strides {} offset {}", shape.to_string(), strides.to_string(), offset);
}

Shape broadcast_shapes(std::string_view operation, const Shape& a, const Shape& b) {
  Shape result = a.size() >= b.size() ? a : b;
  const Shape& other = a.size() >= b.size() ? b : a;
  for (std::size_t i = 0; i < other.size(); ++i) {
    std::int64_t& extent = result[result.size() - 1 - i];
    const std::int64_t opposite = other[other.size() - 1 - i];
    if (extent == 1)
      extent = opposite;
    else if (opposite != 1 && opposite != extent)
      invalid(fmt::format("{}: shapes {} and {} do not broadcast: trailing dims must match or be 1",
                          operation, a.to_string(), b.to_string()));
  }
  return result;
}

}  // namespace kernelgen
