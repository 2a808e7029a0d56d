#ifndef KERNELGEN_C_GGUF_H
#define KERNELGEN_C_GGUF_H
/* GGUF files of language models in GGML's formats: metadata, and tensors loaded directly from the mapped
 * file. Included by kernelgen.h.
 *
 * Strings are returned in place, as an address and a number of bytes without a terminating NUL, valid until
 * the last handle of the file is released. Metadata is looked up by key. Every such function returns
 * KERNELGEN_NOT_FOUND with the nearest key for an unknown key, and KERNELGEN_INVALID_ARGUMENT with the
 * value's type for a value of another type. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Handle of an open file. */
typedef struct kernelgen_gguf kernelgen_gguf;

/* Type of a metadata value, with the numbers of the GGUF format. */
typedef int32_t kernelgen_gguf_type;
enum {
  KERNELGEN_GGUF_U8 = 0,
  KERNELGEN_GGUF_I8 = 1,
  KERNELGEN_GGUF_U16 = 2,
  KERNELGEN_GGUF_I16 = 3,
  KERNELGEN_GGUF_U32 = 4,
  KERNELGEN_GGUF_I32 = 5,
  KERNELGEN_GGUF_F32 = 6,
  KERNELGEN_GGUF_BOOLEAN = 7,
  KERNELGEN_GGUF_TEXT = 8,
  KERNELGEN_GGUF_ARRAY = 9,
  KERNELGEN_GGUF_U64 = 10,
  KERNELGEN_GGUF_I64 = 11,
  KERNELGEN_GGUF_F64 = 12
};

/* A string in a file, not NUL-terminated. */
typedef struct kernelgen_text {
  const char* data;
  size_t bytes;
} kernelgen_text;

/* Description of a tensor in a file. */
typedef struct kernelgen_gguf_tensor {
  kernelgen_text name;
  kernelgen_text format_name; /* "q4_K"; empty for an unknown format */
  uint32_t format;            /* GGML's number of the element type */
  kernelgen_dtype dtype;      /* -1 for a format without a dtype here, which can be listed but not loaded */
  size_t rank;
  int64_t shape[8]; /* outermost dim first */
  uint64_t offset;  /* of the first byte in the file */
  uint64_t bytes;   /* 0 for an unknown format */
} kernelgen_gguf_tensor;

/* Maps a file and validates all of it. The file must not change until the last handle, and the last tensor
 * loaded on the CPU, is released. Errors: KERNELGEN_IO, KERNELGEN_BAD_PACKAGE with the offset and the
 * reason. */
kernelgen_status kernelgen_gguf_open(const char* file, kernelgen_gguf** gguf);
/* Uses a file in memory, without a copy. The caller keeps `data` unchanged as long as the handle exists.
 * Errors: KERNELGEN_BAD_PACKAGE. */
kernelgen_status kernelgen_gguf_from_memory(const void* data, size_t bytes, kernelgen_gguf** gguf);
/* NULL is allowed. */
void kernelgen_gguf_release(kernelgen_gguf* gguf);

/* Returns the number of metadata entries and of tensors. Either may be NULL. */
kernelgen_status kernelgen_gguf_counts(const kernelgen_gguf* gguf, size_t* entries, size_t* tensors);

/* Returns the key of a metadata entry by index. Errors: KERNELGEN_INVALID_ARGUMENT for an index out of
 * range. */
kernelgen_status kernelgen_gguf_key(const kernelgen_gguf* gguf, size_t position, kernelgen_text* key);
/* Returns the type of a value. For an array, `*type` is the element type and `*count` the number of elements;
 * else `*count` is 1 and `*is_array` is 0. */
kernelgen_status kernelgen_gguf_kind(const kernelgen_gguf* gguf, const char* key, kernelgen_gguf_type* type,
                                     int* is_array, uint64_t* count);

/* Return a metadata value: an integer of any type, up to 2^63 - 1; any number; a boolean as 0 or 1; a
 * string. */
kernelgen_status kernelgen_gguf_integer(const kernelgen_gguf* gguf, const char* key, int64_t* value);
kernelgen_status kernelgen_gguf_real(const kernelgen_gguf* gguf, const char* key, double* value);
kernelgen_status kernelgen_gguf_boolean(const kernelgen_gguf* gguf, const char* key, int* value);
kernelgen_status kernelgen_gguf_text(const kernelgen_gguf* gguf, const char* key, kernelgen_text* value);
/* Copy all `count` elements of an array to the caller's memory. Errors: KERNELGEN_INVALID_ARGUMENT also when
 * `count` is not the array's length. */
kernelgen_status kernelgen_gguf_integers(const kernelgen_gguf* gguf, const char* key, int64_t* values,
                                         size_t count);
kernelgen_status kernelgen_gguf_reals(const kernelgen_gguf* gguf, const char* key, double* values,
                                      size_t count);
kernelgen_status kernelgen_gguf_texts(const kernelgen_gguf* gguf, const char* key, kernelgen_text* values,
                                      size_t count);

/* Returns the description of a tensor by index. Errors: KERNELGEN_INVALID_ARGUMENT for an index out of
 * range. */
kernelgen_status kernelgen_gguf_describe(const kernelgen_gguf* gguf, size_t position,
                                         kernelgen_gguf_tensor* tensor);
/* Returns the index of the tensor with that name. Errors: KERNELGEN_NOT_FOUND, with the nearest name. */
kernelgen_status kernelgen_gguf_find(const kernelgen_gguf* gguf, const char* name, size_t* position);
/* Returns the tensor's bytes in the mapping. Errors: KERNELGEN_INVALID_ARGUMENT for an index out of range;
 * KERNELGEN_UNSUPPORTED for a format of unknown size. */
kernelgen_status kernelgen_gguf_bytes(const kernelgen_gguf* gguf, size_t position, const void** data,
                                      size_t* bytes);
/* Loads the tensor with that name on a device, directly from the mapping. On the CPU the tensor shares the
 * mapping if the alignment permits. Errors: KERNELGEN_NOT_FOUND; KERNELGEN_UNSUPPORTED for a format without a
 * dtype; KERNELGEN_IO when the file was truncated after it was opened; KERNELGEN_OUT_OF_MEMORY,
 * KERNELGEN_DEVICE_ERROR. */
kernelgen_status kernelgen_gguf_load(const kernelgen_gguf* gguf, const kernelgen_device* device,
                                     const char* name, const kernelgen_stream* stream,
                                     kernelgen_tensor** tensor);

#ifdef __cplusplus
}
#endif

#endif
