#include "call.hpp"

using kernelgen::CallOptions;
using kernelgen::Tensor;
using namespace kernelgen::capi;

kernelgen_status kernelgen_cumsum(const kernelgen_tensor* x, int64_t dim, const kernelgen_tensor* out,
                                  const kernelgen_stream* stream, kernelgen_tensor** result) {
  return guarded(__func__, [&] {
    const Tensor& source = input(x, "x");
    run(out, stream, result,
        [&](const CallOptions& options) { return kernelgen::cumsum(source, dim, options); });
  });
}
