#include "common/format.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "device/device_state.hpp"
#include "ops/iteration.hpp"
#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/output.hpp"
#include "ops/traits.hpp"
#include "plan/grid.hpp"
#include "plan/span.hpp"

namespace kernelgen {
namespace {

/// Which elements of a row form a pair.
enum class Pairs { halves, neighbours };

/// The names an operation gives the dims of x.
struct Form {
  std::string_view name;
  Pairs pairs;
  std::size_t positions;  ///< dim of x with positions
  std::string_view dims;
};
constexpr Form halves{"rope", Pairs::halves, 2, "[batch, heads, positions, d]"};
constexpr Form neighbours{"rope_i", Pairs::neighbours, 2, "[batch, heads, positions, d]"};
constexpr Form positions_first{"rope_thd", Pairs::halves, 1, "[batch, positions, heads, d]"};

/// The same form for an operation on queries and keys together.
constexpr Form named(Form form, std::string_view name) {
  form.name = name;
  return form;
}

void check_shapes(const Form& form, std::string_view called, const Tensor& x, Inputs angles) {
  const Shape& shape = x.shape();
  if (shape.size() != 4)
    invalid(formatted("{}: {} is {}; it has to be {}", form.name, called, shape.to_string(), form.dims));
  if (shape[3] % 2 != 0)
    invalid(formatted("{}: {} is {}; its last dim has to be even", form.name, called, shape.to_string()));
  constexpr std::array names{"cos", "sin"};
  for (std::size_t k = 0; k < names.size(); ++k) {
    const Shape& given = angles[k]->shape();
    const std::size_t batch = given.size() == 3 ? 1 : 0;
    const bool fits = given.size() == 2 + batch && (batch == 0 || given[0] == shape[0]) &&
                      given[batch] >= shape[form.positions] && given[batch + 1] == shape[3] / 2;
    if (!fits)
      invalid(
          formatted("{}: {} is {}; for {} {} it has to be [{}, {}] or [{}, {}, {}], or have more positions",
                    form.name, names[k], given.to_string(), called, shape.to_string(), shape[form.positions],
                    shape[3] / 2, shape[0], shape[form.positions], shape[3] / 2));
    if (angles[k]->dtype() != x.dtype())
      invalid(formatted("{}: {} is {}, {} {}; they must have one dtype", form.name, names[k],
                        name_of(angles[k]->dtype()), called, name_of(x.dtype())));
  }
}

/// The first elements of the pairs of [a, b, c, d]; the two elements of a pair are `step` apart.
Layout pairs_of(const Layout& layout, std::int64_t step) {
  Layout pairs = layout;
  pairs.shape[3] /= 2;
  pairs.strides[3] *= step;
  return pairs;
}

/// cos or sin broadcast to x's dims: along the heads, and along the batch if it has none.
Layout spread(const Form& form, const Layout& angles, const Shape& pairs) {
  Layout layout{pairs, {0, 0, 0, angles.strides.back()}, angles.offset};
  if (angles.rank() == 3) layout.strides[0] = angles.strides[0];
  layout.strides[form.positions] = angles.strides[angles.rank() - 2];
  return layout;
}

/// The pairs of a tensor, their angles and their destinations.
struct Rotation {
  std::array<const Tensor*, 4> operands;  ///< x, cos, sin, the result
  std::array<Layout, 4> layouts;
  std::int64_t pair, out_pair;  ///< distance between a pair's two elements

  Rotation(const Form& form, const Tensor& x, const Tensor& cos, const Tensor& sin, const Tensor& out)
      : operands{&x, &cos, &sin, &out} {
    const bool is_halves = form.pairs == Pairs::halves;
    const std::int64_t step = is_halves ? 1 : 2;
    const Layout pairs = pairs_of(x.layout(), step);
    layouts = {pairs, spread(form, cos.layout(), pairs.shape), spread(form, sin.layout(), pairs.shape),
               pairs_of(out.layout(), step)};
    out_pair = is_halves ? x.shape()[3] / 2 : 1;
    pair = out_pair * x.layout().strides[3];
  }

  /// Whether each group of `length` pairs in a row is contiguous in all operands.
  bool is_of_runs(std::int64_t length) const {
    return std::ranges::all_of(layouts, [&](const Layout& layout) {
      return layout.strides[3] == 1 && layout.shape[3] % length == 0;
    });
  }
  void walk_runs(std::int64_t length) {
    for (Layout& layout : layouts) {
      layout.shape[3] /= length;
      layout.strides[3] = length;
    }
  }

  /// The arguments of one launch.
  struct Piece {
    std::array<std::byte*, 4> address{};
    kg::Strided<4> layout{};  ///< empty if unused
    std::int64_t pair = 0, out_pair = 0;
  };

  template <class F>
  void for_each_piece(F f) const {
    if (operands[3]->elements() == 0) return;
    const Iteration<4> nest(layouts[0].shape, {&layouts[0], &layouts[1], &layouts[2], &layouts[3]});
    nest.for_each_piece([&](const kg::Strided<4>& layout, const auto& offsets, std::int64_t) {
      Piece piece{{}, layout, pair, out_pair};
      for (std::size_t k = 0; k < operands.size(); ++k)
        piece.address[k] = element_address(*operands[k], offsets[k]);
      f(piece);
    });
  }
};

void add_piece(Arguments& arguments, const Rotation::Piece& piece) {
  for (std::byte* const address : piece.address) arguments.add(address);
  arguments.add(piece.layout).add(piece.pair).add(piece.out_pair);
}

/// The launches of one or two rotations.
class Rotations {
 public:
  /// Takes contiguous groups of pairs on a GPU if every rotation allows it.
  Rotations(const Device& device, DType type, std::span<Rotation* const> rotations, const Stream& stream)
      : device_(device), stream_(stream) {
    const std::int64_t length = kg::access_elements(static_cast<unsigned>(size_of(type)));
    const bool in_runs =
        state_of(device).threads() == 0 && std::ranges::all_of(rotations, [&](const Rotation* rotation) {
          return rotation->is_of_runs(length);
        });
    if (in_runs)
      for (Rotation* const rotation : rotations) rotation->walk_runs(length);
    const Operation operation = Operation::builtin(device, Builtin::rope);
    kernel_ = operation.kernel({&type, 1}, operation.form(in_runs ? "spans" : "strided"));
  }

  void start(const Rotation::Piece& first, const Rotation::Piece& second) const {
    Arguments arguments;
    add_piece(arguments, first);
    add_piece(arguments, second);
    const std::int64_t elements = std::int64_t{first.layout.elements} + second.layout.elements;
    launch(device_, kernel_, element_grid(elements, 1, traits_of(device_)), arguments, stream_);
  }

 private:
  const Device& device_;
  const Stream& stream_;
  std::uint32_t kernel_;
};

Tensor rotate(const Form& form, const Tensor& x, const Tensor& cos, const Tensor& sin,
              const CallOptions& options) {
  const std::array<const Tensor*, 3> inputs{&x, &cos, &sin};
  check_inputs(form.name, inputs);
  check_float(form.name, x);
  check_shapes(form, "x", x, Inputs(inputs).subspan(1));
  const Tensor out = output(form.name, x.device(), x.shape(), x.dtype(), options, inputs);
  Rotation rotation(form, x, cos, sin, out);
  Rotation* const one[] = {&rotation};
  const Rotations rotations(x.device(), x.dtype(), one, options.stream);
  rotation.for_each_piece([&](const Rotation::Piece& piece) { rotations.start(piece, {}); });
  return out;
}

/// Rotates both in one launch, except for pieces beyond the launch limit.
QueriesAndKeys rotate_both(const Form& form, const Tensor& q, const Tensor& k, const Tensor& cos,
                           const Tensor& sin, const QueriesAndKeysOptions& options) {
  const std::array<const Tensor*, 4> inputs{&q, &k, &cos, &sin};
  check_inputs(form.name, inputs);
  check_float(form.name, q);
  check_shapes(form, "q", q, Inputs(inputs).subspan(2));
  check_shapes(form, "k", k, Inputs(inputs).subspan(2));
  const Device& device = q.device();
  QueriesAndKeys results;
  results.q = output(form.name, device, q.shape(), q.dtype(), {options.stream, options.q}, inputs);
  const std::array<const Tensor*, 5> taken{&q, &k, &cos, &sin, &results.q};
  results.k = output(form.name, device, k.shape(), q.dtype(), {options.stream, options.k}, taken);

  Rotation queries(form, q, cos, sin, results.q), keys(form, k, cos, sin, results.k);
  Rotation* const both[] = {&queries, &keys};
  const Rotations rotations(device, q.dtype(), both, options.stream);
  // The last piece of q, usually its only one, shares a launch with the first of k.
  Rotation::Piece waiting;
  queries.for_each_piece([&](const Rotation::Piece& piece) {
    if (waiting.layout.elements > 0) rotations.start(waiting, {});
    waiting = piece;
  });
  keys.for_each_piece([&](const Rotation::Piece& piece) {
    rotations.start(waiting, piece);
    waiting = {};
  });
  if (waiting.layout.elements > 0) rotations.start(waiting, {});
  return results;
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

QueriesAndKeys rope_qk(const Tensor& q, const Tensor& k, const Tensor& cos, const Tensor& sin,
                       const QueriesAndKeysOptions& options) {
  return rotate_both(named(halves, "rope_qk"), q, k, cos, sin, options);
}

QueriesAndKeys rope_i_qk(const Tensor& q, const Tensor& k, const Tensor& cos, const Tensor& sin,
                         const QueriesAndKeysOptions& options) {
  return rotate_both(named(neighbours, "rope_i_qk"), q, k, cos, sin, options);
}

QueriesAndKeys rope_thd_qk(const Tensor& q, const Tensor& k, const Tensor& cos, const Tensor& sin,
                           const QueriesAndKeysOptions& options) {
  return rotate_both(named(positions_first, "rope_thd_qk"), q, k, cos, sin, options);
}

}  // namespace kernelgen
