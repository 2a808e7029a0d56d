#include "run/families.hpp"

namespace kernelgen::tool {
namespace {

using enum ParameterKind;

std::vector<CallParameter> window_parameters(ParameterKind kind, bool transposed) {
  std::vector<CallParameter> parameters = {{"stride", kind, "1", "step of the window"},
                                           {"padding", kind, "0", "elements added at each end"},
                                           {"dilation", kind, "1", "distance between the window's elements"},
                                           {"groups", integer, "1", "number of channel groups"}};
  if (transposed)
    parameters.push_back({"output_padding", kind, "0", "elements added to the end of the output"});
  return parameters;
}

using Convolution1 = Tensor (*)(const Tensor&, const Tensor&, const Window1&, const CallOptions&);
using Convolution2 = Tensor (*)(const Tensor&, const Tensor&, const Window2&, const CallOptions&);

Runnable convolution(const std::string& name, const std::string& summary, Convolution1 function,
                     bool transposed) {
  return {
      .name = name,
      .summary = summary,
      .inputs = {{"x", "[b, c, l]"}, {"weight", transposed ? "[c, o / groups, k]" : "[o, c / groups, k]"}},
      .parameters = window_parameters(integer, transposed),
      .outputs = {{"y", "[b, o, length]"}},
      .needs = std::vector<std::string>{"conv2d"},
      .bind = [=](const ParameterValues& values) {
        const Window1 window{.stride = values.integer("stride"),
                             .padding = values.integer("padding"),
                             .dilation = values.integer("dilation"),
                             .output_padding = transposed ? values.integer("output_padding") : 0,
                             .groups = values.integer("groups")};
        return [=](const Operands& operands) {
          return std::vector{function(operands.inputs[0], operands.inputs[1], window, operands.options())};
        };
      }};
}

Runnable convolution(const std::string& name, const std::string& summary, Convolution2 function,
                     bool transposed) {
  return {
      .name = name,
      .summary = summary,
      .inputs = {{"x", "[b, c, h, w]"},
                 {"weight", transposed ? "[c, o / groups, kh, kw]" : "[o, c / groups, kh, kw]"}},
      .parameters = window_parameters(size, transposed),
      .outputs = {{"y", "[b, o, height, width]"}},
      .needs = std::vector<std::string>{"conv2d"},
      .bind = [=](const ParameterValues& values) {
        const Window2 window{.stride = values.size("stride"),
                             .padding = values.size("padding"),
                             .dilation = values.size("dilation"),
                             .output_padding = transposed ? values.size("output_padding") : Size2{0, 0},
                             .groups = values.integer("groups")};
        return [=](const Operands& operands) {
          return std::vector{function(operands.inputs[0], operands.inputs[1], window, operands.options())};
        };
      }};
}

using Pool = Tensor (*)(const Tensor&, Size2, Size2, const CallOptions&);

Runnable pool(const std::string& name, const std::string& summary, Pool function) {
  return {.name = name,
          .summary = summary,
          .inputs = {{"x", "[b, c, h, w]"}},
          .parameters = {{"kernel", size, {}, "the window"}, {"stride", size, {}, "step of the window"}},
          .outputs = {{"y", "[b, c, (h - kernel) / stride + 1, w alike]"}},
          .bind = [=](const ParameterValues& values) {
            return [=, kernel = values.size("kernel"),
                    stride = values.size("stride")](const Operands& operands) {
              return std::vector{function(operands.inputs[0], kernel, stride, operands.options())};
            };
          }};
}

}  // namespace

std::vector<Runnable> image_runnables() {
  return {
      convolution("conv1d", "cross-correlation of signals with kernels", &conv1d, false),
      convolution("conv2d", "cross-correlation of images with kernels", &conv2d, false),
      convolution("conv_transpose1d", "the gradient of conv1d by its input", &conv_transpose1d, true),
      convolution("conv_transpose2d", "the gradient of conv2d by its input", &conv_transpose2d, true),
      pool("avg_pool2d", "the average of each window", &avg_pool2d),
      pool("max_pool2d", "the largest element of each window", &max_pool2d),
      {.name = "upsample_nearest1d",
       .summary = "signals resized, each element the nearest one",
       .inputs = {{"x", "[b, c, l]"}},
       .parameters = {{"length", integer, {}, "the result's", "8"}},
       .outputs = {{"y", "[b, c, length]"}},
       .needs = std::vector<std::string>{"upsample_nearest2d"},
       .bind =
           [](const ParameterValues& values) {
             return [length = values.integer("length")](const Operands& operands) {
               return std::vector{upsample_nearest1d(operands.inputs[0], length, operands.options())};
             };
           }},
      {.name = "upsample_nearest2d",
       .summary = "images resized, each element the nearest one",
       .inputs = {{"x", "[b, c, h, w]"}},
       .parameters = {{"size", size, {}, "the result's", "8,8"}},
       .outputs = {{"y", "[b, c, height, width]"}},
       .bind =
           [](const ParameterValues& values) {
             return [to = values.size("size")](const Operands& operands) {
               return std::vector{upsample_nearest2d(operands.inputs[0], to, operands.options())};
             };
           }},
      {.name = "upsample_bilinear2d",
       .summary = "images resized, each element interpolated between the four nearest ones",
       .inputs = {{"x", "[b, c, h, w]"}},
       .parameters = {{"size", size, {}, "the result's", "8,8"},
                      {"align_corners", flag, "false",
                       "the corner elements coincide, not the images' corners"},
                      {"scale", scale, "none", "output elements to one of the input; none: as size says"}},
       .outputs = {{"y", "[b, c, height, width]"}},
       .bind =
           [](const ParameterValues& values) {
             return [to = values.size("size"), align = values.flag("align_corners"),
                     by = values.scale("scale")](const Operands& operands) {
               return std::vector{upsample_bilinear2d(operands.inputs[0], to, align, by, operands.options())};
             };
           }},
  };
}

}  // namespace kernelgen::tool
