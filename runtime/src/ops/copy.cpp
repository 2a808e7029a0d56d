#include "common/format.hpp"

#include "device/device_state.hpp"
#include "ops/iteration.hpp"
#include "ops/launch.hpp"
#include "ops/map.hpp"
#include "ops/operand.hpp"
#include "ops/tiles.hpp"
#include "ops/traits.hpp"
#include "plan/grid.hpp"
#include "tensor/as_bytes.hpp"

namespace kernelgen {
namespace {

/// Holds any product of two 64-bit numbers.
__extension__ using Wide = __int128;

void copy_tiled(const Operation& operation, const Tensor& x, const Tensor& out, const Iteration<1>& nest,
                const TileDims& dims, const Stream& stream) {
  const Device& device = out.device();
  const DType type = x.dtype();
  const DeviceTraits traits = traits_of(device);
  const auto tiles = make_tiles(nest, dims, tile_side(size_of(type), traits));
  const Arguments arguments = Arguments().add(x.data()).add(out.data()).add(tiles);
  launch(device, operation.kernel({&type, 1}, operation.form("tiled")),
         tile_grid(nest.elements(), tiles.origins.elements, traits), arguments, stream);
}

void check_pair(std::string_view operation, const Tensor& destination, const Tensor& source,
                const Stream& stream) {
  if (!destination || !source)
    invalid(formatted("{}: destination or source is a default-constructed Tensor", operation));
  check_same_device(operation, destination.device(), source.device());
  check_stream(destination.device(), stream);
  if (destination.dtype() != source.dtype())
    invalid(formatted("{}: source is {}, destination {}; cast first", operation, name_of(source.dtype()),
                      name_of(destination.dtype())));
  const Tensor *const read = &source, *const written = &destination;
  use_operands(stream, {&read, 1}, {&written, 1});
}

Tensor copy_blocks(const Tensor& x, const CallOptions& options) {
  const Tensor* const input = &x;
  const Tensor out = output("copy", x.device(), x.shape(), x.dtype(), options, {&input, 1}, InPlace::allowed);
  const Tensor bytes = as_bytes(out);
  copy(as_bytes(x), {options.stream, &bytes});
  return out;
}

/// A matrix of `rows` by `columns` elements of a contiguous tensor, checked to be inside its view.
Tensor rows_of(std::string_view role, const Tensor& tensor, std::int64_t rows, std::int64_t columns,
               std::int64_t stride, std::int64_t offset) {
  if (!tensor.layout().is_contiguous())
    invalid(formatted("copy2d: the {} is not contiguous ({}); copy_into takes any layout", role,
                      tensor.layout().to_string()));
  const Wide end = static_cast<Wide>(rows - 1) * stride + offset + columns;
  if (offset < 0 || stride < 0 || end > tensor.elements())
    invalid(formatted(
        "copy2d: {} rows of {} elements, {} apart from element {} on, reach past the {} of {} elements", rows,
        columns, stride, offset, role, tensor.elements()));
  return tensor.with_layout({{rows, columns}, {stride, 1}, tensor.layout().offset + offset});
}

/// Copies the elements of `source` to `destination`; both layouts have the same shape.
void scatter(const Tensor& destination, const Tensor& source, const Stream& stream) {
  if (destination.elements() == 0) return;
  const std::optional<std::int64_t> inside = wide_dim(source), wide = inside ? inside : wide_dim(destination);
  if (wide) {
    for (std::int64_t i = 0; i < source.shape()[static_cast<std::size_t>(*wide)]; ++i)
      scatter(destination.narrow(*wide, i, 1), source.narrow(*wide, i, 1), stream);
    return;
  }
  const Device& device = destination.device();
  const Operation operation = Operation::builtin(device, Builtin::copy);
  const DType type = source.dtype();
  const std::uint32_t kernel = operation.kernel({&type, 1}, operation.form("scatter"));
  const int size = static_cast<int>(size_of(type));
  const int per_thread = kg::pack_elements(&size, 1, false);
  const Iteration<2> nest(destination.shape(), {&source.layout(), &destination.layout()});
  nest.for_each_piece([&](const kg::Strided<2>& piece, const auto& offsets, std::int64_t) {
    const Arguments arguments = Arguments()
                                    .add(element_address(source, offsets[0]))
                                    .add(element_address(destination, offsets[1]))
                                    .add(piece);
    launch(device, kernel, element_grid(piece.elements, per_thread, traits_of(device)), arguments, stream);
  });
}

}  // namespace

Tensor copy(const Tensor& x, const CallOptions& options) {
  if (!x) invalid("copy: the input is a default-constructed Tensor");
  if (is_quantized(x.dtype())) return copy_blocks(x, options);
  const Operation operation = Operation::builtin(x.device(), Builtin::copy);
  const Tensor* const input = &x;
  const auto result = [&] { return output("copy", x.device(), x.shape(), x.dtype(), options, {&input, 1}); };
  if (x.elements() > 0 && !x.layout().is_contiguous()) {
    const Iteration<1> nest(x.shape(), {&x.layout()});
    if (const auto dims = tile_dims(traits_of(x.device()), nest, 0, size_of(x.dtype()))) {
      const Tensor out = result();
      copy_tiled(operation, x, out, nest, *dims, options.stream);
      return out;
    }
    if (wide_dim(x)) {
      const Tensor out = result();
      scatter(out, x, options.stream);
      return out;
    }
  }
  return map(operation, {&input, 1}, {}, options);
}

void copy_into(const Tensor& destination, const Tensor& source, const Stream& stream) {
  check_pair("copy_into", destination, source, stream);
  if (!(destination.shape() == source.shape()))
    invalid(formatted("copy_into: source is {}, destination {}; shapes must match",
                      source.shape().to_string(), destination.shape().to_string()));
  if (is_quantized(source.dtype()))
    scatter(as_bytes(destination), as_bytes(source), stream);
  else if (destination.layout().is_contiguous() && destination.storage() != source.storage())
    copy(source, {stream, &destination});  // the kernels that write results are faster
  else
    scatter(destination, source, stream);
}

void copy2d(const Tensor& destination, const Tensor& source, std::int64_t rows, std::int64_t columns,
            std::int64_t destination_stride, std::int64_t source_stride, std::int64_t destination_offset,
            std::int64_t source_offset, const Stream& stream) {
  check_pair("copy2d", destination, source, stream);
  if (is_quantized(source.dtype()))
    invalid(formatted("copy2d: operands are {}; copy_into takes views of quantized tensors",
                      name_of(source.dtype())));
  if (rows < 0 || columns < 0) invalid(formatted("copy2d: {} rows of {} columns", rows, columns));
  if (rows == 0 || columns == 0) return;
  if (rows > 1 && destination_stride < columns)
    invalid(formatted("copy2d: rows of {} elements overlap at a destination stride of {}", columns,
                      destination_stride));
  scatter(rows_of("destination", destination, rows, columns, destination_stride, destination_offset),
          rows_of("source", source, rows, columns, source_stride, source_offset), stream);
}

}  // namespace kernelgen
