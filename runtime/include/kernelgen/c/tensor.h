#ifndef KERNELGEN_C_TENSOR_H
#define KERNELGEN_C_TENSOR_H
/* Tensors, views of them, and their exchange with other libraries by DLPack. Included by kernelgen.h.
 *
 * A shape or strides are `rank` numbers, rank 0 to 8; NULL is allowed for rank 0. Strides and offsets count
 * elements. Every function that takes `dtype` returns KERNELGEN_INVALID_ARGUMENT for a number that is no
 * dtype, every one that takes a shape for a negative extent, a rank above 8 or more than 2^63 - 1 elements, every one
 * that takes a stream for one of another device.
 */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

struct DLManagedTensor; /* of dlpack/dlpack.h, which is needed only to look inside */

/* ---- made and read ---- */

/* A contiguous tensor of its own memory, uninitialised. Errors: KERNELGEN_OUT_OF_MEMORY. */
kernelgen_status kernelgen_tensor_empty(const kernelgen_device* device, kernelgen_dtype dtype, size_t rank,
                                        const int64_t* shape, const kernelgen_stream* stream,
                                        kernelgen_tensor** tensor);

/* The same, filled with zeros. Errors: KERNELGEN_OUT_OF_MEMORY, KERNELGEN_DEVICE_ERROR. */
kernelgen_status kernelgen_tensor_zeros(const kernelgen_device* device, kernelgen_dtype dtype, size_t rank,
                                        const int64_t* shape, const kernelgen_stream* stream,
                                        kernelgen_tensor** tensor);

/* Copies `bytes` bytes of row-major elements to a new tensor; `data` is not needed afterwards.
 * Errors: KERNELGEN_INVALID_ARGUMENT when the size is not that of the shape; KERNELGEN_OUT_OF_MEMORY,
 * KERNELGEN_DEVICE_ERROR. */
kernelgen_status kernelgen_tensor_from_host(const kernelgen_device* device, const void* data, size_t bytes,
                                            kernelgen_dtype dtype, size_t rank, const int64_t* shape,
                                            const kernelgen_stream* stream, kernelgen_tensor** tensor);

/* A contiguous tensor over `bytes` bytes of the device's memory that somebody else owns. `release(context)`
 * is called once, from whatever thread drops the last tensor over the memory, when this function succeeded;
 * never when it failed. `release` may be NULL. Errors: KERNELGEN_INVALID_ARGUMENT when the memory is too
 * small for the shape, or not aligned to the dtype's size. */
kernelgen_status kernelgen_tensor_borrow(const kernelgen_device* device, void* data, size_t bytes,
                                         kernelgen_dtype dtype, size_t rank, const int64_t* shape,
                                         void (*release)(void* context), void* context,
                                         kernelgen_tensor** tensor);

/* NULL is allowed. The memory goes with the last tensor over it. */
void kernelgen_tensor_release(kernelgen_tensor* tensor);

/* Another handle of the same tensor. */
kernelgen_status kernelgen_tensor_share(const kernelgen_tensor* tensor, kernelgen_tensor** shared);

/* Writes the elements in row-major order to `data`, after everything in `stream` is done. Any layout.
 * Errors: KERNELGEN_INVALID_ARGUMENT when `bytes` is not kernelgen_tensor_bytes; KERNELGEN_OUT_OF_MEMORY; what
 * kernelgen_stream_synchronize reports of `stream`, the default queue included. */
kernelgen_status kernelgen_tensor_to_host(const kernelgen_tensor* tensor, void* data, size_t bytes,
                                          const kernelgen_stream* stream);

/* `*shape` and `*strides` point to `*rank` numbers that belong to the handle. `rank` may be NULL. */
kernelgen_status kernelgen_tensor_shape(const kernelgen_tensor* tensor, const int64_t** shape, size_t* rank);
kernelgen_status kernelgen_tensor_strides(const kernelgen_tensor* tensor, const int64_t** strides,
                                          size_t* rank);

/* The element type. */
kernelgen_status kernelgen_tensor_dtype(const kernelgen_tensor* tensor, kernelgen_dtype* dtype);
/* Number of elements. */
kernelgen_status kernelgen_tensor_elements(const kernelgen_tensor* tensor, int64_t* elements);
/* Bytes of the elements one after the other: what kernelgen_tensor_to_host writes. */
kernelgen_status kernelgen_tensor_bytes(const kernelgen_tensor* tensor, size_t* bytes);
/* 1 when the elements follow one another in row-major order, or there are none. */
kernelgen_status kernelgen_tensor_is_contiguous(const kernelgen_tensor* tensor, int* contiguous);
/* Position of the first element in the memory the tensor is a view of. */
kernelgen_status kernelgen_tensor_offset(const kernelgen_tensor* tensor, int64_t* offset);
/* Address of the first element, on the device; valid as long as a tensor over the memory lives. */
kernelgen_status kernelgen_tensor_data(const kernelgen_tensor* tensor, void** data);
/* Before work that reads the elements, or writes them too (1), is put into the stream by other ways than this library's
 * operations, by kernelgen_launch, say: see kernelgen_device_follow_streams. Errors: KERNELGEN_DEVICE_ERROR. */
kernelgen_status kernelgen_tensor_use(const kernelgen_tensor* tensor, const kernelgen_stream* stream,
                                      int writes);
/* The device of the tensor, under a handle of its own. */
kernelgen_status kernelgen_tensor_device(const kernelgen_tensor* tensor, kernelgen_device** device);

/* ---- views: the same memory, nothing is moved ---- */

/* Each gives a new tensor. A negative `dim` counts from the end. Errors: KERNELGEN_INVALID_ARGUMENT, naming
 * the shape, when the view does not exist. */
kernelgen_status kernelgen_tensor_transpose(const kernelgen_tensor* tensor, int64_t dim0, int64_t dim1,
                                            kernelgen_tensor** view);
/* Dim i of the view is dim order[i]; `rank` must be the tensor's. */
kernelgen_status kernelgen_tensor_permute(const kernelgen_tensor* tensor, size_t rank, const int64_t* order,
                                          kernelgen_tensor** view);
/* Positions start to start + length - 1 of a dim. */
kernelgen_status kernelgen_tensor_narrow(const kernelgen_tensor* tensor, int64_t dim, int64_t start,
                                         int64_t length, kernelgen_tensor** view);
/* NumPy's rule: trailing dims match or are 1. */
kernelgen_status kernelgen_tensor_broadcast_to(const kernelgen_tensor* tensor, size_t rank,
                                               const int64_t* shape, kernelgen_tensor** view);
/* The same elements in row-major order under another shape. Also an error when that takes a copy:
 * kernelgen_copy first. */
kernelgen_status kernelgen_tensor_reshape(const kernelgen_tensor* tensor, size_t rank, const int64_t* shape,
                                          kernelgen_tensor** view);
/* Drops a dim of extent 1, adds one before `dim`. */
kernelgen_status kernelgen_tensor_squeeze(const kernelgen_tensor* tensor, int64_t dim,
                                          kernelgen_tensor** view);
kernelgen_status kernelgen_tensor_unsqueeze(const kernelgen_tensor* tensor, int64_t dim,
                                            kernelgen_tensor** view);
/* Any layout over the tensor's memory; also an error when it reaches outside. */
kernelgen_status kernelgen_tensor_as_strided(const kernelgen_tensor* tensor, size_t rank,
                                             const int64_t* shape, const int64_t* strides, int64_t offset,
                                             kernelgen_tensor** view);

/* ---- DLPack ---- */

/* The tensor as DLPack (unversioned struct, as of DLPack 0.6), sharing its memory. The receiver calls its
 * deleter once when done; until then the memory lives. DLPack names no stream: synchronize first where the
 * receiver works on another. f8e4m3 is exported under the code that DLPack 1.1 gave it, 10 (see dlpack.hpp).
 */
kernelgen_status kernelgen_tensor_to_dlpack(const kernelgen_tensor* tensor, struct DLManagedTensor** managed);

/* A tensor over memory that came by DLPack, which must be on `device`. On success the tensor owns `managed`
 * and calls its deleter once, when the last tensor over the memory goes; on an error the caller keeps it.
 * Errors: KERNELGEN_INVALID_ARGUMENT for another device, a dtype or layout we do not have, or a malformed
 * tensor. */
kernelgen_status kernelgen_tensor_from_dlpack(struct DLManagedTensor* managed, const kernelgen_device* device,
                                              kernelgen_tensor** tensor);

#ifdef __cplusplus
}
#endif

#endif
