#include "call.hpp"

using kernelgen::CallOptions;
using namespace kernelgen::capi;

#define KERNELGEN_DEFINE(op)                                                                         \
  kernelgen_status kernelgen_##op(const kernelgen_device* device, size_t rank, const int64_t* shape, \
                                  kernelgen_dtype dtype, kernelgen_scalar a, kernelgen_scalar b,     \
                                  const kernelgen_tensor* out, const kernelgen_stream* stream,       \
                                  kernelgen_tensor** result) {                                       \
    return guarded(__func__, [&] {                                                                   \
      const kernelgen::Device& opened = need(device, "device").device;                               \
      const kernelgen::Dims dims = dims_of(rank, shape, "shape");                                    \
      const kernelgen::DType type = need_dtype(dtype, "dtype");                                      \
      run(out, stream, result, [&](const CallOptions& options) {                                     \
        return kernelgen::op(opened, dims, type, scalar_of(a), scalar_of(b), options);               \
      });                                                                                            \
    });                                                                                              \
  }
KERNELGEN_DEFINE(rand_uniform)
KERNELGEN_DEFINE(rand_normal)
#undef KERNELGEN_DEFINE
