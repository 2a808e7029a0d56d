#pragma once
/// Quantized blocks with the byte layout of ggml's files (ggml-common.h of https://github.com/ggml-org/ggml).
/// Elements are numbered [0, 32) or [0, 256). A byte's nibbles are its low and high half.
#include "device/types.hpp"

namespace kg {

/// 32 elements (q - 8) d: byte i holds elements i and i + 16.
struct q4_0 {
  f16 d;
  u8 q[16];
};
/// 32 elements q d + m.
struct q4_1 {
  f16 d, m;
  u8 q[16];
};
/// 32 elements (q - 16) d. Bit i of `high` is the fifth bit of element i.
struct q5_0 {
  f16 d;
  u8 high[4], q[16];
};
/// 32 elements q d + m.
struct q5_1 {
  f16 d, m;
  u8 high[4], q[16];
};
/// 32 elements q d.
struct q8_0 {
  f16 d;
  i8 q[32];
};
/// q8_0 with s = d Σ q.
struct q8_1 {
  f16 d, s;
  i8 q[32];
};
/// 256 elements in groups of 16, each with a scale (low nibble) and an offset (high nibble): q (d low) - (m
/// high). Bits 2 p and 2 p + 1 of byte 32 h + i are element 128 h + 32 p + i.
struct q2_K {
  u8 scale[16], q[64];
  f16 d, m;
};
/// 256 elements (q - 4 if the element's bit of `high` is clear, else q) d (scale - 32). q is laid out as in
/// q2_K. Bit 4 h + p of high[i] belongs to element 128 h + 32 p + i. Sixteen 6-bit scales: the low nibbles of
/// bytes 0 to 7, then their high nibbles; the upper two bits are in bytes 8 to 11.
struct q3_K {
  u8 high[32], q[64], scale[12];
  f16 d;
};
/// 256 elements in groups of 32: q (d scale) - (m offset). Group 2 j is the low nibbles of bytes 32 j to 32 j
/// + 31, group 2 j + 1 the high nibbles. The scales of groups 0 to 3 are the low 6 bits of bytes 0 to 3;
/// their offsets are those of bytes 4 to 7. Groups 4 to 7 have the low 4 bits in bytes 8 to 11 (scale in the
/// low nibble, offset in the high nibble) and the upper two bits on top of bytes 0 to 7.
struct q4_K {
  f16 d, m;
  u8 scale[12], q[128];
};
/// q4_K with a fifth bit: bit j of high[i] for element i of group j.
struct q5_K {
  f16 d, m;
  u8 scale[12], high[32], q[128];
};
/// 256 elements (q - 32) (d scale) in groups of 16. The low 4 bits of element 128 h + 32 p + i are in byte 64
/// h + 32 (p % 2) + i, in the high nibble if p >= 2. The upper 2 bits are bits 2 p and 2 p + 1 of high[32 h +
/// i].
struct q6_K {
  u8 q[128], high[64];
  i8 scale[16];
  f16 d;
};
/// 256 elements q d, with the sums of groups of 16.
struct q8_K {
  f32 d;
  i8 q[256];
  i16 sum[16];
};
/// 32 elements d value(q), with q4_0's nibble order.
struct iq4_nl {
  f16 d;
  u8 q[16];
};
/// 32 elements 2^(e - 127) value(q), with q4_0's nibble order (OCP Microscaling formats, v1.0).
struct mxfp4 {
  u8 e, q[16];
};

}  // namespace kg
