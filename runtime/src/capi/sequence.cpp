#include "call.hpp"

using namespace kernelgen::capi;

kernelgen_status kernelgen_arange(const kernelgen_device* device, kernelgen_scalar start,
                                  kernelgen_scalar stop, kernelgen_scalar step, kernelgen_dtype dtype,
                                  const kernelgen_tensor* out, const kernelgen_stream* stream,
                                  kernelgen_tensor** result) {
  return call_function(
      __func__, kernelgen::arange, out, stream, result,
      [&]() -> const kernelgen::Device& { return need(device, "device").device; }, start, stop, step,
      [&] { return need_dtype(dtype, "dtype"); });
}

kernelgen_status kernelgen_timestep_embedding(const kernelgen_tensor* x, int64_t columns, double max_period,
                                              const kernelgen_tensor* out, const kernelgen_stream* stream,
                                              kernelgen_tensor** result) {
  return call_function(__func__, kernelgen::timestep_embedding, out, stream, result, Named{x, "x"}, columns,
                       max_period);
}
