#include "ops/map_call.hpp"

#include <algorithm>
#include <array>

#include "ops/iteration.hpp"
#include "ops/operand.hpp"
#include "ops/tiles.hpp"
#include "ops/traits.hpp"
#include "plan/map.hpp"

namespace kernelgen {
namespace {

void add_scalars(const MapCall& call, Arguments& arguments) {
  for (const ScalarElement& scalar : call.scalars) scalar.add_to(arguments);
}

/// Elements of the packs in which the kernels access contiguous operands.
int pack_of(const MapCall& call) {
  std::array<int, max_map_inputs + 1> sizes;
  int count = 0;
  for (const Tensor* input : call.inputs)
    sizes[static_cast<std::size_t>(count++)] = static_cast<int>(size_of(input->dtype()));
  sizes[static_cast<std::size_t>(count++)] = static_cast<int>(size_of(call.out.dtype()));
  return kg::pack_elements(sizes.data(), count, false);
}

/// Whether rows of all inputs consist of contiguous or broadcast elements.
template <int N>
bool has_rows(const kg::Strided<N>& layout) {
  return std::ranges::all_of(layout.stride,
                             [](const auto& stride) { return stride[0] == 0 || stride[0] == 1; });
}

void run_contiguous(const MapCall& call) {
  const std::int64_t elements = call.out.elements();
  const int pack = pack_of(call);
  const int in_flight = kg::packs_in_flight(pack, static_cast<int>(size_of(call.out.dtype())),
                                            static_cast<int>(call.inputs.size()));
  Arguments arguments;
  for (const Tensor* input : call.inputs) arguments.add(input->data());
  arguments.add(call.out.data()).add(elements);
  add_scalars(call, arguments);
  call.kernels.launch(MapForm::contiguous,
                      map_grid(elements, pack, in_flight, call.inputs.size(), traits_of(call.out.device())),
                      arguments);
}

/// Runs a tiled kernel if one exists and an operand's contiguous dim differs from the result's. Returns
/// whether it did.
bool run_tiled(const MapCall& call, const Iteration<2>& nest) {
  if (!call.scalars.empty() || !call.kernels.has_tiles()) return false;
  const DeviceTraits device = traits_of(call.out.device());
  const std::size_t size = size_of(call.out.dtype());
  auto dims = tile_dims(device, nest, 0, size);
  const int swapped = dims ? 0 : 1;
  if (!dims) dims = tile_dims(device, nest, 1, size);
  if (!dims) return false;
  const auto tiles = make_tiles(nest, *dims, tile_side(size, device), swapped);
  const Arguments arguments = Arguments()
                                  .add(call.inputs[static_cast<std::size_t>(swapped)]->data())
                                  .add(call.inputs[static_cast<std::size_t>(1 - swapped)]->data())
                                  .add(call.out.data())
                                  .add(tiles)
                                  .add(static_cast<std::uint32_t>(swapped));
  call.kernels.launch(MapForm::tiled, tile_grid(nest.elements(), tiles.origins.elements, device), arguments);
  return true;
}

template <int N>
void run_strided(const MapCall& call) {
  std::array<Layout, N> views;
  std::array<const Layout*, N> layouts;
  for (std::size_t k = 0; k < N; ++k) {
    views[k] = call.inputs[k]->layout().broadcast_to(call.out.shape());
    layouts[k] = &views[k];
  }
  // A contiguous result keeps its element order, whichever dims of the inputs merge.
  const Iteration<N> nest(call.out.shape(), layouts);
  if constexpr (N == 2)
    if (run_tiled(call, nest)) return;
  const int pack = pack_of(call);
  nest.for_each_piece([&](const auto& piece, const auto& offsets, std::int64_t first) {
    const int per_thread = has_rows(piece) ? pack : std::min(pack, kg::strided_in_flight(false));
    Arguments arguments;
    for (std::size_t k = 0; k < N; ++k) arguments.add(element_address(*call.inputs[k], offsets[k]));
    arguments.add(element_address(call.out, first)).add(piece);
    add_scalars(call, arguments);
    call.kernels.launch(MapForm::strided,
                        strided_map_grid(piece.elements, per_thread, traits_of(call.out.device())),
                        arguments);
  });
}

/// run_strided for the actual number of inputs.
template <int N>
void run_strided_of(const MapCall& call) {
  if (call.inputs.size() == N) return run_strided<N>(call);
  if constexpr (N < static_cast<int>(max_map_inputs)) run_strided_of<N + 1>(call);
}

}  // namespace

void MapCall::run() const {
  if (out.elements() == 0) return;
  const bool are_contiguous = std::ranges::all_of(inputs, [&](const Tensor* input) {
    return input->shape() == out.shape() && input->layout().is_contiguous();
  });
  if (are_contiguous) return run_contiguous(*this);
  const auto wide =
      std::ranges::find_if(inputs, [](const Tensor* input) { return wide_dim(*input).has_value(); });
  if (wide == inputs.end()) return run_strided_of<1>(*this);
  const Tensor contiguous = copy(**wide, {.stream = stream});
  std::array<const Tensor*, max_map_inputs> from;
  std::ranges::copy(inputs, from.begin());
  from[static_cast<std::size_t>(wide - inputs.begin())] = &contiguous;
  MapCall{Inputs(from).first(inputs.size()), scalars, out, kernels, stream}.run();
}

}  // namespace kernelgen
