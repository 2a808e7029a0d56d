#include "ops/map.hpp"

#include <array>
#include <utility>
#include <vector>

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

/// Whether x, which has the result's shape and may be the only input, is copied in the result's order before the computation.
bool is_copied(const Operation& operation, const Tensor& x, DType result, bool is_alone) {
  if (x.layout().is_contiguous()) return false;
  const DeviceTraits device = traits_of(x.device());
  if (x.elements() < least_copied_elements(device)) return false;
  const auto copies = Operation::find(x.device(), Builtin::copy);
  if (!copies || &copies->record() == &operation.record()) return false;
  const Iteration<1> nest(x.shape(), {&x.layout()});
  UnorderedInput input{x.elements(),   size_of(x.dtype()), is_alone, x.dtype() == result,
                       nest.extent[0], nest.stride[0][0],  0};
  if (const auto dims = tile_dims(device, nest, 0, input.bytes)) {
    input.distance = 1;
    for (int d = 0; d < dims->rows; ++d) input.distance *= nest.extent[static_cast<std::size_t>(d)];
  }
  return is_worth_copying(input, device);
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
  // Two inputs have kernels that read one of them in tiles.
  const bool has_tiles = inputs.size() == 2 && scalars.empty() && kernels.has_tiles();
  std::vector<Tensor> copies;
  std::array<const Tensor*, KERNELGEN_MAX_INPUTS> from;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    from[k] = inputs[k];
    const bool is_alone = inputs.size() == 1;
    if (has_tiles || !(inputs[k]->shape() == shape) || !is_copied(operation, *inputs[k], out_type, is_alone))
      continue;
    // Reuses the result's memory if it fits.
    const bool fits = is_alone && inputs[k]->dtype() == out_type;
    copies.reserve(inputs.size());  // addresses stay
    from[k] =
        &copies.emplace_back(copy(*inputs[k], {.stream = options.stream, .out = fits ? &out : nullptr}));
  }
  if (operation.is_swapped()) std::swap(from[0], from[1]);
  MapCall{Inputs(from).first(inputs.size()), std::span(elements).first(scalars.size()), out, kernels,
          options.stream}
      .run();
  return out;
}

}  // namespace kernelgen
