#include "ops/map.hpp"

#include "common/format.hpp"

#include "device/device_state.hpp"
#include "ops/grid.hpp"
#include "ops/iteration.hpp"
#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/tiles.hpp"

namespace kernelgen {
namespace {

enum Form { contiguous = 0, strided = 1 };  // every map has these two first

/// What the type variables stand for in this call.
struct Binding {
  const Operation& operation;
  std::array<std::optional<DType>, KERNELGEN_MAX_TYPE_VARIABLES> types;

  void bind(const kernelgen_operand_record& operand, DType given) {
    if (!(operand.type & KERNELGEN_TYPE_VARIABLE)) {
      if (operand.type != static_cast<std::uint32_t>(given))
        invalid(formatted("{}: operand {} is {}; it has to be {}", operation.name(),
                          operation.text(operand.name), name_of(given),
                          name_of(static_cast<DType>(operand.type))));
      return;
    }
    auto& bound = types[operand.type & ~KERNELGEN_TYPE_VARIABLE];
    if (bound && *bound != given)
      invalid(formatted("{}: operand {} is {}, the one before it {}; they must have one dtype",
                        operation.name(), operation.text(operand.name), name_of(given), name_of(*bound)));
    bound = given;
  }

  DType type_of(std::uint32_t operand_type) const {
    if (!(operand_type & KERNELGEN_TYPE_VARIABLE)) return static_cast<DType>(operand_type);
    if (const auto& bound = types[operand_type & ~KERNELGEN_TYPE_VARIABLE]) return *bound;
    invalid(formatted("{}: the inputs do not decide the result's dtype; name one (to_dtype does)",
                      operation.name()));
  }

  std::uint32_t kernel(int form) const {
    std::array<DType, KERNELGEN_MAX_TYPE_VARIABLES> bound{};
    const auto count = static_cast<std::size_t>(operation.variables());
    for (std::size_t v = 0; v < count; ++v) bound[v] = types[v].value_or(DType::f32);
    return operation.kernel(std::span(bound).first(count), form);
  }
};

/// Everything a launch needs besides the layout.
struct Call {
  const Operation& operation;
  Inputs inputs;
  std::span<const Scalar> scalars;
  const Tensor& out;
  const Stream& stream;
  const Binding& binding;

  void add_scalars(Arguments& arguments) const {
    const auto operands = operation.operands();
    for (std::size_t s = 0; s < scalars.size(); ++s) {
      const DType type = binding.type_of(operands[inputs.size() + 1 + s].type);
      std::byte element[8];
      scalars[s].store(type, element);
      arguments.add(element, size_of(type), size_of(type));
    }
  }

  int elements_per_thread() const {
    int sizes[KERNELGEN_MAX_INPUTS + 1], count = 0;
    for (const Tensor* input : inputs) sizes[count++] = static_cast<int>(size_of(input->dtype()));
    sizes[count++] = static_cast<int>(size_of(out.dtype()));
    return kg::pack_elements(sizes, count, false);
  }

  void launch(std::uint32_t kernel, std::int64_t elements, int per_thread, const Arguments& arguments) const {
    const Device& device = out.device();
    kernelgen::launch(device, kernel, element_grid(state_of(device), elements, per_thread), arguments,
                      stream);
  }
};

void run_contiguous(const Call& call, std::uint32_t kernel, std::int64_t elements) {
  Arguments arguments;
  for (const Tensor* input : call.inputs) arguments.add(input->data());
  arguments.add(call.out.data()).add(elements);
  call.add_scalars(arguments);
  call.launch(kernel, elements, call.elements_per_thread() * 2, arguments);
}

/// Whether kernels take the operand's elements by whole accesses from the first one on; on a CPU they take any.
bool is_aligned(const Tensor& tensor) {
  constexpr std::uintptr_t access = 16;
  return state_of(tensor.device()).threads() > 0 ||
         reinterpret_cast<std::uintptr_t>(tensor.data()) % access == 0;
}

/// Whether an operand steps by one along another dim than the innermost and the operation has kernels that read
/// it in tiles: then runs one.
bool run_tiled(const Call& call, const Iteration<2>& nest) {
  const int swapped = tiled_axis(nest, 0) == 0 ? 1 : 0;
  const int axis = tiled_axis(nest, swapped);
  if (axis == 0) return false;
  const std::optional<int> form = call.operation.find_form("tiled");
  if (!form || !call.scalars.empty()) return false;
  const Device& device = call.out.device();
  const auto tiles = make_tiles(nest, axis, tile_side(state_of(device), size_of(call.out.dtype())), swapped);
  const Arguments arguments = Arguments()
                                  .add(call.inputs[static_cast<std::size_t>(swapped)]->data())
                                  .add(call.inputs[static_cast<std::size_t>(1 - swapped)]->data())
                                  .add(call.out.data())
                                  .add(tiles)
                                  .add(static_cast<std::uint32_t>(swapped));
  launch(device, call.binding.kernel(*form), tile_grid(state_of(device), nest, tiles), arguments,
         call.stream);
  return true;
}

template <int N>
void run_strided(const Call& call, const std::array<Layout, N>& views) {
  std::array<const Layout*, N> layouts;
  for (int k = 0; k < N; ++k) layouts[k] = &views[k];
  // A contiguous result keeps the order of its elements whichever dims the inputs let merge.
  const Iteration<N> nest(call.out.shape(), layouts);
  if constexpr (N == 2)
    if (run_tiled(call, nest)) return;
  const std::uint32_t kernel = call.binding.kernel(strided);
  nest.for_each_piece([&](const auto& piece, const auto& offsets, std::int64_t first) {
    Arguments arguments;
    for (int k = 0; k < N; ++k) arguments.add(element_address(*call.inputs[k], offsets[k]));
    arguments.add(element_address(call.out, first)).add(piece);
    call.add_scalars(arguments);
    call.launch(kernel, piece.elements, call.elements_per_thread(), arguments);
  });
}

template <int N>
std::array<Layout, N> broadcast(Inputs inputs, const Shape& shape) {
  std::array<Layout, N> views;
  for (int k = 0; k < N; ++k) views[k] = inputs[k]->layout().broadcast_to(shape);
  return views;
}

}  // namespace

Tensor map(const Operation& operation, Inputs inputs, std::span<const Scalar> scalars,
           const CallOptions& options, std::optional<DType> result) {
  if (!operation.is_map())
    invalid(formatted("{}: not an element-wise operation; it has a function of its own", operation.name()));
  if (inputs.size() != static_cast<std::size_t>(operation.inputs()) ||
      scalars.size() != static_cast<std::size_t>(operation.scalars()))
    invalid(formatted("{}: {} tensors and {} numbers given; it takes {} and {}", operation.name(),
                      inputs.size(), scalars.size(), operation.inputs(), operation.scalars()));
  const auto operands = operation.operands();
  Binding binding{operation, {}};
  for (std::size_t k = 0; k < inputs.size(); ++k)
    if (!*inputs[k])
      invalid(formatted("{}: operand {} is no tensor", operation.name(), operation.text(operands[k].name)));
  Shape shape = inputs[0]->shape();
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    check_same_device(operation.name(), inputs[0]->device(), inputs[k]->device());
    binding.bind(operands[k], inputs[k]->dtype());
    if (k > 0 && !(inputs[k]->shape() == shape))
      shape = broadcast_shapes(operation.name(), shape, inputs[k]->shape());
  }
  if (result) binding.bind(operands[inputs.size()], *result);
  const DType out_type = binding.type_of(operands[inputs.size()].type);

  // An unknown dtype is reported before anything is allocated.
  const std::uint32_t kernel = binding.kernel(contiguous);
  const Tensor out =
      output(operation.name(), inputs[0]->device(), shape, out_type, options, inputs, InPlace::allowed);
  const std::int64_t elements = out.elements();
  if (elements == 0) return out;

  static_assert(KERNELGEN_MAX_INPUTS == 3, "a strided call for each number of inputs");
  const Call call{operation, inputs, scalars, out, options.stream, binding};
  bool plain = is_aligned(out);
  for (const Tensor* input : inputs)
    plain = plain && input->shape() == shape && input->layout().is_contiguous() && is_aligned(*input);
  if (plain)
    run_contiguous(call, kernel, elements);
  else if (inputs.size() == 1)
    run_strided<1>(call, broadcast<1>(inputs, shape));
  else if (inputs.size() == 2)
    run_strided<2>(call, broadcast<2>(inputs, shape));
  else
    run_strided<3>(call, broadcast<3>(inputs, shape));
  return out;
}

}  // namespace kernelgen
