#pragma once
/// Blocks of quantized elements, byte for byte as in ggml's files (ggml-common.h of https://github.com/ggml-org/ggml).
/// Elements are written here as [0, 32) or [0, 256), nibbles as their low and high halves.
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
/// 32 elements (q - 16) d: bit i of `high` is element i's fifth.
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
/// The same, with s = d Σ q.
struct q8_1 {
  f16 d, s;
  i8 q[32];
};
/// 256 elements in runs of 16, each with a scale (low) and an offset (high): q (d low) - (m high). Bits 2 p of byte
/// 32 h + i belong to element 128 h + 32 p + i.
struct q2_K {
  u8 scale[16], q[64];
  f16 d, m;
};
/// 256 elements (q - 4 where the bit of `high` is clear) d (scale - 32), q as q2_K's, bit 4 h + p of high[i] for
/// element 128 h + 32 p + i. Sixteen scales of 6 bits: low nibbles of bytes 0 to 7, then their high ones; the upper two
/// bits in bytes 8 to 11.
struct q3_K {
  u8 high[32], q[64], scale[12];
  f16 d;
};
/// 256 elements in runs of 32: q (d scale) - (m offset). Run 2 j is the low nibbles of bytes 32 j to 32 j + 31, run
/// 2 j + 1 the high ones. Scales, then offsets, of runs 0 to 3 are the low 6 bits of bytes 0 to 3 and 4 to 7; those
/// of runs 4 to 7 have their low 4 bits in bytes 8 to 11 (low, high), their upper two on top of bytes 0 to 7.
struct q4_K {
  f16 d, m;
  u8 scale[12], q[128];
};
/// The same with a fifth bit: bit j of high[i] for element i of run j.
struct q5_K {
  f16 d, m;
  u8 scale[12], high[32], q[128];
};
/// 256 elements (q - 32) (d scale) in runs of 16. Element 128 h + 32 p + i has its low 4 bits in byte 64 h + 32 (p % 2)
/// + i, in the high nibble where p >= 2, and its upper 2 in bits 2 p of high[32 h + i].
struct q6_K {
  u8 q[128], high[64];
  i8 scale[16];
  f16 d;
};
/// 256 elements q d, with the sums of runs of 16.
struct q8_K {
  f32 d;
  i8 q[256];
  i16 sum[16];
};
/// 32 elements d value(q), nibbles as q4_0's.
struct iq4_nl {
  f16 d;
  u8 q[16];
};
/// 32 elements 2^(e - 127) value(q), nibbles as q4_0's (OCP Microscaling formats, v1.0).
struct mxfp4 {
  u8 e, q[16];
};

}  // namespace kg
