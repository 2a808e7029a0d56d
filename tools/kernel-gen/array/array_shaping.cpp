/// Functions of numpy that make arrays, and give them other shapes.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "array/array_value.hpp"

namespace kernelgen::tool {
namespace {

ArrayValue arange(const ArrayCall& call) {
  const std::int64_t first = call.has(1) ? call.whole(0) : 0,
                     end = call.has(1) ? call.whole(1) : call.whole(0);
  Array result = Array::filled({std::max<std::int64_t>(0, end - first)}, 0);
  std::iota(result.data.begin(), result.data.end(), static_cast<double>(first));
  return ArrayValue::of(std::move(result));
}

ArrayValue transpose(const ArrayCall& call) {
  const Array& x = call.array(0);
  std::vector<std::size_t> order = call.dims(1, x);
  if (!call.has(1)) std::ranges::reverse(order);
  if (order.size() != x.shape.size())
    throw ArrayFault{fmt::format("transpose needs all {} dims of its array", x.shape.size())};
  return ArrayValue::of(x.transposed(order));
}

ArrayValue swapaxes(const ArrayCall& call) {
  const Array& x = call.array(0);
  std::vector<std::size_t> order(x.shape.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::swap(order[x.dim(call.whole(1))], order[x.dim(call.whole(2))]);
  return ArrayValue::of(x.transposed(order));
}

ArrayValue expand_dims(const ArrayCall& call) {
  Array x = call.array(0);
  Array longer = x;
  longer.shape.push_back(1);
  x.shape.insert(x.shape.begin() + static_cast<std::ptrdiff_t>(longer.dim(call.whole(1))), 1);
  return ArrayValue::of(std::move(x));
}

ArrayValue squeeze(const ArrayCall& call) {
  Array x = call.array(0);
  const std::vector<std::size_t> dims = call.dims(1, x);
  ArrayShape shape;
  for (std::size_t dim = 0; dim < x.shape.size(); ++dim) {
    const bool is_named = std::ranges::find(dims, dim) != dims.end();
    if (call.has(1) && is_named && x.shape[dim] != 1)
      throw ArrayFault{fmt::format("dim {} of shape {} is not 1", dim, spell_extents(x.shape))};
    if (!is_named || x.shape[dim] != 1) shape.push_back(x.shape[dim]);
  }
  x.shape = std::move(shape);
  return ArrayValue::of(std::move(x));
}

ArrayValue take(const ArrayCall& call) {
  const Array& x = call.array(0);
  if (!call.has(2)) return ArrayValue::of(taken(x.reshaped({-1}), call.array(1), 0));
  return ArrayValue::of(taken(x, call.array(1), x.dim(call.whole(2))));
}

/// Parameters (a, shift, axis).
ArrayValue roll(const ArrayCall& call) {
  const Array& x = call.array(0);
  const auto shift = [by = call.whole(1)](double* row, std::size_t n) {
    const auto size = static_cast<std::int64_t>(n);
    if (size > 0) std::rotate(row, row + ((-by % size) + size) % size, row + n);
  };
  if (call.has(2)) return ArrayValue::of(for_each_row(x, x.dim(call.whole(2)), shift));
  return ArrayValue::of(for_each_row(x.reshaped({-1}), 0, shift).reshaped(x.shape));
}

/// Parameters (x, window_shape, axis): windows of step 1, whose dims are the last.
ArrayValue sliding_window_view(const ArrayCall& call) {
  Array x = call.array(0);
  const ArrayShape windows = call.tuple(1);
  std::vector<std::size_t> dims = call.dims(2, x);
  if (dims.size() != windows.size())
    throw ArrayFault{fmt::format("there are {} extents of windows for {} dims", windows.size(), dims.size())};
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const std::int64_t count = x.shape[dims[i]] - windows[i] + 1;
    if (windows[i] < 1 || count < 1)
      throw ArrayFault{fmt::format("a window of {} does not fit dim {} of shape {}", windows[i], dims[i],
                                   spell_extents(x.shape))};
    Array indices = Array::filled({count, windows[i]}, 0);
    for (std::size_t at = 0; at < indices.data.size(); ++at)
      indices.data[at] = static_cast<double>(at / static_cast<std::size_t>(windows[i]) +
                                             at % static_cast<std::size_t>(windows[i]));
    x = taken(x, indices, dims[i]);
    std::vector<std::size_t> order;
    for (std::size_t d = 0; d < x.shape.size(); ++d)
      if (d != dims[i] + 1) order.push_back(d);
    order.push_back(dims[i] + 1);
    x = x.transposed(order);
  }
  return ArrayValue::of(std::move(x));
}

/// Parameters (m, k): keeps what is on and below (or above) the diagonal k.
template <bool is_lower>
ArrayValue triangle(const ArrayCall& call) {
  Array x = call.array(0);
  const std::int64_t rows = x.shape[x.dim(-2)], columns = x.shape.back(),
                     diagonal = call.has(1) ? call.whole(1) : 0;
  for (std::size_t at = 0; at < x.data.size(); ++at) {
    const std::int64_t i = static_cast<std::int64_t>(at) / columns % rows,
                       j = static_cast<std::int64_t>(at) % columns;
    if (is_lower ? j - i > diagonal : j - i < diagonal) x.data[at] = 0;
  }
  return ArrayValue::of(std::move(x));
}

/// Parameters (a, pad_width, constant): as many on both sides of every dim.
ArrayValue pad(const ArrayCall& call) {
  const Array& x = call.array(0);
  ArrayShape widths = call.tuple(1);
  if (widths.size() == 1) widths.assign(x.shape.size(), widths[0]);
  if (widths.size() != x.shape.size())
    throw ArrayFault{fmt::format("pad needs one width, or one for each of the {} dims", x.shape.size())};
  ArrayShape shape = x.shape;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (widths[d] < 0) throw ArrayFault{"pad has a negative width"};
    shape[d] += 2 * widths[d];
  }
  Array result = Array::filled(shape, call.has(2) ? call.number(2) : 0);
  for (std::size_t at = 0; at < x.data.size(); ++at) {
    std::size_t rest = at, to = 0, step = 1;
    for (std::size_t d = shape.size(); d-- > 0; step *= static_cast<std::size_t>(shape[d])) {
      to += (rest % static_cast<std::size_t>(x.shape[d]) + static_cast<std::size_t>(widths[d])) * step;
      rest /= static_cast<std::size_t>(x.shape[d]);
    }
    result.data[to] = x.data[at];
  }
  return ArrayValue::of(std::move(result));
}

}  // namespace

std::vector<ArrayFunction> shaping_array_functions() {
  return {
      {"arange", {"start", "stop"}, 1, arange},
      {"zeros",
       {"shape"},
       1,
       [](const ArrayCall& call) { return ArrayValue::of(Array::filled(call.tuple(0), 0)); }},
      {"ones",
       {"shape"},
       1,
       [](const ArrayCall& call) { return ArrayValue::of(Array::filled(call.tuple(0), 1)); }},
      {"full",
       {"shape", "fill_value"},
       2,
       [](const ArrayCall& call) { return ArrayValue::of(Array::filled(call.tuple(0), call.number(1))); }},
      {"reshape",
       {"a", "shape"},
       2,
       [](const ArrayCall& call) { return ArrayValue::of(call.array(0).reshaped(call.tuple(1))); }},
      {"broadcast_to",
       {"array", "shape"},
       2,
       [](const ArrayCall& call) { return ArrayValue::of(call.array(0).broadcast_to(call.tuple(1))); }},
      {"transpose", {"a", "axes"}, 1, transpose},
      {"swapaxes", {"a", "axis1", "axis2"}, 3, swapaxes},
      {"expand_dims", {"a", "axis"}, 2, expand_dims},
      {"squeeze", {"a", "axis"}, 1, squeeze},
      {"take", {"a", "indices", "axis"}, 2, take},
      {"roll", {"a", "shift", "axis"}, 2, roll},
      {"pad", {"array", "pad_width", "constant_values"}, 2, pad},
      {"sliding_window_view", {"x", "window_shape", "axis"}, 2, sliding_window_view},
      {"tril", {"m", "k"}, 1, triangle<true>},
      {"triu", {"m", "k"}, 1, triangle<false>},
  };
}

}  // namespace kernelgen::tool
