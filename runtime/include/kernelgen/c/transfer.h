#ifndef KERNELGEN_C_TRANSFER_H
#define KERNELGEN_C_TRANSFER_H
/* Copies that the host does not wait for: between a device and memory of the host that it copies by itself, and between
 * devices. Included by kernelgen.h. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Memory of the host that does not move, uninitialised, so that a device copies from and to it while the host and other
 * streams work on. What the host reads and writes in it is the caller's to order: behind a wait for the stream, or an
 * event. Errors: KERNELGEN_OUT_OF_MEMORY. */
kernelgen_status kernelgen_pinned_new(const kernelgen_device* device, size_t bytes,
                                      kernelgen_pinned** pinned);

/* NULL is allowed. The memory goes behind the copies that are under way, and is kept for those to come, as it is slow to
 * make. */
void kernelgen_pinned_release(kernelgen_pinned* pinned);

/* `*data` points to `*bytes` bytes that belong to the handle. `bytes` may be NULL. */
kernelgen_status kernelgen_pinned_data(const kernelgen_pinned* pinned, void** data, size_t* bytes);

/* Puts a copy into the stream: of the bytes from `offset` on to the tensor's elements, in row-major order. Part of a graph,
 * each launch copies what is there then, and the memory stays as long as the graph. Errors: KERNELGEN_INVALID_ARGUMENT for
 * a tensor that is not contiguous, of another device, or that takes more bytes than there are; KERNELGEN_DEVICE_ERROR. */
kernelgen_status kernelgen_upload(const kernelgen_tensor* destination, const kernelgen_pinned* source,
                                  size_t offset, const kernelgen_stream* stream);

/* The other way, of a tensor of any layout. Errors: those of kernelgen_upload. */
kernelgen_status kernelgen_download(const kernelgen_pinned* destination, const kernelgen_tensor* source,
                                    size_t offset, const kernelgen_stream* stream);

/* The elements on another device, contiguous. The copy begins behind what is in `from`, a stream of the tensor's device,
 * and what comes later in `to`, of the other, waits for it. Between GPUs of one kind the host waits for nothing, and the copy
 * goes from one to the other where they reach each other; else it goes by the host, which waits for it. On the same device
 * it is kernelgen_copy. Errors: KERNELGEN_INVALID_ARGUMENT while the thread captures a graph; KERNELGEN_OUT_OF_MEMORY,
 * KERNELGEN_DEVICE_ERROR. */
kernelgen_status kernelgen_tensor_to_device(const kernelgen_tensor* tensor, const kernelgen_device* device,
                                            const kernelgen_stream* from, const kernelgen_stream* to,
                                            kernelgen_tensor** result);

#ifdef __cplusplus
}
#endif

#endif
