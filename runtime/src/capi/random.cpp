#include "call.hpp"

using namespace kernelgen::capi;

#define KERNELGEN_DEFINE(op)                                                                              \
  kernelgen_status kernelgen_##op(const kernelgen_device* device, size_t rank, const int64_t* shape,      \
                                  kernelgen_dtype dtype, kernelgen_scalar a, kernelgen_scalar b,          \
                                  const kernelgen_tensor* out, const kernelgen_stream* stream,            \
                                  kernelgen_tensor** result) {                                            \
    return call_function(                                                                                 \
        __func__, kernelgen::op, out, stream, result,                                                     \
        [&]() -> const kernelgen::Device& { return need(device, "device").device; },                      \
        [&] { return dims_of(rank, shape, "shape"); }, [&] { return need_dtype(dtype, "dtype"); }, a, b); \
  }
KERNELGEN_DEFINE(rand_uniform)
KERNELGEN_DEFINE(rand_normal)
#undef KERNELGEN_DEFINE
