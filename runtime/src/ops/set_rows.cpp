#include "common/format.hpp"

#include "device/device_state.hpp"
#include "kernelgen/ops.hpp"
#include "ops/block_rows.hpp"
#include "ops/index.hpp"
#include "ops/iteration.hpp"
#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/output.hpp"
#include "ops/traits.hpp"
#include "plan/quantized_plan.hpp"

namespace kernelgen {
namespace {

constexpr IndexOperation operation_of_rows{"set_rows"};
constexpr const char* name = operation_of_rows.name;

void check_shapes(const Tensor& destination, const Tensor& ids, const Tensor& source) {
  const Shape &to = destination.shape(), &from = source.shape();
  bool fits = to.size() >= 2 && to.size() == from.size() && to.back() == from.back();
  for (std::size_t d = 0; fits && d + 2 < to.size(); ++d) fits = to[d] == from[d];
  if (!fits)
    invalid(formatted("{}: destination is {}, source {}; they have to be [..., rows, n] and [..., m, n]",
                      name, to.to_string(), from.to_string()));
  Shape rows = from;
  rows.erase(rows.size() - 1);
  const bool is_small = ids.shape().size() <= rows.size();
  if (!is_small || !(broadcast_shapes(name, ids.shape(), rows) == rows))
    invalid(formatted("{}: ids are {}, source {}; ids have to be broadcast to {}", name,
                      ids.shape().to_string(), from.to_string(), rows.to_string()));
}

void check_dtypes(const Tensor& destination, const Tensor& ids, const Tensor& source) {
  check_ids(name, ids);
  check_activation(name, "source is", source.dtype());
  if (is_quantized(destination.dtype()))
    check_quantizable(name, "destination is", destination.dtype());
  else
    check_activation(name, "destination is", destination.dtype());
}

}  // namespace

void set_rows(const Tensor& destination, const Tensor& ids, const Tensor& source, const Stream& stream) {
  const Tensor* const tensors[] = {&destination, &ids, &source};
  check_tensors(name, tensors);
  check_stream(destination.device(), stream);
  check_dtypes(destination, ids, source);
  check_shapes(destination, ids, source);
  const Tensor* const read[] = {&ids, &source};
  const Tensor* const written = &destination;
  check_apart(name, "destination", destination, read);
  use_operands(stream, read, {&written, 1});
  if (source.elements() == 0) return;

  const Device& device = destination.device();
  DeviceState& state = state_of(device);
  const DType type = destination.dtype();
  const DeviceTraits traits = traits_of(state);
  const bool is_blocks = is_quantized(type);
  const std::int64_t block = block_elements(type), n = source.shape().back();
  const Operation operation =
      Operation::builtin(device, is_blocks ? Builtin::set_block_rows : Builtin::set_rows);
  const std::uint32_t kernel = operation.kernel({&type, 1}, operation.form("rows"));
  const Tensor rows = source.dtype() == DType::f32 ? make_contiguous(source, stream)
                                                   : to_dtype(source, DType::f32, {.stream = stream});

  // Over the rows of source: where a row's matrix begins in destination, and its id.
  Shape shape = source.shape();
  shape.erase(shape.size() - 1);
  Layout matrices{shape, {}, 0};
  for (std::size_t d = 0; d < shape.size(); ++d)
    matrices.strides.push_back(d + 1 == shape.size() ? 0 : destination.layout().strides[d] / block);
  const Layout id_layout = ids.layout().broadcast_to(shape);
  const std::size_t rank = destination.shape().size();
  const std::int64_t y_row = destination.layout().strides[rank - 2] / block,
                     y_step = destination.layout().strides[rank - 1];

  const IndexFaults::Call call(state.index_faults(), *state.fault_queue(stream));
  const Iteration<2> nest(shape, {&matrices, &id_layout});
  nest.for_each_piece([&](const kg::Strided<2>& piece, const auto& offsets, std::int64_t first) {
    const SetRowsPlan plan = plan_set_rows(piece.elements, n, traits);
    Arguments arguments;
    arguments.add(element_address(rows, first * n))
        .add(element_address(destination, offsets[0] * block))
        .add(element_address(ids, offsets[1]))
        .add(static_cast<std::uint32_t>(ids.dtype()))
        .add(piece)
        .add(first)
        .add(y_row)
        .add(n);
    if (!is_blocks) arguments.add(y_step).add(plan.part).add(plan.group);
    arguments.add(call.record())
        .add(call.number(rank - 2))
        .add(&operation_of_rows)
        .add(destination.shape()[rank - 2])
        .add(std::uint64_t{1})
        .add(source.elements() / n);
    const LaunchShape grid =
        is_blocks ? quantize_grid(piece.elements * n / block, block, traits) : plan.shape;
    launch(device, kernel, grid, arguments, stream);
  });
}

}  // namespace kernelgen
