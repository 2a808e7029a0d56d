#ifndef KERNELGEN_PACKAGE_FORMAT_H
#define KERNELGEN_PACKAGE_FORMAT_H
/* The package: every kernel of a build for every target, as one block of bytes. The same bytes lie in a file
 * (memory-mapped) or in a program (.incbin). Little-endian. All tables lie in one run of bytes, which may be
 * compressed: their offsets are from its start, 8-byte aligned, all others from the start of the package. Every blob that is
 * stored as it is is 4096-byte aligned (64 would do; a page lets the file's own pages be handed to a driver).
 * Strings are offsets into one table of NUL-terminated UTF-8. A reader checks everything before it follows an offset.
 * docs/package.md explains it with a picture. */
#include <stdint.h>

#define KERNELGEN_PACKAGE_MAGIC "KGENPKG"
#define KERNELGEN_PACKAGE_VERSION 4u
#define KERNELGEN_NO_KERNEL 0xffffffffu
#define KERNELGEN_NO_BLOB 0xffffffffu

/* What an operation may have at most. Manifests and packages that ask for more are refused, so that a call can keep
 * everything in arrays of these sizes. */
#define KERNELGEN_MAX_TYPE_VARIABLES 3u
#define KERNELGEN_MAX_INPUTS 3u
#define KERNELGEN_MAX_SCALARS 8u
/* Bytes of arguments a kernel may take: what CUDA's drivers take on every GPU; HIP's take more. */
#define KERNELGEN_MAX_ARGUMENT_BYTES 4096u

/* What decoding a blob may take: bytes of one that is compressed, and how many others are decoded before it. */
#define KERNELGEN_MAX_BLOB_BYTES (UINT64_C(64) << 20)
#define KERNELGEN_MAX_REFERENCES 2u

/* Element codes: the dtypes from 0 on (kernelgen_dtype), with room for more of them, and b8, b16, b32, b64, by which
 * kernels that only move data are keyed. */
#define KERNELGEN_MAX_DTYPES 40u
#define KERNELGEN_FIRST_RAW_CODE 64u
#define KERNELGEN_ELEMENT_CODES 68u
#define KERNELGEN_NO_DIGIT 0xffu
/* Set in an operand's type that is a type variable; the rest is the variable's index in its operation. */
#define KERNELGEN_TYPE_VARIABLE 0x80000000u

/* ZSTD: one frame of Zstandard (RFC 8878) that says its content's size. */
enum { KERNELGEN_CODEC_NONE = 0, KERNELGEN_CODEC_ZSTD = 1 };

/* Bytes that are stored at once. */
typedef struct kernelgen_blob_record {
  uint64_t offset;
  uint64_t stored_bytes;
  uint64_t bytes; /* decoded */
  uint32_t codec;
  /* ZSTD: the blob whose decoded bytes are the prefix that the frame's matches may reach into, or KERNELGEN_NO_BLOB.
   * That one may refer to another, at most KERNELGEN_MAX_REFERENCES of them. */
  uint32_t reference;
  uint64_t hash_low; /* XXH3-128 of the decoded bytes: the blob's name */
  uint64_t hash_high;
} kernelgen_blob_record;

/* Where a table of records lies in the tables' bytes. */
typedef struct kernelgen_table {
  uint64_t offset;
  uint64_t count; /* records; bytes for the string table and the provenance text */
} kernelgen_table;

/* What a package begins with. */
typedef struct kernelgen_package_header {
  char magic[8];
  uint32_t version;
  uint32_t header_bytes;
  uint64_t package_bytes;
  uint64_t hash;                /* XXH3-64 of everything behind the header */
  kernelgen_blob_record tables; /* the bytes of all that follow; they refer to no blob */
  kernelgen_table strings;
  kernelgen_table provenance; /* JSON text: tool, compilers, flags, source hash; once a package */
  kernelgen_table targets;
  kernelgen_table modules;
  kernelgen_table kernels;
  kernelgen_table arguments;
  kernelgen_table resources; /* targets.count rows of kernels.count records */
  kernelgen_table objects;   /* targets.count rows of modules.count records */
  kernelgen_table blobs;
  kernelgen_table displacements; /* uint32_t; the perfect hash over kernel names, see name_hash.h */
  kernelgen_table slots;         /* uint32_t kernel ids; as many as kernels */
  kernelgen_table operations;
  kernelgen_table operands;
  kernelgen_table variables;
  kernelgen_table digits;   /* uint8_t; rows of KERNELGEN_ELEMENT_CODES */
  kernelgen_table forms;    /* uint32_t string offsets */
  kernelgen_table variants; /* uint32_t kernel ids or KERNELGEN_NO_KERNEL */
} kernelgen_package_header;

/* What code is for. */
typedef struct kernelgen_target_record {
  uint32_t name;                /* "gfx90a", "gfx11-generic", "cpu-x86-64-v3", "sm_90" */
  uint32_t kind;                /* 0 cpu, 1 hip, 2 cuda */
  uint32_t wave_size;           /* 1 for cpu */
  uint32_t code_object_version; /* 0 where there is none */
} kernelgen_target_record;

/* Kernels that are compiled, and loaded, together. */
typedef struct kernelgen_module_record {
  uint32_t name;
  uint32_t first_kernel; /* a module's kernels follow one another */
  uint32_t kernel_count;
  uint32_t reserved;
} kernelgen_module_record;

/* A kernel, the same for all targets. */
typedef struct kernelgen_kernel_record {
  uint32_t name;
  uint32_t module;
  uint32_t first_argument;
  uint32_t argument_count;
  uint32_t kernarg_bytes; /* end of the last argument */
  uint32_t block;         /* largest block, in threads, the kernel is compiled for */
} kernelgen_kernel_record;

/* An argument of a kernel, and its place in the argument block, in bytes. */
typedef struct kernelgen_argument_record {
  uint32_t name;
  uint32_t type; /* as the manifest spells it: "const f32*", "u64", "Strided<2>" */
  uint32_t offset;
  uint32_t size;
  uint32_t is_pointer;
  uint32_t is_written; /* pointers: the kernel writes through it */
} kernelgen_argument_record;

/* What the code object says of one kernel on one target; zeros for cpu. */
typedef struct kernelgen_resource_record {
  uint16_t vgprs;
  uint16_t agprs;
  uint16_t sgprs;
  uint16_t vgpr_spills;
  uint16_t sgpr_spills;
  uint16_t wave_size;
  uint32_t lds_bytes;
  uint32_t scratch_bytes;
  uint32_t kernarg_bytes;
  uint32_t max_block;
} kernelgen_resource_record;

/* A module's code for a target: a slice of a blob. Several objects may share one blob. */
typedef struct kernelgen_object_record {
  uint32_t blob;
  uint32_t reserved;
  uint64_t offset; /* in the decoded blob */
  uint64_t bytes;
} kernelgen_object_record;

/* A type variable of an operation: `radix` element codes, numbered by its row of `digits`. digits[first_digit + code]
 * is the number of that code, or KERNELGEN_NO_DIGIT where the variable does not take it. Each number below radix is
 * that of one code. Variables that take the same codes share a row. */
typedef struct kernelgen_variable_record {
  uint32_t name; /* as in the manifest: "T" */
  uint32_t radix;
  uint32_t first_digit;
} kernelgen_variable_record;

/* An operation and its kernels: for type variables with the numbers d0, d1 … and form f the kernel is
 * variants[first_variant + ((d0 * radix1 + d1) * … ) * form_count + f]. */
typedef struct kernelgen_operation_record {
  uint32_t name;
  uint32_t is_map; /* 1: element-wise with forms "contiguous" and "strided" in the standard argument order */
  uint32_t first_variable;
  uint32_t variable_count;
  uint32_t first_operand; /* inputs, then the output, then scalars */
  uint32_t input_count;
  uint32_t scalar_count;
  uint32_t first_form;
  uint32_t form_count;
  uint32_t reserved;
  uint64_t first_variant;
  uint64_t variant_count; /* the product of the radices and form_count */
} kernelgen_operation_record;

/* An input, output or scalar of an operation. */
typedef struct kernelgen_operand_record {
  uint32_t name;
  uint32_t type; /* code of a dtype, or KERNELGEN_TYPE_VARIABLE | index of a type variable */
} kernelgen_operand_record;

#endif
