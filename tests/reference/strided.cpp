#include "strided.hpp"

namespace kernelgen::reference {
namespace {

/// Calls visit(position) for the elements at (…, i_dim, i_dim+1, …), in row-major order.
template <class F>
void each_position(const Layout& layout, std::size_t dim, std::int64_t start, F&& visit) {
  if (dim == layout.rank()) return visit(start);
  const std::int64_t extent = layout.shape[dim];
  const std::int64_t stride = layout.strides[dim];
  if (dim + 1 == layout.rank()) {  // the same as below, as a plain loop: large tensors wait for it
    for (std::int64_t i = 0; i < extent; ++i) visit(start + i * stride);
  } else {
    for (std::int64_t i = 0; i < extent; ++i) each_position(layout, dim + 1, start + i * stride, visit);
  }
}

/// Calls f with an unsigned integer of the element's size.
template <class F>
void visit_width(DType dtype, F&& f) {
  switch (size_of(dtype)) {
    case 1:
      return f(std::uint8_t{});
    case 2:
      return f(std::uint16_t{});
    case 4:
      return f(std::uint32_t{});
    default:
      return f(std::uint64_t{});
  }
}

}  // namespace

std::int64_t count_of(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  return count;
}

std::int64_t position(const Layout& layout, std::int64_t index) {
  std::int64_t result = layout.offset;
  for (std::size_t dim = layout.rank(); dim-- > 0;) {
    result += index % layout.shape[dim] * layout.strides[dim];
    index /= layout.shape[dim];
  }
  return result;
}

Layout repeated(const Layout& layout, const Shape& shape) {
  const std::size_t added = shape.size() - layout.rank();
  Layout result{shape, shape, layout.offset};
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    const bool repeats = dim < added || (layout.shape[dim - added] == 1 && shape[dim] != 1);
    result.strides[dim] = repeats ? 0 : layout.strides[dim - added];
  }
  return result;
}

Elements gather(const Elements& storage, const Layout& layout) {
  Elements result(storage.dtype(), count_of(layout.shape));
  visit_width(storage.dtype(), [&]<class T>(T) {
    const auto* from = storage.as<T>().data();
    auto* to = result.as<T>().data();
    each_position(layout, 0, layout.offset, [&](std::int64_t at) { *to++ = from[at]; });
  });
  return result;
}

void scatter(Elements& storage, const Layout& layout, const Elements& values) {
  visit_width(storage.dtype(), [&]<class T>(T) {
    const auto* from = values.as<T>().data();
    auto* to = storage.as<T>().data();
    each_position(layout, 0, layout.offset, [&](std::int64_t at) { to[at] = *from++; });
  });
}

}  // namespace kernelgen::reference
