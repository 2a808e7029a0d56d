#ifndef KERNELGEN_C_TRANSFER_H
#define KERNELGEN_C_TRANSFER_H
/* Asynchronous copies between a device and pinned host memory, and between devices. Included by
 * kernelgen.h. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Allocates uninitialized pinned (page-locked) host memory, which a device copies to and from while the host
 * and other streams continue. The caller orders host access to it: wait for the stream or an event first.
 * Errors: KERNELGEN_OUT_OF_MEMORY. */
kernelgen_status kernelgen_pinned_new(const kernelgen_device* device, size_t bytes,
                                      kernelgen_pinned** pinned);

/* NULL is allowed. The memory is released after pending copies and cached for reuse, since pinned allocation
 * is slow. */
void kernelgen_pinned_release(kernelgen_pinned* pinned);

/* Sets `*data` to `*bytes` bytes that belong to the handle. `bytes` may be NULL. */
kernelgen_status kernelgen_pinned_data(const kernelgen_pinned* pinned, void** data, size_t* bytes);

/* Submits a copy from the pinned memory, starting at byte `offset`, to the tensor's elements in row-major
 * order. In a graph, each launch copies the memory's contents at that time, and the memory lives as long as
 * the graph. Errors: KERNELGEN_INVALID_ARGUMENT for a tensor that is not contiguous, is on another device, or
 * has more bytes than remain; KERNELGEN_DEVICE_ERROR. */
kernelgen_status kernelgen_upload(const kernelgen_tensor* destination, const kernelgen_pinned* source,
                                  size_t offset, const kernelgen_stream* stream);

/* The opposite direction, from a tensor of any layout. Errors: those of kernelgen_upload. */
kernelgen_status kernelgen_download(const kernelgen_pinned* destination, const kernelgen_tensor* source,
                                    size_t offset, const kernelgen_stream* stream);

/* Copies a tensor to another device; the result is contiguous. The copy starts after the work in `from`, a
 * stream of the tensor's device. Later work in `to`, a stream of the target device, waits for the copy.
 * Between GPUs of the same kind the host does not wait, and the copy is peer-to-peer if the GPUs can access
 * each other. All other copies go through host memory, and the host waits for them. On the same device this
 * is kernelgen_copy. Errors: KERNELGEN_INVALID_ARGUMENT while the thread captures a graph;
 * KERNELGEN_OUT_OF_MEMORY, KERNELGEN_DEVICE_ERROR. */
kernelgen_status kernelgen_tensor_to_device(const kernelgen_tensor* tensor, const kernelgen_device* device,
                                            const kernelgen_stream* from, const kernelgen_stream* to,
                                            kernelgen_tensor** result);

#ifdef __cplusplus
}
#endif

#endif
