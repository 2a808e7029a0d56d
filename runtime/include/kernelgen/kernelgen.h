#ifndef KERNELGEN_KERNELGEN_H
#define KERNELGEN_KERNELGEN_H
/* kernel-gen's C interface, for C11 and any language that calls C. This interface is the stable one: it keeps
 * its binary layout within a major version. The C++ headers in this directory offer the same functions with
 * the same meaning, but without a stable binary layout.
 *
 * Handles
 *   kernelgen_package  kernels of one build, linked into the program or read from a file
 *   kernelgen_device   an open device that runs the kernels of its packages
 *   kernelgen_stream   an in-order queue of work on a device; NULL always means the device's default stream
 *   kernelgen_event    a point in a stream
 *   kernelgen_module   a user's own code object, loaded on a device
 *   kernelgen_tensor   a typed, strided view of device memory
 *   kernelgen_graph    device work, captured once and launched many times
 *   kernelgen_pinned   page-locked host memory for asynchronous copies
 *   kernelgen_communicator  one rank in a group of devices that exchange tensors
 *   kernelgen_gguf     a language model file: metadata and tensors
 * A function with an output parameter `kernelgen_X** …` returns a new handle, which the caller owns and
 * releases with kernelgen_X_release. Handles are reference-counted and keep alive what they need: a tensor
 * may outlive the device handle it was created with.
 *
 * Errors
 *   Functions return KERNELGEN_OK or an error code; kernelgen_last_error() returns the message. Each function
 *   lists its specific errors. In addition, every function may return
 *     KERNELGEN_INVALID_ARGUMENT  a NULL where it is not allowed; the message names function and parameter
 *     KERNELGEN_OUT_OF_MEMORY     a host allocation failed
 *     KERNELGEN_INTERNAL          a bug in this library; please report the message
 *   Outputs are written only on success. No C++ exception leaves a function.
 *
 * Threads
 *   Handles are immutable: any number of threads may use the same handle concurrently. As with free(), the
 *   release of a handle must come after its last use. Only the synchronize functions, kernelgen_tensor_to_host
 *   and the first use of a module wait for a device.
 */
#include "kernelgen/c/base.h"
#include "kernelgen/c/call_all.h"
#include "kernelgen/c/collective.h"
#include "kernelgen/c/compile.h"
#include "kernelgen/c/device.h"
#include "kernelgen/c/gguf.h"
#include "kernelgen/c/graph.h"
#include "kernelgen/c/launch.h"
#include "kernelgen/c/operations.h"
#include "kernelgen/c/package.h"
#include "kernelgen/c/tensor.h"
#include "kernelgen/c/transfer.h"

#endif
