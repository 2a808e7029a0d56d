#include "run/families.hpp"

namespace kernelgen::tool {

std::vector<Runnable> sequence_runnables() {
  using enum ParameterKind;
  return {
      {.name = "arange",
       .summary = "start, start + step, …, without stop",
       .inputs = {},
       .parameters = {{"start", number, "0", "the first number", "1"},
                      {"stop", number, {}, "the end, which is no element", "5"},
                      {"step", number, "1", "the distance of the numbers", "2"},
                      {"dtype", dtype, "f32", "the result's dtype"}},
       .outputs = {{"y", "[ceil((stop - start) / step)]"}},
       .bind =
           [](const ParameterValues& values) {
             return [start = values.number("start"), stop = values.number("stop"),
                     step = values.number("step"), dtype = values.dtype("dtype")](const Operands& operands) {
               return std::vector{arange(operands.device, start, stop, step, dtype, operands.options())};
             };
           }},
      {.name = "timestep_embedding",
       .summary = "cosines and sines of x at falling frequencies, as diffusion models encode time",
       .inputs = {{"x", "[n]"}},
       .parameters = {{"columns", integer, {}, "of the result", "8"},
                      {"max_period", number, "10000", "the lowest frequency is near its reciprocal"}},
       .outputs = {{"y", "[n, columns]"}},
       .bind =
           [](const ParameterValues& values) {
             return [columns = values.integer("columns"),
                     period = values.number("max_period").real()](const Operands& operands) {
               return std::vector{
                   timestep_embedding(operands.inputs[0], columns, period, operands.options())};
             };
           }},
  };
}

}  // namespace kernelgen::tool
