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
          .parameters = {{"shape", shape, {}, "the result's"},
                         {"dtype", dtype, "f32", "the result's"},
                         first,
                         second,
                         {"seed", integer, "299792458", "what the numbers follow from"}},
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
  return {random("rand_uniform", "random numbers in [low, high)", {"low", number, "0", "the least"},
                 {"high", number, "1", "above all"}, &rand_uniform),
          random("rand_normal", "normally distributed random numbers", {"mean", number, "0", "theirs"},
                 {"deviation", number, "1", "the standard deviation"}, &rand_normal)};
}

}  // namespace kernelgen::tool
