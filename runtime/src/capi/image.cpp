#include <optional>

#include "call.hpp"

using kernelgen::Size2;
using namespace kernelgen::capi;

namespace {

Size2 size_of(kernelgen_size2 size) { return {size.height, size.width}; }
kernelgen::Window1 window_of(const kernelgen_window1& window) {
  return {window.stride, window.padding, window.dilation, window.output_padding, window.groups};
}
kernelgen::Window2 window_of(const kernelgen_window2& window) {
  return {size_of(window.stride), size_of(window.padding), size_of(window.dilation),
          size_of(window.output_padding), window.groups};
}
std::optional<double> optional_of(const double* value) {
  return value == nullptr ? std::nullopt : std::optional(*value);
}

}  // namespace

#define KERNELGEN_DEFINE(op)                                                                                 \
  kernelgen_status kernelgen_##op(const kernelgen_tensor* x, kernelgen_size2 kernel, kernelgen_size2 stride, \
                                  const kernelgen_tensor* out, const kernelgen_stream* stream,               \
                                  kernelgen_tensor** result) {                                               \
    return call_function(__func__, kernelgen::op, out, stream, result, Named{x, "x"}, size_of(kernel),       \
                         size_of(stride));                                                                   \
  }
KERNELGEN_DEFINE(avg_pool2d)
KERNELGEN_DEFINE(max_pool2d)
#undef KERNELGEN_DEFINE

kernelgen_status kernelgen_upsample_nearest1d(const kernelgen_tensor* x, int64_t length,
                                              const kernelgen_tensor* out, const kernelgen_stream* stream,
                                              kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::upsample_nearest1d, out, stream, result, Named{x, "x"}, length);
}

kernelgen_status kernelgen_upsample_nearest2d(const kernelgen_tensor* x, kernelgen_size2 size,
                                              const kernelgen_tensor* out, const kernelgen_stream* stream,
                                              kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::upsample_nearest2d, out, stream, result, Named{x, "x"},
                       size_of(size));
}

kernelgen_status kernelgen_upsample_bilinear2d(const kernelgen_tensor* x, kernelgen_size2 size,
                                               int align_corners, const double* scale_height,
                                               const double* scale_width, const kernelgen_tensor* out,
                                               const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::upsample_bilinear2d, out, stream, result, Named{x, "x"},
                       size_of(size), align_corners != 0,
                       kernelgen::Scale2{optional_of(scale_height), optional_of(scale_width)});
}

#define KERNELGEN_DEFINE(op, Window)                                                                        \
  kernelgen_status kernelgen_##op(const kernelgen_tensor* x, const kernelgen_tensor* weight, Window window, \
                                  const kernelgen_tensor* out, const kernelgen_stream* stream,              \
                                  kernelgen_tensor** result) {                                              \
    return call_function(__func__, kernelgen::op, out, stream, result, Named{x, "x"},                       \
                         Named{weight, "weight"}, window_of(window));                                       \
  }
KERNELGEN_DEFINE(conv1d, kernelgen_window1)
KERNELGEN_DEFINE(conv2d, kernelgen_window2)
KERNELGEN_DEFINE(conv_transpose1d, kernelgen_window1)
KERNELGEN_DEFINE(conv_transpose2d, kernelgen_window2)
#undef KERNELGEN_DEFINE
