#include "run/families.hpp"

namespace kernelgen::tool {
namespace {

Runnable plain(const std::string& name, const std::string& summary,
               Tensor (*function)(const Tensor&, const CallOptions&)) {
  return {.name = name,
          .summary = summary,
          .inputs = {{"x", "[..., d]"}},
          .outputs = {{"y", "[..., d]"}},
          .bind = [=](const ParameterValues&) {
            return [=](const Operands& operands) {
              return std::vector{function(operands.inputs[0], operands.options())};
            };
          }};
}

}  // namespace

std::vector<Runnable> normalization_runnables() {
  const CallParameter eps{"eps", ParameterKind::number, "1e-5", "added before the root"};
  return {
      plain("softmax", "exp(x - max) / sum of exp(x - max), along the last dim", &softmax),
      plain("log_softmax", "the logarithm of softmax, along the last dim", &log_softmax),
      {.name = "rms_norm",
       .summary = "x / sqrt(mean of x^2 + eps) * weight, along the last dim",
       .inputs = {{"x", "[..., d]"}, {"weight", "[d]"}},
       .parameters = {eps},
       .outputs = {{"y", "[..., d]"}},
       .bind =
           [](const ParameterValues& values) {
             return [eps = values.number("eps").real()](const Operands& operands) {
               return std::vector{rms_norm(operands.inputs[0], operands.inputs[1], eps, operands.options())};
             };
           }},
      {.name = "layer_norm",
       .summary = "(x - mean) / sqrt(variance + eps) * weight + bias, along the last dim",
       .inputs = {{"x", "[..., d]"}, {"weight", "[d]"}, {"bias", "[d]"}},
       .parameters = {eps},
       .outputs = {{"y", "[..., d]"}},
       .bind =
           [](const ParameterValues& values) {
             return [eps = values.number("eps").real()](const Operands& operands) {
               const auto& in = operands.inputs;
               return std::vector{layer_norm(in[0], in[1], in[2], eps, operands.options())};
             };
           }},
  };
}

}  // namespace kernelgen::tool
