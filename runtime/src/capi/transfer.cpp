#include "kernelgen/transfer.hpp"

#include "handles.hpp"

using namespace kernelgen::capi;

kernelgen_status kernelgen_pinned_new(const kernelgen_device* device, size_t bytes,
                                      kernelgen_pinned** pinned) {
  return guarded(__func__, [&] {
    const auto& opened = need(device, "device").device;
    give(pinned, "pinned", [&] { return kernelgen::PinnedMemory(opened, bytes); });
  });
}

void kernelgen_pinned_release(kernelgen_pinned* pinned) { delete pinned; }

kernelgen_status kernelgen_pinned_data(const kernelgen_pinned* pinned, void** data, size_t* bytes) {
  return guarded(__func__, [&] {
    const auto memory = need(pinned, "pinned").memory.bytes();
    need(data, "data") = memory.data();
    if (bytes != nullptr) *bytes = memory.size();
  });
}

kernelgen_status kernelgen_upload(const kernelgen_tensor* destination, const kernelgen_pinned* source,
                                  size_t offset, const kernelgen_stream* stream) {
  return guarded(__func__, [&] {
    kernelgen::upload(need(destination, "destination").tensor, need(source, "source").memory, offset,
                      stream_of(stream));
  });
}

kernelgen_status kernelgen_download(const kernelgen_pinned* destination, const kernelgen_tensor* source,
                                    size_t offset, const kernelgen_stream* stream) {
  return guarded(__func__, [&] {
    kernelgen::download(need(destination, "destination").memory, need(source, "source").tensor, offset,
                        stream_of(stream));
  });
}

kernelgen_status kernelgen_tensor_to_device(const kernelgen_tensor* tensor, const kernelgen_device* device,
                                            const kernelgen_stream* from, const kernelgen_stream* to,
                                            kernelgen_tensor** result) {
  return guarded(__func__, [&] {
    const auto& x = need(tensor, "tensor").tensor;
    const auto& opened = need(device, "device").device;
    give(result, "result", [&] { return kernelgen::to_device(x, opened, {stream_of(from), stream_of(to)}); });
  });
}
