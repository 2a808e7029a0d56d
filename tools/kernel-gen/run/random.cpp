#include "run/families.hpp"

namespace kernelgen::tool {
namespace {

using enum ParameterKind;

/// The seed is set before each call, so that the same line gives the same numbers.
Runnable random(const std::string& name, const std::string& summary, const CallParameter& first,
                const CallParameter& second,
                Tensor (*function)(const Device&, const Shape&, DType, const Scalar&, const Scalar&,
                                   const CallOptions&)) {
  return {.name = name,
          .summary = summary,
          .inputs = {},
          .parameters = {{"shape", shape, {}, "the shape of the result"},
                         {"dtype", dtype, "f32", "the dtype of the result"},
                         first,
                         second,
                         {"seed", integer, "299792458", "the seed of the generator"}},
          .outputs = {{"y", "shape"}},
          .bind = [=](const ParameterValues& values) {
            return [=, shape = values.shape("shape"), dtype = values.dtype("dtype"),
                    a = values.number(first.name), b = values.number(second.name),
                    seed = static_cast<std::uint64_t>(values.integer("seed"))](const Operands& operands) {
              operands.device.set_seed(seed);
              return std::vector{function(operands.device, shape, dtype, a, b, operands.options())};
            };
          }};
}

}  // namespace

std::vector<Runnable> random_runnables() {
  return {random("rand_uniform", "random numbers in [low, high)", {"low", number, "0", "the lower bound"},
                 {"high", number, "1", "the upper bound, excluded"}, &rand_uniform),
          random("rand_normal", "normally distributed random numbers", {"mean", number, "0", "the mean"},
                 {"deviation", number, "1", "the standard deviation"}, &rand_normal)};
}

}  // namespace kernelgen::tool
