#ifndef KERNELGEN_C_GGUF_H
#define KERNELGEN_C_GGUF_H
/* GGUF files, of language models in GGML's formats: metadata, and tensors loaded straight from the mapped file. Included
 * by kernelgen.h.
 *
 * Texts are given as they lie in the file: an address and a number of bytes, no NUL behind them, valid until the last
 * handle of the file is gone. Metadata is asked for by key; every such function returns KERNELGEN_NOT_FOUND for a key
 * that is not there, with the nearest one, and KERNELGEN_INVALID_ARGUMENT for a value of another kind, with its type. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A file; a handle. */
typedef struct kernelgen_gguf kernelgen_gguf;

/* What a metadata value is; the format's numbers. */
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

/* A text of a file, without a NUL behind it. */
typedef struct kernelgen_text {
  const char* data;
  size_t bytes;
} kernelgen_text;

/* A tensor of a file. */
typedef struct kernelgen_gguf_tensor {
  kernelgen_text name;
  kernelgen_text format_name; /* "q4_K"; no bytes for a format that is not known */
  uint32_t format;            /* GGML's number of the element type */
  kernelgen_dtype dtype;      /* -1 for a format that has no dtype here: listed, not loaded */
  size_t rank;
  int64_t shape[8]; /* slowest dim first */
  uint64_t offset;  /* of the first byte in the file */
  uint64_t bytes;   /* 0 for a format that is not known */
} kernelgen_gguf_tensor;

/* Maps a file and checks all of it; it stays unchanged until the last handle, and the last tensor loaded on the CPU, is
 * gone. Errors: KERNELGEN_IO, KERNELGEN_BAD_PACKAGE with the offset and what is wrong there. */
kernelgen_status kernelgen_gguf_open(const char* file, kernelgen_gguf** gguf);
/* Reads a file where it lies: the caller keeps `data` unchanged as long as the handle lives. Errors:
 * KERNELGEN_BAD_PACKAGE. */
kernelgen_status kernelgen_gguf_from_memory(const void* data, size_t bytes, kernelgen_gguf** gguf);
/* NULL is allowed. */
void kernelgen_gguf_release(kernelgen_gguf* gguf);

/* How many entries of metadata, and tensors, there are. Either may be NULL. */
kernelgen_status kernelgen_gguf_counts(const kernelgen_gguf* gguf, size_t* entries, size_t* tensors);

/* The key at that position. Errors: KERNELGEN_INVALID_ARGUMENT for a position that is not there. */
kernelgen_status kernelgen_gguf_key(const kernelgen_gguf* gguf, size_t position, kernelgen_text* key);
/* The type of a value; of an array `*type` is its elements' and `*count` how many there are, else `*count` is 1 and
 * `*is_array` 0. */
kernelgen_status kernelgen_gguf_kind(const kernelgen_gguf* gguf, const char* key, kernelgen_gguf_type* type,
                                     int* is_array, uint64_t* count);

/* A value: any integer type up to 2^63 - 1; any number; 0 or 1; a text. */
kernelgen_status kernelgen_gguf_integer(const kernelgen_gguf* gguf, const char* key, int64_t* value);
kernelgen_status kernelgen_gguf_real(const kernelgen_gguf* gguf, const char* key, double* value);
kernelgen_status kernelgen_gguf_boolean(const kernelgen_gguf* gguf, const char* key, int* value);
kernelgen_status kernelgen_gguf_text(const kernelgen_gguf* gguf, const char* key, kernelgen_text* value);
/* All `count` elements of an array, written to the caller's memory. Errors: KERNELGEN_INVALID_ARGUMENT also when it has
 * another number of them. */
kernelgen_status kernelgen_gguf_integers(const kernelgen_gguf* gguf, const char* key, int64_t* values,
                                         size_t count);
kernelgen_status kernelgen_gguf_reals(const kernelgen_gguf* gguf, const char* key, double* values,
                                      size_t count);
kernelgen_status kernelgen_gguf_texts(const kernelgen_gguf* gguf, const char* key, kernelgen_text* values,
                                      size_t count);

/* What the file says of the tensor at that position. Errors: KERNELGEN_INVALID_ARGUMENT for one that is not there. */
kernelgen_status kernelgen_gguf_describe(const kernelgen_gguf* gguf, size_t position,
                                         kernelgen_gguf_tensor* tensor);
/* The position of the tensor of that name. Errors: KERNELGEN_NOT_FOUND, with the nearest name. */
kernelgen_status kernelgen_gguf_find(const kernelgen_gguf* gguf, const char* name, size_t* position);
/* Its bytes in the mapping. Errors: KERNELGEN_INVALID_ARGUMENT for a position that is not there; KERNELGEN_UNSUPPORTED
 * for a format whose size is not known. */
kernelgen_status kernelgen_gguf_bytes(const kernelgen_gguf* gguf, size_t position, const void** data,
                                      size_t* bytes);
/* The tensor of that name on a device, straight from the mapping; on the CPU it is the mapping, where the alignment
 * allows it. Errors: KERNELGEN_NOT_FOUND; KERNELGEN_UNSUPPORTED for a format without a dtype;
 * KERNELGEN_OUT_OF_MEMORY, KERNELGEN_DEVICE_ERROR. */
kernelgen_status kernelgen_gguf_load(const kernelgen_gguf* gguf, const kernelgen_device* device,
                                     const char* name, const kernelgen_stream* stream,
                                     kernelgen_tensor** tensor);

#ifdef __cplusplus
}
#endif

#endif
