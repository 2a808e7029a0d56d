#ifndef KERNELGEN_C_COMPILE_H
#define KERNELGEN_C_COMPILE_H
/* Kernels compiled from source at run time. Included by kernelgen.h. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Compiles a source for the device and loads it: with NVRTC or hipRTC, opened at the first call, or with
 * clang++ (15 or later, with its lld) on the CPU. The headers in kernels/ are on the include path: a source
 * that includes "device/dialect.hpp" defines a kernel for any device with KG_KERNEL(threads, name,
 * arguments), whose body starts with begin_kernel(). `name` is the source's name in compiler messages,
 * without quotes, backslashes and control characters; NULL means "source". `flags` are compiler options,
 * after the library's own: "-DWIDTH=4". If `is_cached` is not 0, the result is cached on disk in
 * KERNELGEN_CACHE, else XDG_CACHE_HOME/kernelgen, else ~/.cache/kernelgen, for later processes. The cache key
 * covers the source, the flags, kernels/ and the compiler's file, but not other files that the source
 * includes. Errors: KERNELGEN_INVALID_ARGUMENT with the compiler's errors; KERNELGEN_UNSUPPORTED when there
 * is no compiler, with the list of those tried; KERNELGEN_IO; KERNELGEN_DEVICE_ERROR when the driver cannot
 * load the result. */
kernelgen_status kernelgen_device_compile(const kernelgen_device* device, const char* source,
                                          const char* name, const char* const* flags, size_t flag_count,
                                          int is_cached, kernelgen_module** module);

/* Returns the compiler's output, such as warnings, for a module of kernelgen_device_compile; empty for other
 * modules. The string is valid as long as the handle. */
kernelgen_status kernelgen_module_log(const kernelgen_module* module, const char** log);

/* Compiles the operations of a manifest (JSON, docs/adding-an-operation.md) for the device and adds them to it, as
 * kernelgen_device_add_package does with the package that is returned. It starts `kernel-gen build`: the program
 * that KERNELGEN_TOOL names, else the one installed with this library, else the one in PATH, with the compilers that it
 * finds. `name` is what messages call the manifest; NULL means "manifest.json". `header_names` and `header_texts` are
 * headers of your own, which the manifest and they themselves may include. If `is_cached` is not 0, the result is cached on
 * disk as that of kernelgen_device_compile. `package` and `number` may be NULL. Errors: KERNELGEN_INVALID_ARGUMENT
 * with what is wrong at the manifest's or a header's lines; KERNELGEN_UNSUPPORTED when there is no kernel-gen, with the list of
 * what was tried; KERNELGEN_IO; also those of kernelgen_device_add_package. */
kernelgen_status kernelgen_device_compile_manifest(const kernelgen_device* device, const char* manifest,
                                                   const char* name, const char* const* header_names,
                                                   const char* const* header_texts, size_t header_count,
                                                   int is_cached, kernelgen_package** package,
                                                   uint32_t* number);

/* Binds a name in an expression to a tensor or a number. */
typedef struct kernelgen_expression_operand {
  const char* name;
  const kernelgen_tensor* tensor; /* NULL: `number` is the operand */
  kernelgen_scalar number;
} kernelgen_expression_operand;

/* Evaluates an expression for each element in one kernel: "silu(a) * b + c". The syntax is that of "expr" in
 * a manifest: C's operators, functions such as exp and maximum, and conversions such as u8(x). Elements of
 * dtypes narrower than f32 are converted to f32. Integers divide as in kernelgen_div.
 *
 * The operands are up to six tensors of any layout and non-quantized dtype, broadcast to a common shape, and
 * up to eight numbers, converted to the dtype of the first float tensor, else of the first tensor. `dtype`
 * points to the result's dtype; if it is NULL, the result has the dtype of `out`, else that of the tensors,
 * which must then all be equal. The library compiles one kernel for the text, the names and the dtypes, and
 * one more for operands that are not contiguous. Both stay loaded while the device is open; new values of the
 * numbers do not recompile. Errors: KERNELGEN_INVALID_ARGUMENT also for text that is not a valid expression,
 * with the column and the names that may be used; else those of kernelgen_device_compile. */
kernelgen_status kernelgen_expression(const char* text, const kernelgen_expression_operand* operands,
                                      size_t operand_count, const kernelgen_dtype* dtype,
                                      const kernelgen_tensor* out, const kernelgen_stream* stream,
                                      kernelgen_tensor** result);

#ifdef __cplusplus
}
#endif

#endif
