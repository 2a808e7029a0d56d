#pragma once
/// A block's share of the operands of a matrix product while it computes one tile of results.
#include "device/convert.hpp"
#include "device/matrix.hpp"
#include "device/pack.hpp"
#include "engines/matrix_pair.hpp"

namespace kg::detail {

/// Layout of `rows` rows of `depth` terms in shared memory: lines of contiguous terms or of contiguous rows.
/// Lines are padded to avoid bank conflicts.
template <class S, u32 rows, u32 depth, bool by_terms>
struct PanelLayout {
  static constexpr u32 padding = 16 / sizeof(S);
  static constexpr u32 row_step = by_terms ? depth + padding : 1;
  static constexpr u32 term_step = by_terms ? 1 : rows + padding;
  static constexpr u32 elements = by_terms ? rows * row_step : depth * term_step;

  static KG_DEVICE u32 offset(u32 row, u32 term) { return row * row_step + term * term_step; }
};

/// Converts two f16 to bf16. Both must be exact in bf16, as all f8e4m3 values are.
KG_DEVICE u32 f16_to_exact_bf16(u32 pair) {
  const f32 low = widen(f16{static_cast<u16>(pair)}), high = widen(f16{static_cast<u16>(pair >> 16)});
  return native::high_halves(bit_cast<u32>(low), bit_cast<u32>(high));
}

template <class S, class T>
KG_DEVICE S to_multiplied(T x) {
  if constexpr (same<S, T>)
    return x;
  else
    return convert<S>(widen(x));
}
template <class S, class T, int W>
KG_DEVICE Pack<S, W> to_multiplied(const Pack<T, W>& x) {
  if constexpr (same<S, T>) {
    return x;
  } else {
    Pack<S, W> pack{};
    if constexpr (same<T, f8e4m3> && sizeof(S) == 2 && W % 4 == 0 && native::widens_f8_by_pairs) {
      KG_UNROLL for (int w = 0; w < W / 4; ++w)
          native::f8_to_f16(x.word[w], pack.word[2 * w], pack.word[2 * w + 1]);
      if constexpr (same<S, bf16>) {
        KG_UNROLL for (u32& pair : pack.word) pair = f16_to_exact_bf16(pair);
      }
    } else {
      KG_UNROLL for (int e = 0; e < W; ++e) pack.set(e, to_multiplied<S>(x.get(e)));
    }
    return pack;
  }
}

/// Elements of one 16-byte access, or fewer if a thread's share of a panel is smaller.
template <class T>
KG_DEVICE constexpr u32 panel_width(u32 each) {
  constexpr u32 widest = 16 / sizeof(T);
  return widest < each ? widest : each;
}

/// The part of one operand that a tile processes at a time: `rows` rows (of b: columns) of `depth` terms. A
/// thread holds several packs of it on their way to shared memory. Derived panels add load().
template <class T, class S, u32 rows, u32 depth, bool by_terms>
struct PanelShare {
  static constexpr bool is_by_terms = by_terms;
  static constexpr u32 each = rows * depth / block_threads;
  static constexpr u32 width = panel_width<T>(each);
  static constexpr u32 packs = each / width;
  using Layout = PanelLayout<S, rows, depth, by_terms>;

  bool along_terms;       ///< packs run along the terms, else along the rows
  u32 own_row, own_term;  ///< where this thread's first pack begins
  u32 line_step;          ///< rows or terms between consecutive packs
  Pack<T, width> held[packs];

  KG_DEVICE explicit PanelShare(bool along_terms) : along_terms(along_terms) {
    const u32 length = along_terms ? depth : rows, thread = thread_index();
    u32 position, line;
    if (along_terms == by_terms) {
      position = thread * width % length;
      line = thread * width / length;
      line_step = block_threads * width / length;
    } else {
      // A thread's packs are adjacent, so that their transpose consists of packs too.
      const u32 groups = (along_terms ? rows : depth) / packs;
      position = along_terms ? thread * width % length : thread / groups * width;
      line = (along_terms ? thread * width / length : thread % groups) * packs;
      line_step = 1;
    }
    own_row = along_terms ? line : position;
    own_term = along_terms ? position : line;
  }

  /// First row and term of pack p.
  KG_DEVICE u32 row(u32 p) const { return own_row + (along_terms ? p * line_step : 0); }
  KG_DEVICE u32 term(u32 p) const { return own_term + (along_terms ? 0 : p * line_step); }

  /// Whether packs have the same direction in shared memory as in registers.
  KG_DEVICE bool is_lengthwise() const { return along_terms == by_terms; }
  KG_DEVICE void store(S* to) const {
    if (is_lengthwise())
      store_as<true>(to);
    else
      store_as<false>(to);
  }
  /// store() with the direction known at compile time.
  template <bool lengthwise>
  KG_DEVICE void store_as(S* to) const {
    S* first = to + Layout::offset(own_row, own_term);
    if constexpr (lengthwise) {
      constexpr u32 lines = block_threads * width / (by_terms ? depth : rows);
      constexpr u32 across = lines * (by_terms ? Layout::row_step : Layout::term_step);
      KG_UNROLL for (u32 p = 0; p < packs; ++p) store_pack(first + p * across, to_multiplied<S>(held[p]));
      return;
    }
    constexpr u32 along = by_terms ? Layout::row_step : Layout::term_step;
    Pack<S, width> line[packs];
    KG_UNROLL for (u32 p = 0; p < packs; ++p) line[p] = to_multiplied<S>(held[p]);
    if constexpr (sizeof(S) == 2 && packs % 2 == 0 && width % 2 == 0) {
      KG_UNROLL for (u32 w = 0; w < width / 2; ++w) {
        Pack<S, packs> even, odd;
        KG_UNROLL for (u32 p = 0; p < packs / 2; ++p) {
          even.word[p] = native::low_halves(line[2 * p].word[w], line[2 * p + 1].word[w]);
          odd.word[p] = native::high_halves(line[2 * p].word[w], line[2 * p + 1].word[w]);
        }
        store_pack(first + 2 * w * along, even);
        store_pack(first + (2 * w + 1) * along, odd);
      }
    } else {
      KG_UNROLL for (u32 e = 0; e < width; ++e) {
        Pack<S, packs> pack{};
        KG_UNROLL for (u32 p = 0; p < packs; ++p)
            pack.set(static_cast<int>(p), line[p].get(static_cast<int>(e)));
        store_pack(first + e * along, pack);
      }
    }
  }
};

KG_DEVICE u32 at_most(u64 x, u32 most) { return x < most ? static_cast<u32>(x) : most; }

/// Whether packs along x's contiguous direction are one access each.
template <u32 width, class T>
KG_DEVICE bool has_aligned_packs(const Matrix<T>& x) {
  const bool along_terms = x.row_stride != 1;
  const i64 step = along_terms ? x.term_stride : x.row_stride,
            line = along_terms ? x.row_stride : x.term_stride;
  return step == 1 && is_aligned<width>(x.data) && (line & (width - 1)) == 0;
}

/// A panel of any matrix, from `first_row` on. begin() loads the first part, load() the next.
template <class T, class S, u32 rows, u32 depth, bool by_terms>
struct MatrixPanel : PanelShare<T, S, rows, depth, by_terms> {
  using Share = PanelShare<T, S, rows, depth, by_terms>;
  using Share::along_terms, Share::held, Share::line_step, Share::packs, Share::row, Share::term,
      Share::width;

  bool aligned;  ///< packs inside the operand are one access
  i64 step, pack_step,
      part_step;   ///< between elements of a pack; between packs; between parts
  u32 rows_left;   ///< from the panel's first row on
  u64 terms_left;  ///< from the next part on
  const T* at;     ///< start of the thread's first pack in the next part

  KG_DEVICE MatrixPanel(const Matrix<T>& x, u64 first_row, bool along_terms)
      : Share(along_terms), aligned(has_aligned_packs<width>(x)), terms_left(x.terms) {
    step = along_terms ? x.term_stride : x.row_stride;
    pack_step = line_step * (along_terms ? x.row_stride : x.term_stride);
    part_step = static_cast<i64>(depth) * x.term_stride;
    rows_left = at_most(x.rows - first_row, rows);
    at = x.data + static_cast<i64>(first_row + row(0)) * x.row_stride + term(0) * x.term_stride;
  }

  KG_DEVICE void begin(u32) { load(); }
  KG_DEVICE void load() {
    const u32 terms = at_most(terms_left, depth);
    terms_left -= terms;
    KG_UNROLL for (u32 p = 0; p < packs; ++p) {
      const T* from = at + p * pack_step;
      const u32 in_rows = row(p) < rows_left ? rows_left - row(p) : 0;
      const u32 in_terms = term(p) < terms ? terms - term(p) : 0;
      const u32 along = along_terms ? in_terms : in_rows, across = along_terms ? in_rows : in_terms;
      load_part(p, from, across == 0 ? 0 : along < width ? along : width);
    }
    at += part_step;
  }

 private:
  /// Loads the first `left` elements of pack p and zeros the rest.
  KG_DEVICE void load_part(u32 p, const T* from, u32 left) {
    if (left == width && aligned) {
      held[p] = load_pack<width>(from);
      return;
    }
    Pack<T, width> pack{};
    // Repeats the last element in place of missing ones, then masks them to zero: a condition per element
    // would need more scalar registers than there are.
    if (left != 0) {
      KG_UNROLL for (u32 e = 0; e < width; ++e)
          pack.set(static_cast<int>(e), from[static_cast<i64>(e < left ? e : left - 1) * step]);
    }
    KG_UNROLL for (int w = 0; w < Pack<T, width>::words; ++w) held[p].word[w] =
        pack.word[w] & low_bits(static_cast<i32>(left * sizeof(T) * 8) - 8 * Pack<T, width>::word_bytes * w);
  }

  using Word = typename Pack<T, width>::Word;
  /// A mask of the `count` lowest bits; none if count < 1, all if it exceeds the word.
  static KG_DEVICE Word low_bits(i32 count) {
    constexpr i32 all = 8 * sizeof(Word);
    return count <= 0 ? Word(0) : ~Word(0) >> (count < all ? all - count : 0);
  }
};

}  // namespace kg::detail
