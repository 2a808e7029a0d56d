#include "call.hpp"

using kernelgen::CallOptions;
using kernelgen::Sorted;
using kernelgen::Tensor;
using namespace kernelgen::capi;

kernelgen_status kernelgen_arg_sort(const kernelgen_tensor* x, int ascending, const kernelgen_tensor* out,
                                    const kernelgen_stream* stream, kernelgen_tensor** result) {
  return guarded(__func__, [&] {
    const Tensor& source = input(x, "x");
    run(out, stream, result,
        [&](const CallOptions& options) { return kernelgen::arg_sort(source, ascending != 0, options); });
  });
}

kernelgen_status kernelgen_sort(const kernelgen_tensor* x, int ascending, const kernelgen_tensor* out_values,
                                const kernelgen_tensor* out_indices, const kernelgen_stream* stream,
                                kernelgen_tensor** values, kernelgen_tensor** indices) {
  return guarded(__func__, [&] {
    const Tensor& source = input(x, "x");
    const OneOfResults first{out_values, values, "values"}, second{out_indices, indices, "indices"};
    Sorted sorted =
        kernelgen::sort(source, ascending != 0, {stream_of(stream), first.given(), second.given()});
    give_both(first, std::move(sorted.values), second, std::move(sorted.indices));
  });
}
