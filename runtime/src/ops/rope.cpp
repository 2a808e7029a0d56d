#include "common/format.hpp"

#include <algorithm>
#include <array>

#include "device/device_state.hpp"
#include "ops/grid.hpp"
#include "ops/iteration.hpp"
#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/output.hpp"
#include "plan/run.hpp"

namespace kernelgen {
namespace {

/// Which elements of a row are a pair.
enum class Pairs { halves, neighbours };

/// What an operation calls the dims of x.
struct Form {
  std::string_view name;
  Pairs pairs;
  std::size_t positions;  ///< dim of x
  std::string_view dims;
};
constexpr Form halves{"rope", Pairs::halves, 2, "[batch, heads, positions, d]"};
constexpr Form neighbours{"rope_i", Pairs::neighbours, 2, "[batch, heads, positions, d]"};
constexpr Form positions_first{"rope_thd", Pairs::halves, 1, "[batch, positions, heads, d]"};

void check_shapes(const Form& form, const Tensor& x, Inputs angles) {
  const Shape& shape = x.shape();
  if (shape.size() != 4)
    invalid(formatted("{}: x is {}; it has to be {}", form.name, shape.to_string(), form.dims));
  if (shape[3] % 2 != 0)
    invalid(formatted("{}: x is {}; its last dim has to be even", form.name, shape.to_string()));
  constexpr std::array names{"cos", "sin"};
  for (std::size_t k = 0; k < names.size(); ++k) {
    const Shape& given = angles[k]->shape();
    const std::size_t batch = given.size() == 3 ? 1 : 0;
    const bool fits = given.size() == 2 + batch && (batch == 0 || given[0] == shape[0]) &&
                      given[batch] >= shape[form.positions] && given[batch + 1] == shape[3] / 2;
    if (!fits)
      invalid(
          formatted("{}: {} is {}; for x {} it has to be [{}, {}] or [{}, {}, {}], or have more positions",
                    form.name, names[k], given.to_string(), shape.to_string(), shape[form.positions],
                    shape[3] / 2, shape[0], shape[form.positions], shape[3] / 2));
    if (angles[k]->dtype() != x.dtype())
      invalid(formatted("{}: {} is {}, x {}; they must have one dtype", form.name, names[k],
                        name_of(angles[k]->dtype()), name_of(x.dtype())));
  }
}

/// First elements of the pairs of [a, b, c, d], which lie `step` apart in a row.
Layout pairs_of(const Layout& layout, std::int64_t step) {
  Layout pairs = layout;
  pairs.shape[3] /= 2;
  pairs.strides[3] *= step;
  return pairs;
}

/// cos or sin as if it had x's dims: repeated along the heads, and the batch where it has none.
Layout spread(const Form& form, const Layout& angles, const Shape& pairs) {
  Layout layout{pairs, {0, 0, 0, angles.strides.back()}, angles.offset};
  if (angles.rank() == 3) layout.strides[0] = angles.strides[0];
  layout.strides[form.positions] = angles.strides[angles.rank() - 2];
  return layout;
}

/// Whether every `length` pairs, from a row's first on, are neighbours in all operands.
bool pairs_are_runs(const std::array<Layout, 4>& layouts, std::int64_t length) {
  return std::ranges::all_of(
      layouts, [&](const Layout& layout) { return layout.strides[3] == 1 && layout.shape[3] % length == 0; });
}

Tensor rotate(const Form& form, const Tensor& x, const Tensor& cos, const Tensor& sin,
              const CallOptions& options) {
  const std::array<const Tensor*, 3> inputs{&x, &cos, &sin};
  check_inputs(form.name, inputs);
  check_float(form.name, x);
  check_shapes(form, x, Inputs(inputs).subspan(1));
  const Device& device = x.device();
  const Operation operation = Operation::builtin(device, Builtin::rope);
  const DType type = x.dtype();
  const bool is_halves = form.pairs == Pairs::halves;
  const std::int64_t step = is_halves ? 1 : 2, pair = is_halves ? x.shape()[3] / 2 : 1;
  const Layout x_pairs = pairs_of(x.layout(), step);
  const Tensor out = output(form.name, device, x.shape(), type, options, inputs);
  std::array layouts{x_pairs, spread(form, cos.layout(), x_pairs.shape),
                     spread(form, sin.layout(), x_pairs.shape), pairs_of(out.layout(), step)};
  const std::int64_t length = kg::access_elements(static_cast<unsigned>(size_of(type)));
  const bool in_runs = state_of(device).threads() == 0 && pairs_are_runs(layouts, length);
  const std::uint32_t kernel = operation.kernel({&type, 1}, operation.form(in_runs ? "runs" : "strided"));
  if (out.elements() == 0) return out;

  if (in_runs)
    for (Layout& layout : layouts) {
      layout.shape[3] /= length;
      layout.strides[3] = length;
    }
  const Iteration<4> nest(layouts[0].shape, {&layouts[0], &layouts[1], &layouts[2], &layouts[3]});
  const std::array<const Tensor*, 4> operands{&x, &cos, &sin, &out};
  nest.for_each_piece([&](const kg::Strided<4>& piece, const auto& offsets, std::int64_t) {
    Arguments arguments;
    for (std::size_t k = 0; k < operands.size(); ++k)
      arguments.add(element_address(*operands[k], offsets[k]));
    arguments.add(piece).add(pair * x.layout().strides[3]).add(pair);
    launch(device, kernel, element_grid(state_of(device), piece.elements, 1), arguments, options.stream);
  });
  return out;
}

}  // namespace

Tensor rope(const Tensor& x, const Tensor& cos, const Tensor& sin, const CallOptions& options) {
  return rotate(halves, x, cos, sin, options);
}

Tensor rope_i(const Tensor& x, const Tensor& cos, const Tensor& sin, const CallOptions& options) {
  return rotate(neighbours, x, cos, sin, options);
}

Tensor rope_thd(const Tensor& x, const Tensor& cos, const Tensor& sin, const CallOptions& options) {
  return rotate(positions_first, x, cos, sin, options);
}

}  // namespace kernelgen
