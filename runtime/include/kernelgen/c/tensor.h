#ifndef KERNELGEN_C_TENSOR_H
#define KERNELGEN_C_TENSOR_H
/* Tensors, views, and exchange with other libraries through DLPack. Included by kernelgen.h.
 *
 * Shapes and strides are arrays of `rank` numbers, rank 0 to 8; NULL is allowed for rank 0. Strides and
 * offsets are in elements. Every function that takes a `dtype` returns KERNELGEN_INVALID_ARGUMENT for an
 * invalid one; every function that takes a shape, for a negative extent, a rank above 8 or more than 2^63 - 1
 * elements; every function that takes a stream, for a stream of another device. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Defined in dlpack/dlpack.h, which is needed only to access the members. */
struct DLManagedTensor;
struct DLManagedTensorVersioned;

/* ---- creation and access ---- */

/* Allocates a contiguous, uninitialized tensor. Errors: KERNELGEN_OUT_OF_MEMORY. */
kernelgen_status kernelgen_tensor_empty(const kernelgen_device* device, kernelgen_dtype dtype, size_t rank,
                                        const int64_t* shape, const kernelgen_stream* stream,
                                        kernelgen_tensor** tensor);

/* Allocates a contiguous tensor filled with zeros. Errors: KERNELGEN_OUT_OF_MEMORY,
 * KERNELGEN_DEVICE_ERROR. */
kernelgen_status kernelgen_tensor_zeros(const kernelgen_device* device, kernelgen_dtype dtype, size_t rank,
                                        const int64_t* shape, const kernelgen_stream* stream,
                                        kernelgen_tensor** tensor);

/* Copies `bytes` bytes of row-major elements to a new tensor; `data` may be freed after the call. Errors:
 * KERNELGEN_INVALID_ARGUMENT when `bytes` does not match the shape; KERNELGEN_OUT_OF_MEMORY,
 * KERNELGEN_DEVICE_ERROR. */
kernelgen_status kernelgen_tensor_from_host(const kernelgen_device* device, const void* data, size_t bytes,
                                            kernelgen_dtype dtype, size_t rank, const int64_t* shape,
                                            const kernelgen_stream* stream, kernelgen_tensor** tensor);

/* Wraps `bytes` bytes of device memory that the caller owns in a contiguous tensor, without a copy. If this
 * function succeeds, `release(context)` is called exactly once, on the thread that releases the last tensor
 * over the memory; if it fails, never. `release` may be NULL. Errors: KERNELGEN_INVALID_ARGUMENT when the
 * memory is too small for the shape or not aligned to the dtype's size. */
kernelgen_status kernelgen_tensor_borrow(const kernelgen_device* device, void* data, size_t bytes,
                                         kernelgen_dtype dtype, size_t rank, const int64_t* shape,
                                         void (*release)(void* context), void* context,
                                         kernelgen_tensor** tensor);

/* NULL is allowed. The memory is freed with the last tensor over it. */
void kernelgen_tensor_release(kernelgen_tensor* tensor);

/* Returns a new handle of the same tensor. */
kernelgen_status kernelgen_tensor_retain(const kernelgen_tensor* tensor, kernelgen_tensor** shared);

/* Waits for all work in `stream`, then writes the elements to `data` in row-major order. Accepts any layout.
 * Errors: KERNELGEN_INVALID_ARGUMENT when `bytes` differs from kernelgen_tensor_bytes;
 * KERNELGEN_OUT_OF_MEMORY; those that kernelgen_stream_synchronize returns for `stream`, also for the default
 * stream. */
kernelgen_status kernelgen_tensor_to_host(const kernelgen_tensor* tensor, void* data, size_t bytes,
                                          const kernelgen_stream* stream);

/* Sets `*shape` or `*strides` to an array of `*rank` numbers, valid as long as the handle. `rank` may be
 * NULL. */
kernelgen_status kernelgen_tensor_shape(const kernelgen_tensor* tensor, const int64_t** shape, size_t* rank);
kernelgen_status kernelgen_tensor_strides(const kernelgen_tensor* tensor, const int64_t** strides,
                                          size_t* rank);

/* Returns the element type. */
kernelgen_status kernelgen_tensor_dtype(const kernelgen_tensor* tensor, kernelgen_dtype* dtype);
/* Returns the number of elements. */
kernelgen_status kernelgen_tensor_elements(const kernelgen_tensor* tensor, int64_t* elements);
/* Returns the size of the elements in bytes without gaps: what kernelgen_tensor_to_host writes. */
kernelgen_status kernelgen_tensor_bytes(const kernelgen_tensor* tensor, size_t* bytes);
/* Returns 1 if the elements are contiguous in row-major order or the tensor is empty, else 0. */
kernelgen_status kernelgen_tensor_is_contiguous(const kernelgen_tensor* tensor, int* contiguous);
/* Returns the offset of the first element in the underlying memory, in elements. */
kernelgen_status kernelgen_tensor_offset(const kernelgen_tensor* tensor, int64_t* offset);
/* Returns the device address of the first element, valid as long as a tensor over the memory exists. */
kernelgen_status kernelgen_tensor_data(const kernelgen_tensor* tensor, void** data);
/* Declares that work about to be submitted to `stream` reads the elements, or also writes them (`writes` =
 * 1). Call it before work that bypasses this library's operations, such as kernelgen_launch: see
 * kernelgen_device_follow_streams. Errors: KERNELGEN_DEVICE_ERROR. */
kernelgen_status kernelgen_tensor_use(const kernelgen_tensor* tensor, const kernelgen_stream* stream,
                                      int writes);
/* Returns a new handle of the tensor's device. */
kernelgen_status kernelgen_tensor_device(const kernelgen_tensor* tensor, kernelgen_device** device);

/* ---- views: share the memory, copy nothing ---- */

/* Each function returns a new tensor. A negative `dim` counts from the end. Errors:
 * KERNELGEN_INVALID_ARGUMENT with the shape when the view is not possible. */
kernelgen_status kernelgen_tensor_transpose(const kernelgen_tensor* tensor, int64_t dim0, int64_t dim1,
                                            kernelgen_tensor** view);
/* Dim i of the view is dim order[i] of the tensor; `rank` must equal the tensor's. */
kernelgen_status kernelgen_tensor_permute(const kernelgen_tensor* tensor, size_t rank, const int64_t* order,
                                          kernelgen_tensor** view);
/* Indices start to start + length - 1 of one dim. */
kernelgen_status kernelgen_tensor_narrow(const kernelgen_tensor* tensor, int64_t dim, int64_t start,
                                         int64_t length, kernelgen_tensor** view);
/* NumPy's rule: trailing dims are equal or 1. */
kernelgen_status kernelgen_tensor_broadcast_to(const kernelgen_tensor* tensor, size_t rank,
                                               const int64_t* shape, kernelgen_tensor** view);
/* The same elements in row-major order with another shape. A layout that would need a copy is also an error:
 * call kernelgen_copy first. */
kernelgen_status kernelgen_tensor_reshape(const kernelgen_tensor* tensor, size_t rank, const int64_t* shape,
                                          kernelgen_tensor** view);
/* Removes a dim of extent 1; inserts one before `dim`. */
kernelgen_status kernelgen_tensor_squeeze(const kernelgen_tensor* tensor, int64_t dim,
                                          kernelgen_tensor** view);
kernelgen_status kernelgen_tensor_unsqueeze(const kernelgen_tensor* tensor, int64_t dim,
                                            kernelgen_tensor** view);
/* Any layout over the tensor's memory. A layout that reaches outside that memory is also an error. */
kernelgen_status kernelgen_tensor_as_strided(const kernelgen_tensor* tensor, size_t rank,
                                             const int64_t* shape, const int64_t* strides, int64_t offset,
                                             kernelgen_tensor** view);

/* ---- DLPack ---- */

/* Exports the tensor to DLPack's unversioned struct (DLPack 0.6), sharing the memory. The receiver calls the
 * deleter once; the memory stays valid until then. DLPack carries no stream: synchronize first if the
 * receiver uses another stream. f8e4m3 has type code 10, as assigned by DLPack 1.1 (see dlpack.hpp). Errors:
 * KERNELGEN_INVALID_ARGUMENT for a quantized tensor, and for read-only memory, which the struct cannot
 * express. */
kernelgen_status kernelgen_tensor_to_dlpack(const kernelgen_tensor* tensor, struct DLManagedTensor** managed);

/* Imports a DLPack tensor whose memory is on `device`. On success the tensor owns `managed` and calls its
 * deleter once, when the last tensor over the memory is released; on an error the caller keeps it. Errors:
 * KERNELGEN_INVALID_ARGUMENT for another device, an unsupported dtype or layout, or a malformed tensor. */
kernelgen_status kernelgen_tensor_from_dlpack(struct DLManagedTensor* managed, const kernelgen_device* device,
                                              kernelgen_tensor** tensor);

/* Export and import with the versioned struct of DLPack 1.x, which carries a read-only flag in both
 * directions. Functions that would write to read-only memory return KERNELGEN_INVALID_ARGUMENT. Another major
 * version is KERNELGEN_INVALID_ARGUMENT; none of its other fields are read. */
kernelgen_status kernelgen_tensor_to_dlpack_versioned(const kernelgen_tensor* tensor,
                                                      struct DLManagedTensorVersioned** managed);
kernelgen_status kernelgen_tensor_from_dlpack_versioned(struct DLManagedTensorVersioned* managed,
                                                        const kernelgen_device* device,
                                                        kernelgen_tensor** tensor);

/* Returns 1 if the tensor's memory is read-only, else 0. */
kernelgen_status kernelgen_tensor_is_read_only(const kernelgen_tensor* tensor, int* read_only);

#ifdef __cplusplus
}
#endif

#endif
