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
/// 256 elements q d (scale - 32), or (q - 4) d (scale - 32) if the element's bit of `high` is clear. q is laid out as in
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

/// 256 elements in groups of 32: value(q) d (scale - 32), with iq4_nl's values and q4_0's nibble order in each
/// group. Scale g is nibble g of `low` with bits 2 g and 2 g + 1 of `high` on top.
struct iq4_xs {
  f16 d;
  u16 high;
  u8 low[4], q[128];
};
/// 64 elements in groups of 16: value(q) scale / 2, with mxfp4's values. A scale is an e4m3 float whose sign is
/// ignored; 0x7f is 0. Byte i of a group's 8 holds elements i and i + 8.
struct nvfp4 {
  u8 scale[4], q[32];
};
/// 128 elements: d if the element's bit is set, else -d.
struct q1_0 {
  f16 d;
  u8 q[16];
};
/// 64 elements (q - 1) d. Byte i holds elements 4 i to 4 i + 3.
struct q2_0 {
  f16 d;
  u8 q[16];
};
/// 256 elements (q - 1) d, five base-3 digits per byte: digit n of byte b is floor(3 (b 3^n mod 256) / 256). Digit n of
/// q[i] is element 32 n + i for i < 32, and 160 + 16 n + i - 32 for the others; digit n of high[i] is element 240
/// + 4 n + i.
struct tq1_0 {
  u8 q[48], high[4];
  f16 d;
};
/// 256 elements (q - 1) d. q is laid out as in q2_K.
struct tq2_0 {
  u8 q[64];
  f16 d;
};
/// The iq formats below store indices of plan/codebooks.hpp's entries, and signs as bits. Where 8 elements have 7 of them, the
/// number of negative elements is even. 256 elements in 8 groups of 32, each of which has one scale, or two of 4 bits.
///
/// Group g has four bytes of indices and four of signs (7 bits each) with the scale on top: (scale + 1/2) / 4 d.
struct iq2_xxs {
  f16 d;
  u8 q[64];
};
/// Per 8 elements an index of 9 bits with 7 of signs on top.
struct iq2_xs {
  f16 d;
  u8 q[64], scale[8];
};
/// Per 8 elements an index's low byte in q, bits 2 i and 2 i + 1 of the group's byte of `high`, and 8 signs.
struct iq2_s {
  f16 d;
  u8 q[32], sign[32], high[8], scale[8];
};
/// Per 4 elements a byte of q; per group four bytes of signs with the scale on top: (scale + 1/2) / 2 d.
struct iq3_xxs {
  f16 d;
  u8 q[64], sign[32];
};
/// Per 4 elements a byte of q and a bit of `high`; 8 signs per 8. A nibble of `scale` per group: (2 scale + 1) d.
struct iq3_s {
  f16 d;
  u8 q[64], high[8], sign[32], scale[4];
};
/// Elements (value ± 1/8) (2 scale + 1) d: per 8 a byte of q and three bits of the group's word of `high`, with the scale and
/// the sign of 1/8 on top.
struct iq1_s {
  f16 d;
  u8 q[32];
  u16 high[8];
};
/// Per 8 elements a byte of q and a nibble of `high`, whose top bit is the sign of 1/8. Per 16 a scale of three bits, four in
/// each word of `scale`, whose upper nibbles are d.
struct iq1_m {
  u8 q[32], high[16];
  u16 scale[4];
};

template <class... W>
struct FormatList {};
/// All formats in the order of the dtypes.
using BlockFormats =
    FormatList<q4_0, q4_1, q5_0, q5_1, q8_0, q8_1, q2_K, q3_K, q4_K, q5_K, q6_K, q8_K, iq4_nl, mxfp4, iq4_xs,
               nvfp4, q1_0, q2_0, tq1_0, tq2_0, iq2_xxs, iq2_xs, iq2_s, iq3_xxs, iq3_s, iq1_s, iq1_m>;

}  // namespace kg
