/* Written by bindings/generate.py from kernelgen/dtype.hpp; do not edit. */
#ifndef KERNELGEN_C_DTYPES_H
#define KERNELGEN_C_DTYPES_H
/* Element types of tensors. Included by base.h. */

/* Values of kernelgen_dtype. Types with blocks are quantized: elements along a tensor's last dim are stored in ggml's
 * formats, as codes of a few bits and the scales of their block. */
enum {
  KERNELGEN_U8 = 0,
  KERNELGEN_U32 = 1,
  KERNELGEN_I16 = 2,
  KERNELGEN_I32 = 3,
  KERNELGEN_I64 = 4,
  KERNELGEN_BF16 = 5,
  KERNELGEN_F16 = 6,
  KERNELGEN_F32 = 7,
  KERNELGEN_F64 = 8,
  KERNELGEN_F8E4M3 = 9,   /* OCP e4m3fn: no infinity, NaN is 0x7f or 0xff, largest finite value 448 */
  KERNELGEN_Q4_0 = 10,    /* blocks of 32: f16 scale, codes of 4 bits */
  KERNELGEN_Q4_1 = 11,    /* blocks of 32: f16 scale and offset, codes of 4 bits */
  KERNELGEN_Q5_0 = 12,    /* blocks of 32: f16 scale, codes of 5 bits */
  KERNELGEN_Q5_1 = 13,    /* blocks of 32: f16 scale and offset, codes of 5 bits */
  KERNELGEN_Q8_0 = 14,    /* blocks of 32: f16 scale, codes of 8 bits */
  KERNELGEN_Q8_1 = 15,    /* blocks of 32: f16 scale and scaled sum, codes of 8 bits */
  KERNELGEN_Q2_K = 16,    /* blocks of 256: 16 scales and offsets of 4 bits, codes of 2 bits */
  KERNELGEN_Q3_K = 17,    /* blocks of 256: 16 scales of 6 bits, codes of 3 bits */
  KERNELGEN_Q4_K = 18,    /* blocks of 256: 8 scales and offsets of 6 bits, codes of 4 bits */
  KERNELGEN_Q5_K = 19,    /* blocks of 256: 8 scales and offsets of 6 bits, codes of 5 bits */
  KERNELGEN_Q6_K = 20,    /* blocks of 256: 16 scales of 8 bits, codes of 6 bits */
  KERNELGEN_Q8_K = 21,    /* blocks of 256: f32 scale, codes of 8 bits and their sums */
  KERNELGEN_IQ4_NL = 22,  /* blocks of 32: f16 scale, codes of 4 bits that index a table of 16 values */
  KERNELGEN_MXFP4 = 23,   /* blocks of 32: scale as a power of two, e2m1 floats (OCP Microscaling v1.0) */
  KERNELGEN_IQ4_XS = 24,  /* blocks of 256: 8 scales of 6 bits, codes as in iq4_nl */
  KERNELGEN_NVFP4 = 25,   /* blocks of 64: 4 scales in e4m3, e2m1 floats */
  KERNELGEN_Q1_0 = 26,    /* blocks of 128: f16 scale, signs */
  KERNELGEN_Q2_0 = 27,    /* blocks of 64: f16 scale, codes of 2 bits for -1 to 2 */
  KERNELGEN_TQ1_0 = 28,   /* blocks of 256: f16 scale, base-3 digits for -1 to 1, five in a byte */
  KERNELGEN_TQ2_0 = 29,   /* blocks of 256: f16 scale, codes of 2 bits for -1 to 1 */
  KERNELGEN_IQ2_XXS = 30, /* blocks of 256: 8 scales of 4 bits, 8-bit indices of eight values, signs */
  KERNELGEN_IQ2_XS = 31,  /* blocks of 256: 16 scales of 4 bits, 9-bit indices of eight values, signs */
  KERNELGEN_IQ2_S = 32,   /* blocks of 256: 16 scales of 4 bits, 10-bit indices of eight values, signs */
  KERNELGEN_IQ3_XXS = 33, /* blocks of 256: 8 scales of 4 bits, 8-bit indices of four values, signs */
  KERNELGEN_IQ3_S = 34,   /* blocks of 256: 8 scales of 4 bits, 9-bit indices of four values, signs */
  KERNELGEN_IQ1_S = 35,   /* blocks of 256: 8 scales of 3 bits, 11-bit indices of eight values, ±1/8 */
  KERNELGEN_IQ1_M = 36,   /* blocks of 256: 16 scales of 3 bits, 11-bit indices of eight values, ±1/8 */
  KERNELGEN_DTYPE_COUNT = 37
};

#endif
