#include "call.hpp"

using namespace kernelgen::capi;

kernelgen_status kernelgen_matmul(const kernelgen_tensor* a, const kernelgen_tensor* b,
                                  const kernelgen_tensor* out, const kernelgen_stream* stream,
                                  kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::matmul, out, stream, result, Named{a, "a"}, Named{b, "b"});
}
