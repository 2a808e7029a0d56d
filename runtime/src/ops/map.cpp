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

/// Whether the elements of x, which has the result's shape, are copied in the result's order before the computation, which would
/// access each by itself: neighbours of the result are not neighbours in x.
bool is_worth_copying(const Operation& operation, const Tensor& x, DType result, bool is_alone) {
  if (x.layout().is_contiguous()) return false;
  const DeviceTraits device = traits_of(x.device());
  const std::size_t bytes = size_of(x.dtype());
  // A GPU reads 32 bytes for each element, and a copy and its launch have to take less time; after few elements, these bytes are
  // still in the L1 when the next one of them is read.
  constexpr std::int64_t gpu_elements = 1 << 20, gpu_distance = 1024;
  constexpr std::size_t gpu_bytes = 4;
  const bool is_large = device.on_cpu() ? is_alone && x.elements() >= cpu_grain
                                        : x.elements() >= gpu_elements && bytes <= gpu_bytes;
  if (!is_large) return false;
  const auto copies = Operation::find(x.device(), Builtin::copy);
  if (!copies || &copies->record() == &operation.record()) return false;
  const Iteration<1> nest(x.shape(), {&x.layout()});
  const auto dims = tile_dims(device, nest, 0, bytes);
  if (!device.on_cpu()) {
    std::int64_t distance = 1;
    for (int d = 0; dims && d < dims->rows; ++d) distance *= nest.extent[static_cast<std::size_t>(d)];
    return dims && distance >= gpu_distance;
  }
  constexpr std::int64_t worth_a_loop = 256;  // shorter rows are gathered by the kernel
  const std::int64_t step = nest.stride[0][0];
  // More memory than the result's would cost what the vectors save, unless cache lines are read once for it.
  return dims || (x.dtype() == result && step != 0 && step != 1 && nest.extent[0] >= worth_a_loop);
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
    if (has_tiles || !(inputs[k]->shape() == shape) ||
        !is_worth_copying(operation, *inputs[k], out_type, is_alone))
      continue;
    // Reuses the result's memory if it fits.
    const bool fits = is_alone && inputs[k]->dtype() == out_type;
    copies.reserve(inputs.size());  // addresses stay
    from[k] =
        &copies.emplace_back(copy(*inputs[k], {.stream = options.stream, .out = fits ? &out : nullptr}));
  }
  if (operation.is_swapped()) std::swap(from[0], from[1]);
  MapCall{Inputs(from).first(inputs.size()), std::span(elements).first(scalars.size()), out, kernels}.run();
  return out;
}

}  // namespace kernelgen
