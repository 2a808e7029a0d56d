#ifndef KERNELGEN_C_OPERATIONS_H
#define KERNELGEN_C_OPERATIONS_H
/* The tensor operations. Included by kernelgen.h.
 *
 * Inputs have any layout. The result is a new contiguous tensor in `*result`, or is written to `out` if that
 * is not NULL: a contiguous tensor of the result's shape and dtype. With `out`, `result` may be NULL; if it
 * is not, it receives a new handle of `out`. Each of two results has its own `out_…` and handle; where the
 * second one is optional, both may be NULL, and it is not computed. An optional tensor may be NULL, and so may the
 * address of a number: NULL as `dim` stands for all dims. Operations submit work to `stream` and return without
 * waiting.
 *
 * Errors of all operations: KERNELGEN_INVALID_ARGUMENT, before any launch, for a dtype, shape or device that
 * the operation does not support, with a message that names the operation, the given operands and what it
 * accepts; KERNELGEN_UNSUPPORTED when the package has no code of the kernel for the device;
 * KERNELGEN_OUT_OF_MEMORY; KERNELGEN_DEVICE_ERROR. */
#include "kernelgen/c/attention.h"
#include "kernelgen/c/call.h"
#include "kernelgen/c/functions.h"

#endif
