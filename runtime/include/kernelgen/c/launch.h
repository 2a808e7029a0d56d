#ifndef KERNELGEN_C_LAUNCH_H
#define KERNELGEN_C_LAUNCH_H
/* Launches of a package's kernels with checked arguments. Included by kernelgen.h. */
#include "kernelgen/c/base.h"
#include "kernelgen/c/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An argument of kernelgen_launch_arguments. */
typedef struct kernelgen_launch_argument {
  const kernelgen_tensor* tensor; /* for a pointer; NULL: the argument is the bytes at `value` */
  const void* value;
  size_t bytes;
} kernelgen_launch_argument;

/* Returns the id of the kernel with that name whose arguments have these types, as kernelgen_package_arguments
 * gives them, separated by ", ": "f32*, const f32*, u64". Errors: KERNELGEN_NOT_FOUND;
 * KERNELGEN_INVALID_ARGUMENT for other types, with those of the kernel. */
kernelgen_status kernelgen_device_find_typed_kernel(const kernelgen_device* device, const char* name,
                                                    const char* types, uint32_t* kernel);

/* Launches a kernel of a package, with its arguments in their order. The call orders tensors with other
 * streams, as calls of operations do. Errors: those of kernelgen_launch_kernel, and
 * KERNELGEN_INVALID_ARGUMENT, before anything is launched, naming the kernel and the argument: for another
 * number of arguments; for a value of another size; for a tensor that is given for a value, has another dtype
 * than the pointer, is not contiguous, is of another device, or is read-only and written. A pointer to a type
 * that is no dtype takes integers of its width, a pointer to a struct takes any tensor. */
kernelgen_status kernelgen_launch_arguments(const kernelgen_device* device, uint32_t kernel,
                                            const kernelgen_launch_shape* shape,
                                            const kernelgen_launch_argument* arguments, size_t count,
                                            const kernelgen_stream* stream);

#ifdef __cplusplus
}
#endif

#endif
