#ifndef KERNELGEN_C_COMPILE_H
#define KERNELGEN_C_COMPILE_H
/* Kernels that a program brings as source. Included by kernelgen.h. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Compiles a source for the device and loads it: by NVRTC or hipRTC, which are opened at the first call, or clang++ (15 or
 * later, with its lld) on the CPU. The bodies of kernels/ are at hand: a source that includes "device/dialect.hpp" defines a
 * kernel for any device by KG_KERNEL(threads, name, arguments), which begins with begin_kernel(). `name` is what the
 * compiler calls the source, without quotes, backslashes and control characters; NULL: "source". `flags` are for the
 * compiler, behind the library's own: "-DWIDTH=4". Where `is_cached` is not 0 the result is kept on disk, below
 * KERNELGEN_CACHE, else XDG_CACHE_HOME/kernelgen, else ~/.cache/kernelgen, and found there by the next process as long as
 * the source, the flags, kernels/ and the compiler's file are the same; files of your own that the source includes are not
 * looked at. Errors: KERNELGEN_INVALID_ARGUMENT with what the compiler finds fault with; KERNELGEN_UNSUPPORTED where
 * there is no compiler, listing all that was tried; KERNELGEN_IO; KERNELGEN_DEVICE_ERROR where the driver does not
 * load what it made. */
kernelgen_status kernelgen_device_compile(const kernelgen_device* device, const char* source,
                                          const char* name, const char* const* flags, size_t flag_count,
                                          int is_cached, kernelgen_module** module);

/* What the compiler said of a module of kernelgen_device_compile, warnings say; empty for others. The text belongs to the
 * handle. */
kernelgen_status kernelgen_module_log(const kernelgen_module* module, const char** log);

/* What a name in an expression stands for. */
typedef struct kernelgen_expression_operand {
  const char* name;
  const kernelgen_tensor* tensor; /* NULL: the number */
  kernelgen_scalar number;
} kernelgen_expression_operand;

/* The expression of each element, by one kernel: "silu(a) * b + c". Its words are those of an "expr" in a manifest: C's
 * operators and the functions of kernels/, on elements that are f32 where their dtype is narrower than that. Up to six
 * tensors of any layout and plain dtype, which are broadcast to a common shape; up to eight numbers, which are converted to
 * the dtype of the first tensor of floats, else of the first tensor. `dtype`, NULL or the address of one, is the
 * result's; where it is NULL it is that of `out`, else that of the tensors, which then all have the same. Numbers may
 * change from call to call; what is compiled is one kernel for the text, the names and the dtypes, which stays loaded as long as
 * the device is open, and one more for operands that are not contiguous. Errors: KERNELGEN_INVALID_ARGUMENT also for an
 * expression that is none, with the compiler's words; else those of kernelgen_device_compile. */
kernelgen_status kernelgen_expression(const char* text, const kernelgen_expression_operand* operands,
                                      size_t operand_count, const kernelgen_dtype* dtype,
                                      const kernelgen_tensor* out, const kernelgen_stream* stream,
                                      kernelgen_tensor** result);

#ifdef __cplusplus
}
#endif

#endif
