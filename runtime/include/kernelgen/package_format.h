#ifndef KERNELGEN_PACKAGE_FORMAT_H
#define KERNELGEN_PACKAGE_FORMAT_H
/* Package format: all kernels of a build for all targets, in one contiguous byte sequence. A package is
 * stored in a file, which is read at open, or linked into a program (.incbin). Little-endian. All tables are
 * contiguous and may be compressed as one block. Table offsets are relative to the start of that block and
 * 8-byte aligned; all other offsets are relative to the start of the package. Uncompressed blobs are
 * 4096-byte aligned: 64 would suffice, but page alignment lets mapped blobs be passed to a driver. Strings
 * are offsets into one table of NUL-terminated UTF-8. A reader validates every offset before it follows it.
 * docs/package.md describes the format with a diagram. */
#include <stdint.h>

#define KERNELGEN_PACKAGE_MAGIC "KGENPKG"
#define KERNELGEN_PACKAGE_VERSION 6u
#define KERNELGEN_NO_KERNEL 0xffffffffu
#define KERNELGEN_NO_BLOB 0xffffffffu

/* Limits of an operation. Manifests and packages that exceed them are rejected, so that a call can use arrays
 * of these sizes. */
#define KERNELGEN_MAX_TYPE_VARIABLES 3u
#define KERNELGEN_MAX_INPUTS 3u
#define KERNELGEN_MAX_SCALARS 8u
#define KERNELGEN_MAX_RESULTS 8u
/* Maximum size of a kernel's arguments in bytes: what CUDA drivers accept on every GPU; HIP drivers accept
 * more. */
#define KERNELGEN_MAX_ARGUMENT_BYTES 4096u

/* Limits of decoding a blob: bytes of a compressed blob once decoded, and the number of other blobs decoded
 * before it. */
#define KERNELGEN_MAX_BLOB_BYTES (UINT64_C(64) << 20)
#define KERNELGEN_MAX_REFERENCES 2u

/* Element codes: the dtypes (kernelgen_dtype) from 0, with room for more, then b8, b16, b32, b64, the keys of
 * kernels that only move data. */
#define KERNELGEN_MAX_DTYPES 40u
#define KERNELGEN_FIRST_RAW_CODE 64u
#define KERNELGEN_ELEMENT_CODES 68u
#define KERNELGEN_NO_DIGIT 0xffu
/* Flag in an operand's type: the type is a type variable, and the other bits are its index in the
 * operation. */
#define KERNELGEN_TYPE_VARIABLE 0x80000000u

/* ZSTD: one Zstandard frame (RFC 8878) that records its content size. */
enum { KERNELGEN_CODEC_NONE = 0, KERNELGEN_CODEC_ZSTD = 1 };

/* A unit of stored bytes. */
typedef struct kernelgen_blob_record {
  uint64_t offset;
  uint64_t stored_bytes;
  uint64_t bytes; /* decoded */
  uint32_t codec;
  /* ZSTD: the blob whose decoded bytes are the prefix that the frame's matches may refer to, or
   * KERNELGEN_NO_BLOB. That blob may have a reference too; a chain has at most KERNELGEN_MAX_REFERENCES. */
  uint32_t reference;
  uint64_t hash_low; /* XXH3-128 of the decoded bytes, which names the blob */
  uint64_t hash_high;
} kernelgen_blob_record;

/* Location of a table of records in the table block. */
typedef struct kernelgen_table {
  uint64_t offset;
  uint64_t count; /* number of records; of bytes for the string table and the provenance text */
} kernelgen_table;

/* Header at the start of a package. */
typedef struct kernelgen_package_header {
  char magic[8];
  uint32_t version;
  uint32_t header_bytes;
  uint64_t package_bytes;
  uint64_t hash;                /* XXH3-64 of everything after the header */
  kernelgen_blob_record tables; /* the table block, with all tables below; has no reference blob */
  kernelgen_table strings;
  kernelgen_table provenance; /* JSON text: tool, compilers, flags, source hash; once per package */
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

/* A compilation target. */
typedef struct kernelgen_target_record {
  uint32_t name;                /* "gfx90a", "gfx11-generic", "cpu-x86-64-v3", "sm_90" */
  uint32_t kind;                /* 0 cpu, 1 hip, 2 cuda */
  uint32_t wave_size;           /* 1 for cpu */
  uint32_t code_object_version; /* 0 if not applicable */
} kernelgen_target_record;

/* Kernels that are compiled and loaded together. */
typedef struct kernelgen_module_record {
  uint32_t name;
  uint32_t first_kernel; /* a module's kernels are consecutive */
  uint32_t kernel_count;
  uint32_t reserved;
} kernelgen_module_record;

/* A kernel, identical for all targets. */
typedef struct kernelgen_kernel_record {
  uint32_t name;
  uint32_t module;
  uint32_t first_argument;
  uint32_t argument_count;
  uint32_t kernarg_bytes; /* end offset of the last argument */
  uint32_t block;         /* maximum block size, in threads, that the kernel is compiled for */
} kernelgen_kernel_record;

/* A kernel argument; its offset and size in the argument block are in bytes. */
typedef struct kernelgen_argument_record {
  uint32_t name;
  uint32_t type; /* as the manifest spells it: "const f32*", "u64", "Strided<2>" */
  uint32_t offset;
  uint32_t size;
  uint32_t is_pointer;
  uint32_t is_written; /* pointers: the kernel writes through it */
} kernelgen_argument_record;

/* Resource use of one kernel on one target, as recorded in the code object; zeros for cpu. */
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

/* A module's code for a target: a slice of a blob. Several objects may share a blob. */
typedef struct kernelgen_object_record {
  uint32_t blob;
  uint32_t reserved;
  uint64_t offset; /* in the decoded blob */
  uint64_t bytes;
} kernelgen_object_record;

/* A type variable of an operation: it accepts `radix` element codes, numbered by its row of `digits`.
 * digits[first_digit + code] is the number of a code, or KERNELGEN_NO_DIGIT if the variable does not accept
 * it. The row maps exactly one code to each number below radix. Variables that accept the same codes share a
 * row. */
typedef struct kernelgen_variable_record {
  uint32_t name; /* as in the manifest: "T" */
  uint32_t radix;
  uint32_t first_digit;
} kernelgen_variable_record;

/* How an operation is called by its name. Its kernels take the arguments of its kind: docs/package.md.
 * OTHER: by a function of the library, or by launching its kernels. MAP: by element; REDUCE: along any dims;
 * ROW: along the last dim; BODY: as its rule says; MATMUL: a product of matrices, whose results an epilogue maps. */
enum {
  KERNELGEN_OPERATION_OTHER = 0,
  KERNELGEN_OPERATION_MAP = 1,
  KERNELGEN_OPERATION_REDUCE = 2,
  KERNELGEN_OPERATION_ROW = 3,
  KERNELGEN_OPERATION_BODY = 4,
  KERNELGEN_OPERATION_MATMUL = 5
};

/* Partial results of a reduction, which decide their size; INDEX: of elements with their indices. */
enum {
  KERNELGEN_STATE_SUM = 0,
  KERNELGEN_STATE_EXTREME = 1,
  KERNELGEN_STATE_TRUTH = 2,
  KERNELGEN_STATE_INDEX = 3,
  KERNELGEN_STATE_EXPRESSION = 4
};
/* Flag of such a state: the kernels take 1 instead of the number of elements. */
#define KERNELGEN_STATE_COUNTS_ONE 0x80000000u

/* An operation and its kernels: for type variables with the numbers d0, d1 … and form f, the kernel is
 * variants[first_variant + ((d0 * radix1 + d1) * … ) * form_count + f]. */
typedef struct kernelgen_operation_record {
  uint32_t name;
  uint32_t kind; /* KERNELGEN_OPERATION_… */
  uint32_t first_variable;
  uint32_t variable_count;
  uint32_t first_operand; /* inputs, then the output, then scalars */
  uint32_t input_count;
  uint32_t scalar_count;
  uint32_t first_form;
  uint32_t form_count;
  uint32_t state; /* reduction: KERNELGEN_STATE_…; map: 1 if its kernels take its inputs swapped; else 0 */
  uint32_t rule;  /* BODY: a string, how its first forms are launched (docs/package.md), else 0 */
  uint32_t reserved;
  uint64_t first_variant;
  uint64_t variant_count; /* the product of the radices and form_count */
} kernelgen_operation_record;

/* An input, output or scalar of an operation. */
typedef struct kernelgen_operand_record {
  uint32_t name;
  uint32_t type; /* dtype code, or KERNELGEN_TYPE_VARIABLE | index of a type variable */
} kernelgen_operand_record;

#endif
