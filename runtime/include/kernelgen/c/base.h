#ifndef KERNELGEN_C_BASE_H
#define KERNELGEN_C_BASE_H
/* Status codes, error text, version, element types and scalars. Included by kernelgen.h. */
#include <stddef.h>
#include <stdint.h>

#include "kernelgen/c/dtypes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Opaque handles, described in kernelgen.h. */
typedef struct kernelgen_package kernelgen_package;
typedef struct kernelgen_device kernelgen_device;
typedef struct kernelgen_stream kernelgen_stream;
typedef struct kernelgen_event kernelgen_event;
typedef struct kernelgen_module kernelgen_module;
typedef struct kernelgen_tensor kernelgen_tensor;
typedef struct kernelgen_graph kernelgen_graph;
typedef struct kernelgen_pinned kernelgen_pinned;
typedef struct kernelgen_communicator kernelgen_communicator;

/* The values are stable. Values 0 to 8 equal those of kernelgen::Code. */
typedef enum kernelgen_status {
  KERNELGEN_OK = 0,
  KERNELGEN_INVALID_ARGUMENT = 1,   /* a value, shape, dtype or layout that the call does not accept */
  KERNELGEN_NOT_FOUND = 2,          /* no such operation, kernel, file or device */
  KERNELGEN_UNSUPPORTED = 3,        /* valid, but not available here (no driver, no code for the device) */
  KERNELGEN_OUT_OF_MEMORY = 4,      /* a device or host allocation failed */
  KERNELGEN_DEVICE_ERROR = 5,       /* the driver reported an error */
  KERNELGEN_BAD_PACKAGE = 6,        /* a package, code object or file is damaged or has another version */
  KERNELGEN_INDEX_OUT_OF_RANGE = 7, /* an index operand pointed outside its dimension */
  KERNELGEN_IO = 8,                 /* the operating system refused a file operation */
  KERNELGEN_INTERNAL = 9            /* an unexpected failure: a bug in the library */
} kernelgen_status;

/* Returns the message of the last error on the calling thread, or "" if no call has failed. The string is
 * valid and unchanged until the next failing call on this thread; a successful call does not clear it. Never
 * NULL. */
const char* kernelgen_last_error(void);

/* Returns the name of a status: "invalid_argument", …; "unknown" for an invalid value. Static string. */
const char* kernelgen_status_name(kernelgen_status status);

/* Returns the version of the linked library, such as "0.1.0". Static string. */
const char* kernelgen_version(void);

/* Element type of a tensor: one of the constants of kernelgen/c/dtypes.h. It has a fixed width, so that all
 * compilers agree on the ABI. Functions reject other values. */
typedef int32_t kernelgen_dtype;

/* Returns the size in bytes of one element, or of one block of a quantized dtype; 0 for an invalid dtype. */
size_t kernelgen_dtype_size(kernelgen_dtype dtype);

/* Returns the number of elements per block: 32 to 256 for a quantized dtype, else 1; 0 for an invalid dtype. */
size_t kernelgen_dtype_block(kernelgen_dtype dtype);

/* Returns the name of a dtype as manifests and kernel names spell it, such as "f32". Static string; NULL for
 * an invalid dtype. */
const char* kernelgen_dtype_name(kernelgen_dtype dtype);

/* Looks up a dtype by name. Errors: KERNELGEN_NOT_FOUND with the list of valid names. */
kernelgen_status kernelgen_dtype_parse(const char* name, kernelgen_dtype* dtype);

/* A scalar operand of an operation. A float dtype rounds it. An integer dtype must represent it exactly, else
 * the call returns KERNELGEN_INVALID_ARGUMENT. */
typedef struct kernelgen_scalar {
  int is_integer; /* not 0: `integer` holds the value, else `real` */
  double real;
  int64_t integer;
} kernelgen_scalar;

static inline kernelgen_scalar kernelgen_real(double value) {
  kernelgen_scalar scalar = {0, 0.0, 0};
  scalar.real = value;
  return scalar;
}

static inline kernelgen_scalar kernelgen_integer(int64_t value) {
  kernelgen_scalar scalar = {1, 0.0, 0};
  scalar.integer = value;
  return scalar;
}

#ifdef __cplusplus
}
#endif

#endif
