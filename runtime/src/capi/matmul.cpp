#include "call.hpp"

using kernelgen::CallOptions;
using kernelgen::Tensor;
using namespace kernelgen::capi;

kernelgen_status kernelgen_matmul(const kernelgen_tensor* a, const kernelgen_tensor* b,
                                  const kernelgen_tensor* out, const kernelgen_stream* stream,
                                  kernelgen_tensor** result) {
  return guarded(__func__, [&] {
    const Tensor &left = input(a, "a"), &right = input(b, "b");
    run(out, stream, result,
        [&](const CallOptions& options) { return kernelgen::matmul(left, right, options); });
  });
}
