#ifndef KERNELGEN_C_PACKAGE_H
#define KERNELGEN_C_PACKAGE_H
/* Packages: the kernels of a build, for all its targets. Included by kernelgen.h.
 *
 * Tables are returned in place, in the layout of package_format.h. The pointers belong to the package. They
 * are valid until its last handle is released and the last device opened with it is closed. */
#include "kernelgen/c/base.h"
#include "kernelgen/package_format.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Opens the package linked into the program (library kernelgen::kernels), or the file named by the
 * environment variable KERNELGEN_PACKAGE if it is set. Errors: KERNELGEN_NOT_FOUND when neither exists; with
 * the variable, those of kernelgen_package_open. */
kernelgen_status kernelgen_package_embedded(kernelgen_package** package);

/* Reads a file written by `kernel-gen build`; the file may change afterwards. Errors, with the file's name:
 * KERNELGEN_IO, also when it is not a regular file, KERNELGEN_BAD_PACKAGE, KERNELGEN_OUT_OF_MEMORY. */
kernelgen_status kernelgen_package_open(const char* file, kernelgen_package** package);

/* Uses a package in memory, without a copy. The caller keeps `data` unchanged as long as the package, or a
 * device opened with it, exists. Errors: KERNELGEN_BAD_PACKAGE. */
kernelgen_status kernelgen_package_from_memory(const void* data, size_t bytes, kernelgen_package** package);

/* NULL is allowed. */
void kernelgen_package_release(kernelgen_package* package);

/* The targets and the modules, indexed by the ids that other functions take. */
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

/* Returns the arguments of a kernel, in order. Errors: KERNELGEN_INVALID_ARGUMENT for an id that the package
 * does not have. */
kernelgen_status kernelgen_package_arguments(const kernelgen_package* package, uint32_t kernel,
                                             const kernelgen_argument_record** arguments, size_t* count);

/* Return an operation's operands (inputs, then the output, then scalars), its type variables, the string
 * offsets of its form names, and its table of kernel ids. `operation` is an index into
 * kernelgen_package_operations. Errors: KERNELGEN_INVALID_ARGUMENT for an index that the package does not
 * have. */
kernelgen_status kernelgen_package_operands(const kernelgen_package* package, uint32_t operation,
                                            const kernelgen_operand_record** operands, size_t* count);
kernelgen_status kernelgen_package_variables(const kernelgen_package* package, uint32_t operation,
                                             const kernelgen_variable_record** variables, size_t* count);
kernelgen_status kernelgen_package_forms(const kernelgen_package* package, uint32_t operation,
                                         const uint32_t** names, size_t* count);
kernelgen_status kernelgen_package_variants(const kernelgen_package* package, uint32_t operation,
                                            const uint32_t** kernels, size_t* count);

/* Returns the table that maps element codes to digits, with one row per distinct set of codes; type variables
 * refer to its rows. */
kernelgen_status kernelgen_package_digits(const kernelgen_package* package, const uint8_t** digits,
                                          size_t* count);

/* Returns the resource use of a kernel on a target (indices), as the code object records it; zeros for CPU
 * targets. Errors: KERNELGEN_INVALID_ARGUMENT for an index that the package does not have. */
kernelgen_status kernelgen_package_resources(const kernelgen_package* package, uint32_t target,
                                             uint32_t kernel, const kernelgen_resource_record** resources);

/* Returns a module's code object for a target (indices); `*bytes` is 0 if the package has none. The first
 * call decompresses compressed code, and the package keeps the result. Errors: KERNELGEN_INVALID_ARGUMENT for
 * an index that the package does not have; KERNELGEN_BAD_PACKAGE for code that cannot be decompressed or does
 * not match its hash; KERNELGEN_OUT_OF_MEMORY. */
kernelgen_status kernelgen_package_code(const kernelgen_package* package, uint32_t target, uint32_t module,
                                        const void** code, size_t* bytes);

/* Returns the NUL-terminated string at a string offset from a record. Errors: KERNELGEN_INVALID_ARGUMENT for
 * an offset outside the package's strings. */
kernelgen_status kernelgen_package_text(const kernelgen_package* package, uint32_t string_offset,
                                        const char** text);

/* Returns the build provenance as JSON: sources, tools and flags. Not NUL-terminated. */
kernelgen_status kernelgen_package_provenance(const kernelgen_package* package, const char** text,
                                              size_t* bytes);

/* Returns the bytes of the package, as stored in a file. */
kernelgen_status kernelgen_package_bytes(const kernelgen_package* package, const void** data, size_t* bytes);

/* Look up a kernel id, a target index or an operation index by name. Errors: KERNELGEN_NOT_FOUND. */
kernelgen_status kernelgen_package_find_kernel(const kernelgen_package* package, const char* name,
                                               uint32_t* kernel);
kernelgen_status kernelgen_package_find_target(const kernelgen_package* package, const char* name,
                                               uint32_t* target);
kernelgen_status kernelgen_package_find_operation(const kernelgen_package* package, const char* name,
                                                  uint32_t* operation);

/* Decodes and hashes every code object. Errors: KERNELGEN_BAD_PACKAGE when one cannot be decoded or does not
 * match its recorded hash; KERNELGEN_OUT_OF_MEMORY. */
kernelgen_status kernelgen_package_verify(const kernelgen_package* package);

#ifdef __cplusplus
}
#endif

#endif
