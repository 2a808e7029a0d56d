#ifndef KERNELGEN_KERNELGEN_H
#define KERNELGEN_KERNELGEN_H
/* kernel-gen's C interface, usable from C11 and from any language that calls C. It is the contract: the C++
 * headers beside it offer the same things with the same meaning, but only what is declared here keeps its
 * binary layout within a major version.
 *
 * Handles
 *   kernelgen_package  kernels of a build, linked in or mapped from a file
 *   kernelgen_device   an opened device, running the kernels of its packages
 *   kernelgen_stream   a queue of work on a device; NULL means the device's default queue everywhere
 *   kernelgen_event    a point in a stream
 *   kernelgen_module   a user's own code object, loaded on a device
 *   kernelgen_tensor   typed, strided view of device memory
 *   kernelgen_graph    work of a device, captured once and launched many times
 *   kernelgen_pinned   memory of the host that devices copy from and to by themselves
 *   kernelgen_communicator  one of several devices that exchange tensors
 *   kernelgen_gguf     a file of a language model: metadata and tensors
 * A function that has an output `kernelgen_X** …` gives the caller a handle of its own, to be released with
 * kernelgen_X_release. Handles keep what they need alive: a tensor may outlive the device handle it was made
 * with.
 *
 * Errors
 *   Functions return KERNELGEN_OK or what went wrong; kernelgen_last_error() has the text. Each function lists the
 *   errors of its own; beside them every function may return
 *     KERNELGEN_INVALID_ARGUMENT  a NULL where none is allowed; the text names function and parameter
 *     KERNELGEN_OUT_OF_MEMORY     the host has no memory left
 *     KERNELGEN_INTERNAL          a bug in this library; the text is worth a report
 *   Outputs are written only on success. No C++ exception leaves a function.
 *
 * Threads
 *   Handles never change once they are made: any number of threads may use the same one at a time. A release must come
 *   after the last use of that handle, as free() would. Nothing but the synchronize functions,
 *   kernelgen_tensor_to_host and the first use of a module waits for a device.
 */
#include "kernelgen/c/base.h"
#include "kernelgen/c/collective.h"
#include "kernelgen/c/compile.h"
#include "kernelgen/c/device.h"
#include "kernelgen/c/gguf.h"
#include "kernelgen/c/graph.h"
#include "kernelgen/c/operations.h"
#include "kernelgen/c/package.h"
#include "kernelgen/c/tensor.h"
#include "kernelgen/c/transfer.h"

#endif
