#ifndef KERNELGEN_C_PACKAGE_H
#define KERNELGEN_C_PACKAGE_H
/* Packages: what kernels there are, for which targets. Included by kernelgen.h.
 *
 * The tables are given as they lie in the package; package_format.h describes the records. What these
 * functions point to belongs to the package and is valid until its last handle, and the last device opened
 * with it, is gone. */
#include "kernelgen/c/base.h"
#include "kernelgen/package_format.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The package linked into the program (library kernelgen::kernels), or the file named by the environment
 * variable KERNELGEN_PACKAGE where that is set. Errors: KERNELGEN_NOT_FOUND when there is neither; with the
 * variable those of kernelgen_package_open. */
kernelgen_status kernelgen_package_embedded(kernelgen_package** package);

/* Maps a file that `kernel-gen build` wrote. Errors: KERNELGEN_IO, also for an empty name, KERNELGEN_BAD_PACKAGE; the
 * text names the file. */
kernelgen_status kernelgen_package_open(const char* file, kernelgen_package** package);

/* Reads a package where it lies, without a copy: the caller keeps `data` unchanged as long as the package, or
 * a device opened with it, lives. Errors: KERNELGEN_BAD_PACKAGE. */
kernelgen_status kernelgen_package_from_memory(const void* data, size_t bytes, kernelgen_package** package);

/* NULL is allowed. */
void kernelgen_package_release(kernelgen_package* package);

/* What code is for; how it is cut; both by their ids, which other functions take. */
kernelgen_status kernelgen_package_targets(const kernelgen_package* package,
                                           const kernelgen_target_record** targets, size_t* count);
kernelgen_status kernelgen_package_modules(const kernelgen_package* package,
                                           const kernelgen_module_record** modules, size_t* count);
/* Indexed by kernel id: the KERNELGEN_KERNEL_… constants of the generated kernelgen_registry.h. */
kernelgen_status kernelgen_package_kernels(const kernelgen_package* package,
                                           const kernelgen_kernel_record** kernels, size_t* count);
kernelgen_status kernelgen_package_operations(const kernelgen_package* package,
                                              const kernelgen_operation_record** operations, size_t* count);
kernelgen_status kernelgen_package_blobs(const kernelgen_package* package,
                                         const kernelgen_blob_record** blobs, size_t* count);

/* Arguments of a kernel, in order. Errors: KERNELGEN_INVALID_ARGUMENT for an id the package does not have. */
kernelgen_status kernelgen_package_arguments(const kernelgen_package* package, uint32_t kernel,
                                             const kernelgen_argument_record** arguments, size_t* count);

/* An operation's inputs, then its output, then its scalars; its type variables; the string offsets of its forms'
 * names; its table of kernel ids. `operation` is an index into kernelgen_package_operations. Errors:
 * KERNELGEN_INVALID_ARGUMENT for an index the package does not have. */
kernelgen_status kernelgen_package_operands(const kernelgen_package* package, uint32_t operation,
                                            const kernelgen_operand_record** operands, size_t* count);
kernelgen_status kernelgen_package_variables(const kernelgen_package* package, uint32_t operation,
                                             const kernelgen_variable_record** variables, size_t* count);
kernelgen_status kernelgen_package_forms(const kernelgen_package* package, uint32_t operation,
                                         const uint32_t** names, size_t* count);
kernelgen_status kernelgen_package_variants(const kernelgen_package* package, uint32_t operation,
                                            const uint32_t** kernels, size_t* count);

/* The numbers of element codes that the type variables' rows are in. */
kernelgen_status kernelgen_package_digits(const kernelgen_package* package, const uint8_t** digits,
                                          size_t* count);

/* What the code object says of a kernel on a target (indices); zeros for cpu targets.
 * Errors: KERNELGEN_INVALID_ARGUMENT for an index the package does not have. */
kernelgen_status kernelgen_package_resources(const kernelgen_package* package, uint32_t target,
                                             uint32_t kernel, const kernelgen_resource_record** resources);

/* A module's code object for a target (indices); `*bytes` is 0 when the package holds none. Code that is stored
 * compressed is decoded by the first call and kept by the package. Errors: KERNELGEN_INVALID_ARGUMENT for an index the
 * package does not have; KERNELGEN_BAD_PACKAGE for code that cannot be decoded or is not what its name says;
 * KERNELGEN_OUT_OF_MEMORY. */
kernelgen_status kernelgen_package_code(const kernelgen_package* package, uint32_t target, uint32_t module,
                                        const void** code, size_t* bytes);

/* The string at an offset that a record holds, NUL-terminated.
 * Errors: KERNELGEN_INVALID_ARGUMENT for an offset outside the package's strings. */
kernelgen_status kernelgen_package_text(const kernelgen_package* package, uint32_t string_offset,
                                        const char** text);

/* JSON that tells what the package was built from and with. Not NUL-terminated. */
kernelgen_status kernelgen_package_provenance(const kernelgen_package* package, const char** text,
                                              size_t* bytes);

/* The package itself, as it would lie in a file. */
kernelgen_status kernelgen_package_bytes(const kernelgen_package* package, const void** data, size_t* bytes);

/* Id of the kernel, index of the target, index of the operation of that name. Errors: KERNELGEN_NOT_FOUND. */
kernelgen_status kernelgen_package_find_kernel(const kernelgen_package* package, const char* name,
                                               uint32_t* kernel);
kernelgen_status kernelgen_package_find_target(const kernelgen_package* package, const char* name,
                                               uint32_t* target);
kernelgen_status kernelgen_package_find_operation(const kernelgen_package* package, const char* name,
                                                  uint32_t* operation);

/* Decodes and hashes every code object. Errors: KERNELGEN_BAD_PACKAGE when one cannot be decoded or differs from what
 * was recorded; KERNELGEN_OUT_OF_MEMORY. */
kernelgen_status kernelgen_package_verify(const kernelgen_package* package);

#ifdef __cplusplus
}
#endif

#endif
