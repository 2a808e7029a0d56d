#include "ops/map.hpp"

#include <array>

#include "common/format.hpp"
#include "ops/launch.hpp"
#include "ops/map_call.hpp"
#include "ops/tiles.hpp"
#include "ops/traits.hpp"
#include "ops/type_binding.hpp"
#include "plan/grid.hpp"

namespace kernelgen {
namespace {

/// The kernels of a package: the first two forms of every map, and one looked up by name.
class PackageKernels final : public MapKernels {
 public:
  PackageKernels(const Device& device, const Operation& operation, const TypeBinding& binding,
                 const Stream& stream)
      : device_(device),
        operation_(operation),
        binding_(binding),
        stream_(stream),
        contiguous_(binding.kernel(0)) {}

  bool has_tiles() const override { return operation_.find_form("tiled").has_value(); }
  void launch(MapForm form, const LaunchShape& shape, const Arguments& arguments) const override {
    kernelgen::launch(device_, kernel(form), shape, arguments, stream_);
  }

 private:
  std::uint32_t kernel(MapForm form) const {
    if (form == MapForm::contiguous) return contiguous_;
    return binding_.kernel(form == MapForm::strided ? 1 : operation_.form("tiled"));
  }

  const Device& device_;
  const Operation& operation_;
  const TypeBinding& binding_;
  const Stream& stream_;
  const std::uint32_t contiguous_;
};

/// Whether a CPU copies the elements in the result's order before it computes: neighbours of the result are not
/// neighbours in x, so that vectors would be filled element by element in the midst of the computation.
bool is_worth_copying(const Operation& operation, const Tensor& x, DType result) {
  constexpr std::int64_t worth_a_loop = 256;  // shorter rows are gathered by the kernel
  const DeviceTraits device = traits_of(x.device());
  if (!device.on_cpu() || x.elements() < cpu_grain || x.layout().is_contiguous()) return false;
  const auto copies = Operation::find(x.device(), Builtin::copy);
  if (!copies || &copies->record() == &operation.record()) return false;
  const Iteration<1> nest(x.shape(), {&x.layout()});
  const std::int64_t step = nest.stride[0][0];
  // More memory than the result's would cost what the vectors save, unless cache lines are read once for it.
  return (x.dtype() == result && step != 0 && step != 1 && nest.extent[0] >= worth_a_loop) ||
         tile_dims(device, nest, 0, size_of(x.dtype())).has_value();
}

}  // namespace

Tensor map(const Operation& operation, Inputs inputs, std::span<const Scalar> scalars,
           const CallOptions& options, std::optional<DType> result) {
  if (operation.kind() != KERNELGEN_OPERATION_MAP)
    invalid(formatted("{}: not an element-wise operation; it has its own function", operation.name()));
  check_counts(operation, inputs, scalars);
  const auto operands = operation.operands();
  TypeBinding binding(operation);
  for (std::size_t k = 0; k < inputs.size(); ++k)
    if (!*inputs[k])
      invalid(formatted("{}: operand {} is a default-constructed Tensor", operation.name(),
                        operation.text(operands[k].name)));
  Shape shape = inputs[0]->shape();
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    check_same_device(operation.name(), inputs[0]->device(), inputs[k]->device());
    binding.bind(operands[k], inputs[k]->dtype());
    if (k > 0 && !(inputs[k]->shape() == shape))
      shape = broadcast_shapes(operation.name(), shape, inputs[k]->shape());
  }
  if (result) binding.bind(operands[inputs.size()], *result);
  const DType out_type = binding.type_of(operands[inputs.size()].type);

  // Unknown dtypes and numbers that their dtype cannot hold are reported before any allocation.
  const Device& device = inputs[0]->device();
  const PackageKernels kernels(device, operation, binding, options.stream);
  std::array<ScalarElement, KERNELGEN_MAX_SCALARS> elements;
  for (std::size_t i = 0; i < scalars.size(); ++i)
    elements[i] = {scalars[i], binding.type_of(operands[inputs.size() + 1 + i].type)};
  const Tensor out = output(operation.name(), device, shape, out_type, options, inputs, InPlace::allowed);
  const auto run = [&](Inputs from) {
    MapCall{from, std::span(elements).first(scalars.size()), out, kernels}.run();
  };
  if (inputs.size() == 1 && is_worth_copying(operation, *inputs[0], out_type)) {
    // Reuses the result's memory if it fits.
    const bool fits = inputs[0]->dtype() == out_type;
    const Tensor contiguous = copy(*inputs[0], {.stream = options.stream, .out = fits ? &out : nullptr});
    const Tensor* const input = &contiguous;
    run({&input, 1});
  } else if (operation.is_swapped()) {
    const Tensor* const swapped[] = {inputs[1], inputs[0]};
    run(swapped);
  } else {
    run(inputs);
  }
  return out;
}

}  // namespace kernelgen
