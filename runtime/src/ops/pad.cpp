#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "common/format.hpp"

#include "device/device_state.hpp"
#include "kernelgen/ops.hpp"
#include "ops/coordinates.hpp"
#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/output.hpp"
#include "ops/scalar_element.hpp"
#include "ops/traits.hpp"
#include "plan/grid.hpp"

namespace kernelgen {
namespace {

/// Holds any sum of two 64-bit numbers.
__extension__ using Wide = __int128;

/// Launches a kernel of `op` for each piece: its arguments are x, y, the coordinates, `more` and the value.
template <class... More>
void launch_pieces(Builtin op, const CoordinateNest& nest, const Tensor& x, const Tensor& out,
                   const Scalar& value, const Stream& stream, const More&... more) {
  const Device& device = out.device();
  const Operation operation = Operation::builtin(device, op);
  const DType type = x.dtype();
  const std::uint32_t kernel = operation.kernel({&type, 1}, operation.form("elements"));
  const ScalarElement element(value, type);
  nest.for_each_piece([&](const kg::Coordinates& piece, std::int64_t first) {
    Arguments arguments;
    arguments.add(x.data()).add(element_address(out, first)).add(piece);
    (arguments.add(more), ...);
    element.add_to(arguments);
    launch(device, kernel, element_grid(piece.elements, 1, traits_of(device)), arguments, stream);
  });
}

/// The most elements that a padding adds at an end of a dim.
std::int64_t most_padding(kg::Padding padding, std::int64_t extent) {
  if (padding == kg::Padding::reflect) return std::max<std::int64_t>(extent - 1, 0);
  if (padding == kg::Padding::circular) return extent;
  const bool is_possible = padding == kg::Padding::constant || extent > 0;
  return is_possible ? std::numeric_limits<std::int64_t>::max() : 0;
}

/// The extent of a padded dim. Throws Error, naming the operation and the dim, if a
/// padding is out of range or the extent overflows.
std::int64_t padded_extent(std::string_view name, kg::Padding padding, const Tensor& x, std::size_t dim,
                           std::int64_t before, std::int64_t after) {
  const std::int64_t extent = x.shape()[dim], most = most_padding(padding, extent);
  for (const auto& [number, side] : {std::pair(before, "before"), std::pair(after, "after")}) {
    if (number < 0)
      invalid(
          formatted("{}: {} elements {} dim {}; the number must not be negative", name, number, side, dim));
    if (number > most)
      invalid(formatted("{}: {} elements {} dim {} of {}; there may be at most {}", name, number, side, dim,
                        x.shape().to_string(), most));
  }
  const Checked padded = Checked(extent) + before + after;
  if (!padded.fits())
    invalid(formatted("{}: {} elements before and {} after dim {} of {} are more than 2^63 - 1", name, before,
                      after, dim, x.shape().to_string()));
  return padded.value_or(0);
}

/// Dims of whole lines may be merged, unless those are mirrored or repeated one by one.
bool keeps_lines(kg::Padding padding) {
  return padding == kg::Padding::constant || padding == kg::Padding::circular;
}

Tensor padded(std::string_view name, kg::Padding padding, const Tensor& x, Counts before, Counts after,
              const Scalar& value, const CallOptions& options) {
  const Tensor* const input = &x;
  check_inputs(name, {&input, 1});
  const std::size_t rank = x.shape().size();
  if (before.size() != after.size() || before.size() > rank)
    invalid(
        formatted("{}: {} numbers before and {} after, x is {}; both take one number for each of its last "
                  "dims",
                  name, before.size(), after.size(), x.shape().to_string()));
  const std::size_t unpadded = rank - before.size();
  Shape shape = x.shape();
  for (std::size_t k = 0; k < before.size(); ++k)
    shape[unpadded + k] = padded_extent(name, padding, x, unpadded + k, before[k], after[k]);
  const Tensor out = output(name, x.device(), shape, x.dtype(), options, {&input, 1});
  if (out.elements() == 0) return out;
  CoordinateNest nest;
  for (std::size_t d = rank; d-- > 0;) {
    const CoordinateDim dim{shape[d], x.shape()[d], x.layout().strides[d],
                            d < unpadded ? 0 : -before[d - unpadded]};
    if (dim.to != 1 || !dim.is_whole()) nest.add(dim, keeps_lines(padding) || dim.is_whole());
  }
  launch_pieces(Builtin::pad, nest, x, out, value, options.stream, static_cast<std::uint32_t>(padding));
  return out;
}

Tensor triangle(std::string_view name, const Tensor& x, std::int64_t diagonal, bool lower,
                const Scalar& value, const CallOptions& options) {
  const Tensor* const input = &x;
  check_inputs(name, {&input, 1});
  const std::size_t rank = x.shape().size();
  if (rank < 2) invalid(formatted("{}: x is {}; it needs two dims or more", name, x.shape().to_string()));
  const Tensor out = output(name, x.device(), x.shape(), x.dtype(), options, {&input, 1}, InPlace::allowed);
  if (out.elements() == 0) return out;
  CoordinateNest nest;
  for (std::size_t d = rank; d-- > 0;)
    nest.add({x.shape()[d], x.shape()[d], x.layout().strides[d], 0}, d + 3 < rank);
  // Diagonals past the matrix are all alike; the kernel adds to the number.
  const std::int64_t rows = x.shape()[rank - 2], columns = x.shape()[rank - 1];
  launch_pieces(Builtin::triangle, nest, x, out, value, options.stream, std::clamp(diagonal, -rows, columns),
                static_cast<std::uint32_t>(lower));
  return out;
}

}  // namespace

Tensor pad(const Tensor& x, Counts before, Counts after, const Scalar& value, const CallOptions& options) {
  return padded("pad", kg::Padding::constant, x, before, after, value, options);
}

Tensor pad_reflect(const Tensor& x, Counts before, Counts after, const CallOptions& options) {
  return padded("pad_reflect", kg::Padding::reflect, x, before, after, 0, options);
}

Tensor pad_replicate(const Tensor& x, Counts before, Counts after, const CallOptions& options) {
  return padded("pad_replicate", kg::Padding::replicate, x, before, after, 0, options);
}

Tensor pad_circular(const Tensor& x, Counts before, Counts after, const CallOptions& options) {
  return padded("pad_circular", kg::Padding::circular, x, before, after, 0, options);
}

Tensor roll(const Tensor& x, Counts shifts, Counts dims, const CallOptions& options) {
  const Tensor* const input = &x;
  check_inputs("roll", {&input, 1});
  if (shifts.size() != dims.size())
    invalid(formatted("roll: {} shifts along {} dims; it takes one for each", shifts.size(), dims.size()));
  const Shape& shape = x.shape();
  std::array<std::int64_t, max_rank> start{};
  for (std::size_t k = 0; k < dims.size(); ++k) {
    const std::size_t dim = normalize_dim("roll", dims[k], shape.size());
    if (const std::int64_t extent = shape[dim]; extent > 0)
      start[dim] = static_cast<std::int64_t>((Wide{start[dim]} - shifts[k]) % extent);
  }
  const Tensor out = output("roll", x.device(), shape, x.dtype(), options, {&input, 1});
  if (out.elements() == 0) return out;
  CoordinateNest nest;
  for (std::size_t d = shape.size(); d-- > 0;)
    if (shape[d] != 1) nest.add({shape[d], shape[d], x.layout().strides[d], start[d]}, true);
  launch_pieces(Builtin::pad, nest, x, out, 0, options.stream,
                static_cast<std::uint32_t>(kg::Padding::circular));
  return out;
}

Tensor tril(const Tensor& x, std::int64_t diagonal, const Scalar& value, const CallOptions& options) {
  return triangle("tril", x, diagonal, true, value, options);
}

Tensor triu(const Tensor& x, std::int64_t diagonal, const Scalar& value, const CallOptions& options) {
  return triangle("triu", x, diagonal, false, value, options);
}

Tensor diag(const Tensor& x, const CallOptions& options) {
  const Tensor* const input = &x;
  check_inputs("diag", {&input, 1});
  if (x.shape().empty() || x.shape().size() == max_rank)
    invalid(formatted("diag: x is {}; it needs a last dim, and the result has one more dim, of {} at most",
                      x.shape().to_string(), max_rank));
  Shape shape = x.shape();
  const std::int64_t n = shape.back();
  shape.push_back(n);
  const Tensor out = output("diag", x.device(), shape, x.dtype(), options, {&input, 1});
  if (out.elements() == 0) return out;
  const_set(out, 0, options.stream);
  Layout diagonal = x.layout();
  diagonal.offset = out.layout().offset;
  for (std::size_t d = 0; d < x.shape().size(); ++d) diagonal.strides[d] = out.layout().strides[d];
  diagonal.strides[x.shape().size() - 1] = n + 1;
  copy_into(out.with_layout(diagonal), x, options.stream);
  return out;
}

}  // namespace kernelgen
