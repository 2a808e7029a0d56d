#include "call.hpp"

using kernelgen::QueriesAndKeys;
using kernelgen::Tensor;
using namespace kernelgen::capi;

#define KERNELGEN_DEFINE(op)                                                                             \
  kernelgen_status kernelgen_##op(const kernelgen_tensor* x, const kernelgen_tensor* cos,                \
                                  const kernelgen_tensor* sin, const kernelgen_tensor* out,              \
                                  const kernelgen_stream* stream, kernelgen_tensor** result) {           \
    return call_function(__func__, kernelgen::op, out, stream, result, Named{x, "x"}, Named{cos, "cos"}, \
                         Named{sin, "sin"});                                                             \
  }
KERNELGEN_DEFINE(rope)
KERNELGEN_DEFINE(rope_i)
KERNELGEN_DEFINE(rope_thd)
#undef KERNELGEN_DEFINE

#define KERNELGEN_DEFINE(op)                                                                                \
  kernelgen_status kernelgen_##op(                                                                          \
      const kernelgen_tensor* q, const kernelgen_tensor* k, const kernelgen_tensor* cos,                    \
      const kernelgen_tensor* sin, const kernelgen_tensor* out_q, const kernelgen_tensor* out_k,            \
      const kernelgen_stream* stream, kernelgen_tensor** q_result, kernelgen_tensor** k_result) {           \
    return guarded(__func__, [&] {                                                                          \
      const Tensor &queries = input(q, "q"), &keys = input(k, "k");                                         \
      const Tensor &cosines = input(cos, "cos"), &sines = input(sin, "sin");                                \
      const OneOfResults first{out_q, q_result, "q_result"}, second{out_k, k_result, "k_result"};           \
      QueriesAndKeys results =                                                                              \
          kernelgen::op(queries, keys, cosines, sines, {stream_of(stream), first.given(), second.given()}); \
      give_both(first, std::move(results.q), second, std::move(results.k));                                 \
    });                                                                                                     \
  }
KERNELGEN_DEFINE(rope_qk)
KERNELGEN_DEFINE(rope_i_qk)
KERNELGEN_DEFINE(rope_thd_qk)
#undef KERNELGEN_DEFINE
