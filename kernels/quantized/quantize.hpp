#pragma once
/// Quantizes f32 to blocks, byte for byte as ggml's quantize_row_*_ref. One thread processes a block of 32
/// elements. A group of threads processes a block of 256: each chooses the step for 16 or 32 elements, codes
/// are exchanged in shared memory, and all threads write the block's bytes.
#include "device/convert.hpp"
#include "device/group.hpp"
#include "engines/spans.hpp"
#include "plan/abi.hpp"
#include "quantized/block_format.hpp"
#include "quantized/step_search.hpp"

namespace kg {

namespace detail {

/// Truncates toward zero; out-of-range values give the lowest integer, as on x86.
KG_DEVICE i32 truncated(f32 x) {
  return x >= -0x1p31f && x < 0x1p31f ? static_cast<i32>(x) : -0x7fffffff - 1;
}
KG_DEVICE i32 low_byte(i32 x) { return static_cast<i8>(x); }
KG_DEVICE f32 inverse_of(f32 step) { return step != 0 ? 1.0f / step : 0.0f; }

/// Writes the codes of elements i and i + 16 as nibbles; write_fifth_bits writes their fifth bits.
template <class Code>
KG_DEVICE void write_nibbles(u8 (&q)[16], Code code) {
  for (int i = 0; i < 16; ++i) q[i] = static_cast<u8>((code(i) & 15) | (code(i + 16) & 15) << 4);
}
template <class Code>
KG_DEVICE void write_fifth_bits(u8 (&high)[4], Code code) {
  for (int b = 0; b < 4; ++b) {
    u32 bits = 0;
    for (int i = 0; i < 8; ++i) bits |= static_cast<u32>(code(8 * b + i) >> 4 & 1) << i;
    high[b] = static_cast<u8>(bits);
  }
}

/// q4_0 and q5_0: the extreme element gets the lowest of 2 · zero codes.
template <int zero>
struct SymmetricCodes {
  const f32* x;
  f32 step, inverse;

  KG_DEVICE explicit SymmetricCodes(const f32* x)
      : x(x), step(extreme_of(x, 32) / -zero), inverse(inverse_of(step)) {}
  KG_DEVICE i32 operator()(int i) const {
    const i32 code = low_byte(truncated(x[i] * inverse + (zero + 0.5f)));
    return code < 2 * zero - 1 ? code : 2 * zero - 1;
  }
};

/// q4_1 and q5_1: the least element gets code 0, the greatest the last code.
template <int last>
struct CodesBetween {
  const f32* x;
  f32 least, step, inverse;

  KG_DEVICE explicit CodesBetween(const f32* x) : x(x), least(0x1.fffffep127f) {
    f32 greatest = -least;
    for (int i = 0; i < 32; ++i) {
      if (x[i] < least) least = x[i];
      if (x[i] > greatest) greatest = x[i];
    }
    step = (greatest - least) / last;
    inverse = inverse_of(step);
  }
  KG_DEVICE i32 operator()(int i) const {
    const i32 code = low_byte(truncated((x[i] - least) * inverse + 0.5f));
    return code < last ? code : last;
  }
};

/// q8_0 and q8_1.
struct ByteCodes {
  const f32* x;
  f32 step, inverse;

  KG_DEVICE explicit ByteCodes(const f32* x) : x(x) {
    f32 top = 0;
    for (int i = 0; i < 32; ++i) top = top > magnitude(x[i]) ? top : magnitude(x[i]);
    step = abs(top) / 127;  // may be -0 if all elements are zero
    inverse = inverse_of(step);
  }
  KG_DEVICE i32 operator()(int i) const {
    // Rounds half away from zero. Adding 0.5 would round a magnitude just below one half up.
    const f32 y = x[i] * inverse, whole = native::trunc(y), part = magnitude(y - whole);
    return low_byte(truncated(part >= 0.5f ? whole + (y < 0 ? -1.0f : 1.0f) : whole));
  }
};

KG_DEVICE void quantize_block(const f32* x, q4_0& block) {
  const SymmetricCodes<8> codes(x);
  block.d = narrow<f16>(codes.step);
  write_nibbles(block.q, codes);
}
KG_DEVICE void quantize_block(const f32* x, q4_1& block) {
  const CodesBetween<15> codes(x);
  block.d = narrow<f16>(codes.step);
  block.m = narrow<f16>(codes.least);
  write_nibbles(block.q, codes);
}
KG_DEVICE void quantize_block(const f32* x, q5_0& block) {
  const SymmetricCodes<16> codes(x);
  block.d = narrow<f16>(codes.step);
  write_nibbles(block.q, codes);
  write_fifth_bits(block.high, codes);
}
KG_DEVICE void quantize_block(const f32* x, q5_1& block) {
  const CodesBetween<31> codes(x);
  block.d = narrow<f16>(codes.step);
  block.m = narrow<f16>(codes.least);
  write_nibbles(block.q, codes);
  write_fifth_bits(block.high, codes);
}
KG_DEVICE void quantize_block(const f32* x, q8_0& block) {
  const ByteCodes codes(x);
  block.d = narrow<f16>(codes.step);
  for (int i = 0; i < 32; ++i) block.q[i] = static_cast<i8>(codes(i));
}
KG_DEVICE void quantize_block(const f32* x, q8_1& block) {
  const ByteCodes codes(x);
  block.d = narrow<f16>(codes.step);
  i32 sum = 0;
  for (int i = 0; i < 32; ++i) {
    block.q[i] = static_cast<i8>(codes(i));
    sum += codes(i);
  }
  block.s = narrow<f16>(static_cast<f32>(sum) * codes.step);
}

/// iq4_nl: codes for the step that maps the extreme element to the table's least value. The stored step
/// minimizes the squared error for these codes, weighted by the squares of the elements.
struct TableCodes {
  const f32* x;
  f32 inverse;

  static KG_DEVICE i32 value(i32 code) {
    return static_cast<i8>(BlockFormat<iq4_nl>::values(static_cast<u32>(code)));
  }
  KG_DEVICE i32 operator()(int i) const {
    const f32 y = inverse * x[i];
    if (y <= -127) return 0;
    if (y >= 113) return 15;
    i32 code = 15;  // code of the least value above y
    for (i32 c = 15; c > 0; --c)
      if (y < static_cast<f32>(value(c))) code = c;
    return y - static_cast<f32>(value(code - 1)) < static_cast<f32>(value(code)) - y ? code - 1 : code;
  }
};
KG_DEVICE void quantize_block(const f32* x, iq4_nl& block) {
  const f32 largest = extreme_of(x, 32);
  const bool is_zero = magnitude(largest) < 1e-15f;
  const TableCodes codes{x, is_zero ? 0.0f : 1.0f / (largest / -127.0f)};
  f32 products = 0, squares = 0;
  for (int i = 0; i < 32; ++i) {
    const f32 value = static_cast<f32>(TableCodes::value(codes(i))), weight = x[i] * x[i];
    products += weight * value * x[i];
    squares += weight * value * value;
  }
  block.d = narrow<f16>(!is_zero && squares > 0 ? products / squares : 0.0f);
  write_nibbles(block.q, [&](int i) KG_INLINE { return is_zero ? 0 : codes(i); });
}

/// floor(log2(x)) for x > 0, with the logarithm rounded to f32 first: the last values below a power of two
/// round up to it.
KG_DEVICE i32 floor_of_log2(f32 x) {
  const bool is_small = x < 0x1p-100f;
  const u32 bits = bit_cast<u32>(is_small ? x * 0x1p64f : x);
  const i32 above = static_cast<i32>(bits >> 23) - 126 - (is_small ? 64 : 0);  // x is below 2^above
  // The distance of the logarithm below `above`, to first order: only distances around 2^-18 matter.
  const f64 below = static_cast<f64>(0x800000u - (bits & 0x7fffffu)) * 0x1p-24 * 0x1.71547652b82fep+0;
  return static_cast<f32>(static_cast<f64>(above) - below) >= static_cast<f32>(above) ? above : above - 1;
}
KG_DEVICE void quantize_block(const f32* x, mxfp4& block) {
  f32 top = 0;
  for (int i = 0; i < 32; ++i)
    if (magnitude(x[i]) > top) top = magnitude(x[i]);
  const bool has_logarithm = top > 0 && top <= 0x1.fffffep127f;
  const u32 e = has_logarithm ? static_cast<u32>(floor_of_log2(top) - 2 + 127) & 255u : 0u;
  const f32 step = BlockFormat<mxfp4>::step(e);
  block.e = static_cast<u8>(e);
  write_nibbles(block.q, [&](int i) KG_INLINE {
    i32 nearest = 0;
    f32 least = magnitude(0 * step - x[i]);
    for (i32 code = 1; code < 16; ++code) {
      const f32 value = static_cast<f32>(static_cast<i8>(BlockFormat<mxfp4>::values(static_cast<u32>(code))));
      const f32 error = magnitude(value * step - x[i]);
      if (error < least) {
        nearest = code;
        least = error;
      }
    }
    return nearest;
  });
}

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

KG_DEVICE f16* minimum_of(q2_K& y) { return &y.m; }
KG_DEVICE f16* minimum_of(q4_K& y) { return &y.m; }
KG_DEVICE f16* minimum_of(q5_K& y) { return &y.m; }
KG_DEVICE f16* minimum_of(q3_K&) { return nullptr; }
KG_DEVICE f16* minimum_of(q6_K&) { return nullptr; }

/// The extreme element gets code -127.
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

}  // namespace detail

/// Quantizes blocks 0 … blocks - 1: the elements at from(i) to the block at to(i), or none if that is null.
/// All threads of a block must call it.
template <class W, class From, class To>
KG_DEVICE void quantize_blocks(u64 blocks, From from, To to) {
  constexpr u64 n = BlockFormat<W>::slices * slice_elements;
  if constexpr (n == slice_elements) {
    for_each_span(blocks, block_size(), [&](u64 first, u64 count) KG_INLINE {
      if (thread_index() >= count) return;
      if (W* const y = to(first + thread_index())) detail::quantize_block(from(first + thread_index()), *y);
    });
  } else if constexpr (same<W, q8_K>) {
    const Group group(16);
    for_each_span(blocks, group.count, [&](u64 first, u64 count) KG_INLINE {
      if (group.index >= count) return;
      if (W* const y = to(first + group.index))
        detail::quantize_by_bytes(from(first + group.index), *y, group.rank, group.size);
    });
  } else {
    using G = detail::Grouping<W>;
    const Group group(G::groups);
    KG_SHARED detail::BlockDraft drafts[is_gpu ? block_threads / G::groups : 1];
    for_each_span(blocks, group.count, [&](u64 first, u64 count) KG_INLINE {
      W* const y = group.index < count ? to(first + group.index) : nullptr;
      const bool is_mine = y != nullptr;
      detail::BlockDraft& draft = drafts[is_mine ? group.index : 0];
      const f32* const mine = from(first + (is_mine ? group.index : 0));
      for (u32 g = group.rank; is_mine && g < G::groups; g += group.size)
        G::search(mine, static_cast<int>(g), draft);
      sync();
      f16 d{}, m{};
      for (u32 g = group.rank; is_mine && g < G::groups; g += group.size)
        G::finish(mine, static_cast<int>(g), draft, d, m);
      sync();
      if (is_mine) {
        detail::write_block(draft, *y, group.rank, group.size);
        if (group.rank == 0) {
          y->d = d;
          if (f16* const minimum = detail::minimum_of(*y)) *minimum = m;
        }
      }
      sync();
    });
  }
}

/// Quantizes x, `blocks` blocks of contiguous elements, to blocks of W.
template <class W>
KG_DEVICE void quantize(const f32* x, W* y, u64 blocks) {
  constexpr u64 n = BlockFormat<W>::slices * slice_elements;
  quantize_blocks<W>(
      blocks, [=](u64 i) KG_INLINE { return x + i * n; }, [=](u64 i) KG_INLINE { return y + i; });
}

}  // namespace kg
