#include "call.hpp"

using kernelgen::CallOptions;
using kernelgen::Tensor;
using namespace kernelgen::capi;

#define KERNELGEN_DEFINE(op)                                                                           \
  kernelgen_status kernelgen_##op(const kernelgen_tensor* x, const kernelgen_tensor* cos,              \
                                  const kernelgen_tensor* sin, const kernelgen_tensor* out,            \
                                  const kernelgen_stream* stream, kernelgen_tensor** result) {         \
    return guarded(__func__, [&] {                                                                     \
      const Tensor& source = input(x, "x");                                                            \
      const Tensor& cosines = input(cos, "cos");                                                       \
      const Tensor& sines = input(sin, "sin");                                                         \
      run(out, stream, result,                                                                         \
          [&](const CallOptions& options) { return kernelgen::op(source, cosines, sines, options); }); \
    });                                                                                                \
  }
KERNELGEN_DEFINE(rope)
KERNELGEN_DEFINE(rope_i)
KERNELGEN_DEFINE(rope_thd)
#undef KERNELGEN_DEFINE
