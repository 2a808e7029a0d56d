#include "call.hpp"

using kernelgen::CallOptions;
using kernelgen::Tensor;
using namespace kernelgen::capi;

kernelgen_status kernelgen_softmax(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                   const kernelgen_stream* stream, kernelgen_tensor** result) {
  return guarded(__func__, [&] {
    const Tensor& source = input(x, "x");
    run(out, stream, result, [&](const CallOptions& options) { return kernelgen::softmax(source, options); });
  });
}

kernelgen_status kernelgen_log_softmax(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                       const kernelgen_stream* stream, kernelgen_tensor** result) {
  return guarded(__func__, [&] {
    const Tensor& source = input(x, "x");
    run(out, stream, result,
        [&](const CallOptions& options) { return kernelgen::log_softmax(source, options); });
  });
}

kernelgen_status kernelgen_rms_norm(const kernelgen_tensor* x, const kernelgen_tensor* weight, double eps,
                                    const kernelgen_tensor* out, const kernelgen_stream* stream,
                                    kernelgen_tensor** result) {
  return guarded(__func__, [&] {
    const Tensor& source = input(x, "x");
    const Tensor& scale = input(weight, "weight");
    run(out, stream, result,
        [&](const CallOptions& options) { return kernelgen::rms_norm(source, scale, eps, options); });
  });
}

kernelgen_status kernelgen_layer_norm(const kernelgen_tensor* x, const kernelgen_tensor* weight,
                                      const kernelgen_tensor* bias, double eps, const kernelgen_tensor* out,
                                      const kernelgen_stream* stream, kernelgen_tensor** result) {
  return guarded(__func__, [&] {
    const Tensor& source = input(x, "x");
    const Tensor& scale = input(weight, "weight");
    const Tensor& shift = input(bias, "bias");
    run(out, stream, result, [&](const CallOptions& options) {
      return kernelgen::layer_norm(source, scale, shift, eps, options);
    });
  });
}
