#include "kernelgen/layout.hpp"

#include <algorithm>

#include "common/format.hpp"

#include "kernelgen/error.hpp"
#include "tensor/checked.hpp"

namespace kernelgen {
namespace {

[[noreturn]] void invalid(const std::string& message) { throw Error(Code::invalid_argument, message); }

[[noreturn]] void too_many(const Shape& shape) {
  invalid(formatted("shape {} has more than 2^63 - 1 elements", shape.to_string()));
}

bool is_empty(const Shape& shape) { return std::find(shape.begin(), shape.end(), 0) != shape.end(); }

}  // namespace

std::size_t normalize_dim(std::string_view operation, std::int64_t dim, std::size_t rank) {
  const auto signed_rank = static_cast<std::int64_t>(rank);
  if (dim < -signed_rank || dim >= signed_rank)
    invalid(formatted("{}: dim {} does not exist in a tensor of rank {}", operation, dim, rank));
  return static_cast<std::size_t>(dim < 0 ? dim + signed_rank : dim);
}

Layout Layout::contiguous(const Shape& shape) {
  Layout layout{shape, shape, 0};
  for (std::int64_t extent : shape)
    if (extent < 0) invalid(formatted("shape {} has a negative extent", shape.to_string()));
  Checked step = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    // Without elements a stride has no meaning; 0 replaces one that overflows.
    layout.strides[d] = step.value_or(0);
    step = step * std::max<std::int64_t>(shape[d], 1);
  }
  if (!step.fits() && !is_empty(shape)) too_many(shape);
  return layout;
}

std::int64_t Layout::elements() const {
  if (is_empty(shape)) return 0;
  Checked count = 1;
  for (const std::int64_t extent : shape) count = count * extent;
  if (!count.fits()) too_many(shape);
  return count.value_or(0);
}

bool Layout::is_contiguous() const {
  if (is_empty(shape)) return true;
  Checked step = 1;
  for (std::size_t d = rank(); d-- > 0;) {
    if (shape[d] != 1 && !(step == strides[d])) return false;
    step = step * shape[d];
  }
  return true;
}

Layout::Extent Layout::extent() const {
  // Ignores the offset, which may be the minimum of its type.
  if (is_empty(shape)) return {0, -1};
  Checked first = offset, last = offset;
  for (std::size_t d = 0; d < rank(); ++d) {
    Checked& end = strides[d] < 0 ? first : last;
    end = end + (Checked(shape[d]) - 1) * strides[d];
  }
  if (!first.fits() || !last.fits())
    invalid(formatted("layout {}: an element's position does not fit 64 bits", to_string()));
  return {first.value_or(0), last.value_or(0)};
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
    invalid(formatted("permute: order {} does not name each dim of shape {} once", dims.to_string(),
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
    invalid(formatted("permute: order {} does not name each dim of shape {} once", dims.to_string(),
                      shape.to_string()));
  return view;
}

Layout Layout::narrow(std::int64_t dim, std::int64_t start, std::int64_t length) const {
  const std::size_t d = normalize_dim("narrow", dim, rank());
  if (start < 0 || length < 0 || start > shape[d] || length > shape[d] - start)
    invalid(formatted("narrow: {} elements from {} on are not all in dim {} of shape {}", length, start, dim,
                      shape.to_string()));
  Layout view = *this;
  view.shape[d] = length;
  if (is_empty(view.shape)) return view;
  const Checked first = Checked(start) * strides[d] + offset;
  if (!first.fits())
    invalid(formatted("narrow: element {} of dim {} of layout {} has a position that does not fit 64 bits",
                      start, dim, to_string()));
  view.offset = first.value_or(0);
  return view;
}

Layout Layout::squeeze(std::int64_t dim) const {
  const std::size_t d = normalize_dim("squeeze", dim, rank());
  if (shape[d] != 1) invalid(formatted("squeeze: dim {} of shape {} is not 1", dim, shape.to_string()));
  Layout view = *this;
  view.shape.erase(d);
  view.strides.erase(d);
  return view;
}

Layout Layout::unsqueeze(std::int64_t dim) const {
  const std::size_t d = normalize_dim("unsqueeze", dim, rank() + 1);
  Layout view = *this;
  // As in a contiguous tensor; never used for an access.
  view.strides.insert(d, d < rank() ? (Checked(strides[d]) * shape[d]).value_or(0) : 1);
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
      invalid(formatted("broadcast_to: shape {} does not broadcast to {}", shape.to_string(),
                        target.to_string()));
    view.strides[d] = extent == target[d] && present ? strides[rank() - 1 - i] : 0;
  }
  if (!fits)
    invalid(
        formatted("broadcast_to: shape {} does not broadcast to {}", shape.to_string(), target.to_string()));
  view.elements();  // throws if the count overflows
  return view;
}

Layout Layout::reshape(const Shape& target) const {
  Layout view = contiguous(target);
  view.offset = offset;
  if (view.elements() != elements())
    invalid(formatted("reshape: shape {} has {} elements, {} has {}", shape.to_string(), elements(),
                      target.to_string(), view.elements()));
  if (is_contiguous()) return view;
  // Each group of mergeable dims can be split again; a target dim must not span two groups. Dims of one
  // element are ignored.
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
      if (!(Checked(steps[d + 1]) * extents[d + 1] == steps[d]))
        invalid(formatted("reshape: {} cannot become {} without a copy", to_string(), target.to_string()));
      have *= extents[++d];
    }
    Checked step = steps[d];
    for (std::size_t k = end; k-- > t;) {
      view.strides[k] = step.value_or(0);
      step = step * target[k];
    }
    t = end;
  }
  return view;
}

std::string Layout::to_string() const {
  return formatted("shape {} strides {} offset {}", shape.to_string(), strides.to_string(), offset);
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
      invalid(formatted("{}: shapes {} and {} do not broadcast: trailing dims must match or be 1", operation,
                        a.to_string(), b.to_string()));
  }
  return result;
}

}  // namespace kernelgen
