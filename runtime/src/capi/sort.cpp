#include <memory>

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
    if (out_values == nullptr) need(values, "values");
    if (out_indices == nullptr) need(indices, "indices");
    Sorted sorted = kernelgen::sort(source, ascending != 0,
                                    {stream_of(stream), out_values == nullptr ? nullptr : &out_values->tensor,
                                     out_indices == nullptr ? nullptr : &out_indices->tensor});
    // Both handles or none.
    std::unique_ptr<kernelgen_tensor> places;
    if (indices != nullptr) places.reset(new kernelgen_tensor{std::move(sorted.indices)});
    if (values != nullptr) *values = new kernelgen_tensor{std::move(sorted.values)};
    if (indices != nullptr) *indices = places.release();
  });
}
