#include <gtest/gtest.h>

#include "environment.hpp"
#include "expect.hpp"
#include "inputs.hpp"
#include "reference/rope.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

using reference::RopePairs;

struct Form {
  const char* name;
  Tensor (*run)(const Tensor&, const Tensor&, const Tensor&, const CallOptions&);
  std::size_t positions;
  RopePairs pairs;
};
constexpr Form forms[] = {{"rope", rope, 2, RopePairs::halves},
                          {"rope_i", rope_i, 2, RopePairs::neighbours},
                          {"rope_thd", rope_thd, 1, RopePairs::halves}};

struct Angles {
  bool is_batched;
  std::int64_t more;  ///< positions that x does not have
};

void check(const Form& form, DType dtype, const Shape& shape, Angles angles, Kind kind, Kind angle_kind,
           const Elements& values) {
  const std::int64_t count = shape[form.positions] + angles.more;
  const Shape angle_shape =
      angles.is_batched ? Shape{shape[0], count, shape[3] / 2} : Shape{count, shape[3] / 2};
  const Input x = make_input(kind, shape, values);
  const Input cos = make_input(angle_kind, angle_shape, values);
  const Input sin = make_input(Kind::contiguous, angle_shape, moderate(dtype, 997, 31));
  const reference::Sums sums = reference::rope(x.elements, cos.elements, sin.elements, shape, form.positions,
                                               form.pairs, angles.is_batched ? shape[0] : 1, count);
  Approximation wanted;
  // One product and the fused sum are rounded.
  for (std::size_t i = 0; i < sums.value.size(); ++i)
    wanted.add(sums.value[i], 2 * accumulator_unit(dtype) * sums.magnitude[i]);
  expect_call(std::string(form.name) + " " + std::string(name_of(dtype)) + " " + shape.to_string() + " " +
                  std::string(name_of(kind)) + ", angles " + angle_shape.to_string() + " " +
                  std::string(name_of(angle_kind)),
              dtype, shape, wanted, [&](const CallOptions& options) {
                return form.run(x.tensor, cos.tensor, sin.tensor, options);
              });
}

void test_rope(const Form& form, DType dtype) {
  const Elements values = moderate(dtype, 4099, 30);
  for (const Shape& shape : {Shape{2, 3, 5, 16}, Shape{1, 1, 1, 2}, Shape{2, 2, 3, 2}, Shape{3, 4, 1, 6},
                             Shape{1, 2, 7, 130}, Shape{0, 2, 3, 4}, Shape{2, 3, 0, 4}, Shape{2, 3, 4, 0}})
    for (const Angles angles : {Angles{false, 0}, Angles{false, 3}, Angles{true, 0}, Angles{true, 2}})
      for (const Kind kind : strided_kinds) {
        check(form, dtype, shape, angles, kind, Kind::contiguous, values);
        check(form, dtype, shape, angles, Kind::contiguous, kind, values);
      }
  check(form, dtype, {2, 8, 67, 128}, {false, 1}, Kind::contiguous, Kind::contiguous, values);
  check(form, dtype, {2, 8, 67, 128}, {true, 1}, Kind::transposed, Kind::sliced, values);
}

}  // namespace

void register_rope_tests() {
  for (const Form& form : forms)
    for (const DType dtype : float_dtypes)
      register_test(form.name, std::string(name_of(dtype)), [&form, dtype] { test_rope(form, dtype); });
}

}  // namespace kernelgen::conformance
