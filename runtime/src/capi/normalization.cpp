#include "call.hpp"

using kernelgen::AddedNorm;
using kernelgen::Tensor;
using namespace kernelgen::capi;

kernelgen_status kernelgen_softmax(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                   const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::softmax, out, stream, result, Named{x, "x"});
}

kernelgen_status kernelgen_scaled_softmax(const kernelgen_tensor* x, double scale,
                                          const kernelgen_tensor* mask, const kernelgen_tensor* slopes,
                                          const kernelgen_tensor* sinks, const kernelgen_tensor* out,
                                          const kernelgen_stream* stream, kernelgen_tensor** result) {
  return guarded(__func__, [&] {
    const Tensor& source = input(x, "x");
    const auto optional = [](const kernelgen_tensor* handle) {
      return handle == nullptr ? nullptr : &handle->tensor;
    };
    run(out, stream, result, [&](const kernelgen::CallOptions& options) {
      return kernelgen::scaled_softmax(source, {.stream = options.stream,
                                                .out = options.out,
                                                .scale = scale,
                                                .mask = optional(mask),
                                                .slopes = optional(slopes),
                                                .sinks = optional(sinks)});
    });
  });
}

kernelgen_status kernelgen_log_softmax(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                       const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::log_softmax, out, stream, result, Named{x, "x"});
}

kernelgen_status kernelgen_rms_norm(const kernelgen_tensor* x, const kernelgen_tensor* weight, double eps,
                                    const kernelgen_tensor* out, const kernelgen_stream* stream,
                                    kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::rms_norm, out, stream, result, Named{x, "x"},
                       Named{weight, "weight"}, eps);
}

kernelgen_status kernelgen_layer_norm(const kernelgen_tensor* x, const kernelgen_tensor* weight,
                                      const kernelgen_tensor* bias, double eps, const kernelgen_tensor* out,
                                      const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::layer_norm, out, stream, result, Named{x, "x"},
                       Named{weight, "weight"}, Named{bias, "bias"}, eps);
}

#define KERNELGEN_DEFINE(op)                                                                          \
  kernelgen_status kernelgen_##op(const kernelgen_tensor* x, double eps, const kernelgen_tensor* out, \
                                  const kernelgen_stream* stream, kernelgen_tensor** result) {        \
    return call_function(__func__, kernelgen::op, out, stream, result, Named{x, "x"}, eps);           \
  }
KERNELGEN_DEFINE(plain_rms_norm)
KERNELGEN_DEFINE(plain_layer_norm)
KERNELGEN_DEFINE(l2_norm)
#undef KERNELGEN_DEFINE

kernelgen_status kernelgen_group_norm(const kernelgen_tensor* x, int64_t groups, double eps,
                                      const kernelgen_tensor* out, const kernelgen_stream* stream,
                                      kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::group_norm, out, stream, result, Named{x, "x"}, groups, eps);
}

kernelgen_status kernelgen_add_rms_norm(const kernelgen_tensor* x, const kernelgen_tensor* residual,
                                        const kernelgen_tensor* weight, double eps,
                                        const kernelgen_tensor* out_sum, const kernelgen_tensor* out_norm,
                                        const kernelgen_stream* stream, kernelgen_tensor** sum,
                                        kernelgen_tensor** norm) {
  return guarded(__func__, [&] {
    const Tensor &source = input(x, "x"), &added = input(residual, "residual"),
                 &scale = input(weight, "weight");
    const OneOfResults first{out_sum, sum, "sum"}, second{out_norm, norm, "norm"};
    AddedNorm results = kernelgen::add_rms_norm(source, added, scale, eps,
                                                {stream_of(stream), first.given(), second.given()});
    give_both(first, std::move(results.sum), second, std::move(results.norm));
  });
}

kernelgen_status kernelgen_add_layer_norm(const kernelgen_tensor* x, const kernelgen_tensor* residual,
                                          const kernelgen_tensor* weight, const kernelgen_tensor* bias,
                                          double eps, const kernelgen_tensor* out_sum,
                                          const kernelgen_tensor* out_norm, const kernelgen_stream* stream,
                                          kernelgen_tensor** sum, kernelgen_tensor** norm) {
  return guarded(__func__, [&] {
    const Tensor &source = input(x, "x"), &added = input(residual, "residual"),
                 &scale = input(weight, "weight"), &shift = input(bias, "bias");
    const OneOfResults first{out_sum, sum, "sum"}, second{out_norm, norm, "norm"};
    AddedNorm results = kernelgen::add_layer_norm(source, added, scale, shift, eps,
                                                  {stream_of(stream), first.given(), second.given()});
    give_both(first, std::move(results.sum), second, std::move(results.norm));
  });
}
