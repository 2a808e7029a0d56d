#pragma once
/// Quantizes blocks of 256 elements, each by a group of threads: each chooses the step for 16 or 32 elements, codes
/// are exchanged in shared memory, and all threads write the block's bytes.
#include "quantized/quantize_block.hpp"

namespace kg {

namespace detail {

/// Intermediate results for a block of 256 elements: values per group, and codes from 0 on.
struct BlockDraft {
  f32 step[16], minimum[16];
  u8 scale[16], offset[16], code[256];
};

/// How a K format's groups are searched and encoded: `groups` groups of 256 / groups elements.
template <class W>
struct Grouping;

/// Formats whose group steps and minima are multiples of the block's, from 0 to `levels`.
template <class W, int count, int most_levels>
struct GroupingByLines {
  static constexpr int groups = count, n = 256 / count, levels = most_levels;

  static KG_DEVICE void search(const f32* x, int g, BlockDraft& draft) {
    const GroupSteps found = search_line<Grouping<W>>(x + g * n);
    draft.step[g] = found.step;
    draft.minimum[g] = -found.minimum;
    for (int i = 0; i < n; ++i)
      draft.code[g * n + i] = static_cast<u8>(
          found.inverse == 0 ? 0
                             : bounded(nearest_code(found.inverse * (x[g * n + i] - found.from)), 0,
                                       Grouping<W>::line.levels));
  }
  /// Returns the block's step and sets the group's scale; used for minima too.
  static KG_DEVICE f32 scales(const f32 (&steps)[16], int g, u8& scale) {
    f32 largest = 0;
    for (int k = 0; k < groups; ++k)
      if (steps[k] > largest) largest = steps[k];
    const i32 code = largest > 0 ? nearest_code(static_cast<f32>(levels) / largest * steps[g]) : 0;
    scale = static_cast<u8>((code & 255) < levels ? code & 255 : levels);
    return largest / static_cast<f32>(levels);
  }
  static KG_DEVICE void finish(const f32* x, int g, BlockDraft& draft, f16& d, f16& m) {
    d = narrow<f16>(scales(draft.step, g, draft.scale[g]));
    m = narrow<f16>(scales(draft.minimum, g, draft.offset[g]));
    const f32 step = widen(d) * static_cast<f32>(draft.scale[g]);
    const f32 minimum = widen(m) * static_cast<f32>(draft.offset[g]);
    if (step == 0) return;
    for (int i = 0; i < n; ++i)
      draft.code[g * n + i] = static_cast<u8>(
          bounded(nearest_code((x[g * n + i] + minimum) / step), 0, Grouping<W>::line.levels));
  }
};

template <>
struct Grouping<q2_K> : GroupingByLines<q2_K, 16, 15> {
  static constexpr LineSearch line{16, 3, -0.5f, 0.1f, 15, false, false};
};
template <>
struct Grouping<q4_K> : GroupingByLines<q4_K, 8, 63> {
  static constexpr LineSearch line{32, 15, -1.0f, 0.1f, 20, true, true};
};
template <>
struct Grouping<q5_K> : GroupingByLines<q5_K, 8, 63> {
  static constexpr LineSearch line{32, 31, -0.5f, 0.1f, 15, true, true};
};

/// Formats with signed scales: the extreme step gets the lowest scale, -32 or -128; codes are centered on
/// `zero`.
template <int zero>
struct GroupingBySigns {
  static constexpr int groups = 16, n = 16;

  /// The step of largest magnitude; 0 if negligible.
  static KG_DEVICE f32 largest_step(const BlockDraft& draft) {
    f32 largest = 0;
    for (int g = 0; g < groups; ++g)
      if (magnitude(draft.step[g]) > magnitude(largest)) largest = draft.step[g];
    return zero == 32 && magnitude(largest) < 1e-15f ? 0.0f : largest;
  }
  static KG_DEVICE void choose(const f32* x, int g, BlockDraft& draft, f32 step) {
    if (step == 0) return;
    for (int i = 0; i < n; ++i)
      draft.code[g * n + i] =
          static_cast<u8>(bounded(nearest_code(x[g * n + i] / step), -zero, zero - 1) + zero);
  }
};

template <>
struct Grouping<q3_K> : GroupingBySigns<4> {
  static KG_DEVICE void search(const f32* x, int g, BlockDraft& draft) {
    PackedCodes codes;
    draft.step[g] = search_by_change(x + g * n, codes);
    for (int i = 0; i < n; ++i) draft.code[g * n + i] = static_cast<u8>(codes.get(i) + 4);
  }
  static KG_DEVICE void finish(const f32* x, int g, BlockDraft& draft, f16& d, f16&) {
    const f32 largest = largest_step(draft), inverse = -32.0f / largest;
    d = narrow<f16>(largest != 0 ? 1.0f / inverse : 0.0f);
    const i32 scale =
        largest != 0 ? bounded(low_byte(nearest_code(inverse * draft.step[g])), -32, 31) + 32 : 0;
    draft.scale[g] = static_cast<u8>(scale);
    choose(x, g, draft, widen(d) * static_cast<f32>(scale - 32));
  }
};

template <>
struct Grouping<q6_K> : GroupingBySigns<32> {
  static KG_DEVICE void search(const f32* x, int g, BlockDraft& draft) {
    const GroupSteps found = search_around(x + g * n);
    draft.step[g] = found.step;
    // For an infinite element the step is NaN and the inverse is also 0.
    const bool has_none = found.step == 0 && found.inverse == 0;
    for (int i = 0; i < n; ++i)
      draft.code[g * n + i] =
          static_cast<u8>(has_none ? 0 : bounded(nearest_code(found.inverse * x[g * n + i]), -32, 31) + 32);
  }
  static KG_DEVICE void finish(const f32* x, int g, BlockDraft& draft, f16& d, f16&) {
    const f32 largest = largest_step(draft), inverse = -128.0f / largest;
    d = narrow<f16>(largest != 0 ? 1.0f / inverse : 0.0f);
    const i32 scale = largest != 0 ? nearest_code(inverse * draft.step[g]) : 0;
    draft.scale[g] = static_cast<u8>(scale < 127 ? scale : 127);
    if (largest == 0)
      for (int i = 0; i < n; ++i) draft.code[g * n + i] = 0;
    choose(x, g, draft, widen(d) * static_cast<f32>(static_cast<i8>(draft.scale[g])));
  }
};

/// iq4_xs: the step that fits codes best, of sixteen; the block's makes the extreme scale -32. Codes are chosen for the
/// block's step before it is rounded.
template <>
struct Grouping<iq4_xs> {
  static constexpr int groups = 8, n = 32;

  static KG_DEVICE void search(const f32* x, int g, BlockDraft& draft) {
    const f32* const mine = x + g * n;
    const f32 largest = extreme_of(mine, n);
    draft.step[g] = 0;
    if (magnitude(largest) < 1e-15f) return;
    f32 step = 0, most = 0;
    KG_NO_UNROLL for (int turn = -8; turn < 8; ++turn) {
      const bool is_first = turn == -8;
      const StepFit fit =
          TableCodes{mine, is_first ? 1.0f / (-largest / -127.0f) : static_cast<f32>(turn - 127) / largest}
              .fit();
      if (!is_first && !(fit.squares > 0 && fit.products * fit.products > most * fit.squares)) continue;
      step = fit.squares > 0 ? fit.products / fit.squares : 0.0f;
      most = step * fit.products;
    }
    draft.step[g] = step;
  }
  static KG_DEVICE void finish(const f32* x, int g, BlockDraft& draft, f16& d, f16&) {
    f32 largest = 0;
    for (int k = 0; k < groups; ++k)
      if (magnitude(draft.step[k]) > magnitude(largest)) largest = draft.step[k];
    const f32 whole = -largest / 32.0f;
    d = narrow<f16>(whole);
    const i32 scale = bounded(nearest_code(inverse_of(whole) * draft.step[g]), -32, 31);
    draft.scale[g] = static_cast<u8>(scale + 32);
    const TableCodes codes{x + g * n, inverse_of(whole * static_cast<f32>(scale))};
    for (int i = 0; i < n; ++i) draft.code[g * n + i] = static_cast<u8>(codes(i));
  }
};

/// Writes bytes `rank`, `rank` + `size`, … of `count` bytes, each given by byte(i).
template <class F>
KG_DEVICE void write_bytes(u8* to, int count, u32 rank, u32 size, F byte) {
  for (int i = static_cast<int>(rank); i < count; i += static_cast<int>(size))
    to[i] = static_cast<u8>(byte(i));
}

/// Byte i of 6-bit scales and offsets (see q4_K).
KG_DEVICE u32 six_bits_byte(const BlockDraft& d, int i) {
  if (i < 4) return d.scale[i] | static_cast<u32>(d.scale[i + 4] >> 4) << 6;
  if (i < 8) return d.offset[i - 4] | static_cast<u32>(d.offset[i] >> 4) << 6;
  return (d.scale[i - 4] & 15u) | (d.offset[i - 4] & 15u) << 4;
}
/// Two bits, from bit `shift` on, of four codes that are 32 apart.
KG_DEVICE u32 pairs_byte(const BlockDraft& d, int i, int shift) {
  const int first = i / 32 * 128 + i % 32;
  u32 byte = 0;
  for (int p = 0; p < 4; ++p) byte |= (d.code[first + 32 * p] >> shift & 3u) << 2 * p;
  return byte;
}
/// One bit of eight codes that are 32 apart.
KG_DEVICE u32 bits_byte(const BlockDraft& d, int i, int bit) {
  u32 byte = 0;
  for (int s = 0; s < 8; ++s) byte |= (d.code[32 * s + i] >> bit & 1u) << s;
  return byte;
}
/// The low nibbles of two codes that are 32 apart.
KG_DEVICE u32 nibbles_byte(const BlockDraft& d, int i) {
  const int first = i / 32 * 64 + i % 32;
  return (d.code[first] & 15u) | (d.code[first + 32] & 15u) << 4;
}

KG_DEVICE void write_block(const BlockDraft& d, q2_K& y, u32 rank, u32 size) {
  write_bytes(y.scale, 16, rank, size,
              [&](int i) KG_INLINE { return d.scale[i] | static_cast<u32>(d.offset[i]) << 4; });
  write_bytes(y.q, 64, rank, size, [&](int i) KG_INLINE { return pairs_byte(d, i, 0); });
}
KG_DEVICE void write_block(const BlockDraft& d, q3_K& y, u32 rank, u32 size) {
  write_bytes(y.high, 32, rank, size, [&](int i) KG_INLINE { return bits_byte(d, i, 2); });
  write_bytes(y.q, 64, rank, size, [&](int i) KG_INLINE { return pairs_byte(d, i, 0); });
  write_bytes(y.scale, 12, rank, size, [&](int i) KG_INLINE {
    if (i < 8) return (d.scale[i] & 15u) | (d.scale[i + 8] & 15u) << 4;
    u32 byte = 0;
    for (int k = 0; k < 4; ++k) byte |= static_cast<u32>(d.scale[i - 8 + 4 * k] >> 4) << 2 * k;
    return byte;
  });
}
KG_DEVICE void write_block(const BlockDraft& d, q4_K& y, u32 rank, u32 size) {
  write_bytes(y.scale, 12, rank, size, [&](int i) KG_INLINE { return six_bits_byte(d, i); });
  write_bytes(y.q, 128, rank, size, [&](int i) KG_INLINE { return nibbles_byte(d, i); });
}
KG_DEVICE void write_block(const BlockDraft& d, q5_K& y, u32 rank, u32 size) {
  write_bytes(y.scale, 12, rank, size, [&](int i) KG_INLINE { return six_bits_byte(d, i); });
  write_bytes(y.high, 32, rank, size, [&](int i) KG_INLINE { return bits_byte(d, i, 4); });
  write_bytes(y.q, 128, rank, size, [&](int i) KG_INLINE { return nibbles_byte(d, i); });
}
KG_DEVICE void write_block(const BlockDraft& d, q6_K& y, u32 rank, u32 size) {
  write_bytes(y.q, 128, rank, size, [&](int i) KG_INLINE {
    const int first = i / 64 * 128 + i % 64;
    return (d.code[first] & 15u) | (d.code[first + 64] & 15u) << 4;
  });
  write_bytes(y.high, 64, rank, size, [&](int i) KG_INLINE { return pairs_byte(d, i, 4); });
  write_bytes(reinterpret_cast<u8*>(y.scale), 16, rank, size, [&](int i) KG_INLINE { return d.scale[i]; });
}

KG_DEVICE void write_block(const BlockDraft& d, iq4_xs& y, u32 rank, u32 size) {
  write_bytes(y.low, 4, rank, size,
              [&](int i) KG_INLINE { return (d.scale[2 * i] & 15u) | (d.scale[2 * i + 1] & 15u) << 4; });
  write_bytes(y.q, 128, rank, size, [&](int i) KG_INLINE {
    const int first = i / 16 * 32 + i % 16;
    return d.code[first] | static_cast<u32>(d.code[first + 16]) << 4;
  });
  if (rank > 0) return;
  u32 high = 0;
  for (int g = 0; g < 8; ++g) high |= static_cast<u32>(d.scale[g] >> 4) << 2 * g;
  y.high = static_cast<u16>(high);
}

KG_DEVICE f16* minimum_of(q2_K& y) { return &y.m; }
KG_DEVICE f16* minimum_of(q4_K& y) { return &y.m; }
KG_DEVICE f16* minimum_of(q5_K& y) { return &y.m; }
KG_DEVICE f16* minimum_of(q3_K&) { return nullptr; }
KG_DEVICE f16* minimum_of(q6_K&) { return nullptr; }
KG_DEVICE f16* minimum_of(iq4_xs&) { return nullptr; }

/// q8_K: the extreme element gets code -127.
KG_DEVICE void quantize_by_bytes(const f32* x, q8_K& y, u32 rank, u32 size) {
  const f32 largest = extreme_of(x, 256);
  const f32 inverse = largest != 0 ? -127.0f / largest : 0.0f;
  for (u32 g = rank; g < 16; g += size) {
    i32 sum = 0;
    for (u32 i = 16 * g; i < 16 * g + 16; ++i) {
      const i32 code = nearest_code(inverse * x[i]);
      y.q[i] = static_cast<i8>(code < 127 ? code : 127);
      sum += y.q[i];
    }
    y.sum[g] = static_cast<i16>(sum);
  }
  if (rank == 0) y.d = largest != 0 ? 1.0f / inverse : 0.0f;
}

/// Codes -1 to 1 of 256 elements, plus one. ggml rounds to an integer of 64 bits: what that does not hold becomes
/// the lowest, whose low byte is 0, as it is of magnitudes from 2^31 on.
struct TernaryCodes {
  const f32* x;
  f32 step, inverse;

  KG_DEVICE explicit TernaryCodes(const f32* x) : x(x), step(top_of(x, 256)), inverse(inverse_of(step)) {}
  KG_DEVICE i32 operator()(int i) const {
    const f32 whole = rounded(x[i] * inverse);
    return (magnitude(whole) < 0x1p31f ? static_cast<i32>(whole) : 0) + 1;
  }
};

KG_DEVICE void quantize_by_bytes(const f32* x, tq1_0& y, u32 rank, u32 size) {
  const TernaryCodes codes(x);
  write_bytes(reinterpret_cast<u8*>(&y), 52, rank, size, [&](int i) KG_INLINE {
    const int apart = i < 32 ? 32 : i < 48 ? 16 : 4, first = i < 32 ? i : i < 48 ? 128 + i : 192 + i;
    u32 q = 0;
    for (int n = 0; n < 5; ++n)
      q = q * 3 + (n < 4 || i < 48 ? static_cast<u32>(codes(first + n * apart)) : 0u);
    // Rounded up, so that the digits can be taken from the top.
    return ((q & 255u) * 256 + 242) / 243;
  });
  if (rank == 0) y.d = narrow<f16>(codes.step);
}

KG_DEVICE void quantize_by_bytes(const f32* x, tq2_0& y, u32 rank, u32 size) {
  const TernaryCodes codes(x);
  write_bytes(y.q, 64, rank, size, [&](int i) KG_INLINE {
    u32 byte = 0;
    for (int n = 0; n < 4; ++n)
      byte |= (static_cast<u32>(codes(i / 32 * 128 + i % 32 + 32 * n)) & 3u) << 2 * n;
    return byte;
  });
  if (rank == 0) y.d = narrow<f16>(codes.step);
}

/// Formats whose bytes are computed from all 256 elements without a draft.
template <class W>
inline constexpr bool is_by_bytes = same<W, q8_K> || same<W, tq1_0> || same<W, tq2_0>;

}  // namespace detail

}  // namespace kg
