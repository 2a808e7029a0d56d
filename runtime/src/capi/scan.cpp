#include "call.hpp"

using namespace kernelgen::capi;

kernelgen_status kernelgen_cumsum(const kernelgen_tensor* x, int64_t dim, const kernelgen_tensor* out,
                                  const kernelgen_stream* stream, kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::cumsum, out, stream, result, Named{x, "x"}, dim);
}
