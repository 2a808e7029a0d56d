#pragma once
/// Building blocks of matrix products on CPUs: panels, which are rows packed in the order that vectors of
/// products read them.
#include "device/convert.hpp"
#include "device/prefetch.hpp"
#include "engines/matrix_pair.hpp"
#include "engines/transpose_cpu.hpp"

namespace kg::detail {

template <class F>
struct Blocking {
  typedef F Vector __attribute__((ext_vector_type(vector_bytes / sizeof(F))));
  static constexpr u32 lanes = vector_bytes / sizeof(F);
  /// Results in registers: `down` rows of two vectors. With the operands they use all vector registers.
  static constexpr u32 down = vector_bytes == 64 ? 14 : 6, across = 2 * lanes;
  /// Terms accumulated in registers before they join the total.
  static constexpr u32 words = 1024 / sizeof(F);
  /// Tile of a block: its panels fill part of L2 and fit any thread's stack.
  static constexpr u32 rows = vector_bytes == 64 ? 9 * down : 20 * down,
                       columns = vector_bytes == 64 ? 256 : 128;
};

/// A vector of contiguous elements, widened by the vector unit's own conversions.
template <class T, class F = widened<T>>
KG_DEVICE typename Blocking<F>::Vector load_vector(const T* p) {
  using Vector = typename Blocking<F>::Vector;
  constexpr u32 lanes = Blocking<F>::lanes;
  if constexpr (same<T, f16>) {
    typedef _Float16 Halves __attribute__((ext_vector_type(lanes), aligned(2)));
    return __builtin_convertvector(*reinterpret_cast<const Halves*>(p), Vector);
  } else if constexpr (same<T, bf16>) {
    typedef u16 Halves __attribute__((ext_vector_type(lanes), aligned(2)));
    typedef u32 Words __attribute__((ext_vector_type(lanes)));
    return __builtin_bit_cast(Vector, __builtin_convertvector(*reinterpret_cast<const Halves*>(p), Words)
                                          << 16u);
  } else if constexpr (same<T, F>) {
    typedef F Unaligned __attribute__((ext_vector_type(lanes), aligned(sizeof(F))));
    return *reinterpret_cast<const Unaligned*>(p);
  } else if constexpr (same<T, f8e4m3> && sizeof(F) == 4) {
    // Subnormals are converted from integers: arithmetic on subnormal f32 would be a hundred times slower.
    typedef u8 Bytes __attribute__((ext_vector_type(lanes), aligned(1)));
    typedef u32 Words __attribute__((ext_vector_type(lanes)));
    const Words bits = __builtin_convertvector(*reinterpret_cast<const Bytes*>(p), Words);
    const Words magnitude = bits & 0x7fu, normal = (magnitude << 20u) + (120u << 23);
    const Words subnormal = __builtin_bit_cast(Words, __builtin_convertvector(magnitude, Vector) * 0x1p-9f);
    const Words is_small = __builtin_bit_cast(Words, magnitude < 8u);
    const Words is_nan = __builtin_bit_cast(Words, magnitude == 0x7fu);
    return __builtin_bit_cast(Vector, (is_small & subnormal) | (~is_small & normal) | (is_nan & 0x7fc00000u) |
                                          (bits & 0x80u) << 24u);
  } else {
    F line[lanes];
    for (u32 l = 0; l < lanes; ++l) line[l] = widen(p[l]);
    return __builtin_bit_cast(Vector, line);
  }
}

/// The first `count` of up to 64 bytes of contiguous elements; the rest are 0.
template <u32 most, class T>
struct SomeElements {
#if defined(__AVX512BW__)
  // Of the accessed type: clang takes a copy of an array apart, element by element.
  typedef char Bytes __attribute__((vector_size(64)));
  static_assert(most * sizeof(T) <= sizeof(Bytes), "one access has them");
  Bytes bytes;

  KG_DEVICE SomeElements(const T* p, u32 count)
      : bytes(__builtin_ia32_loaddquqi512_mask(reinterpret_cast<const Bytes*>(p), Bytes{},
                                               (u64{1} << count * sizeof(T)) - 1)) {}
  KG_DEVICE const T* data() const { return reinterpret_cast<const T*>(&bytes); }
#else
  T element[most];

  KG_DEVICE SomeElements(const T* p, u32 count) {
    for (u32 i = 0; i < most; ++i) element[i] = i < count ? p[i] : T{};
  }
  KG_DEVICE const T* data() const { return element; }
#endif
};

/// Panel words of one term each, in the type of the sums.
template <class T>
struct WidenedTerms {
  using Sum = widened<T>;
  using Word = Sum;
  using Vector = typename Blocking<Sum>::Vector;
  static constexpr u32 in_word = 1, lanes = Blocking<Sum>::lanes;

  /// A vector of words from consecutive terms of a row, of which `count` exist.
  KG_DEVICE Vector of_row(const T* p, u32 count) {
    return load_vector(count < lanes ? SomeElements<lanes, T>(p, count).data() : p);
  }
  /// One word from each of `count` consecutive rows. `terms` terms of a word exist, a stride apart.
  KG_DEVICE Vector of_rows(const T* p, u32 count, u32 /*terms*/, i64 /*term_stride*/) {
    return of_row(p, count);
  }
  static KG_DEVICE Vector multiply_add(Vector a, Vector b, Vector sum) { return kg::multiply_add(a, b, sum); }
  KG_DEVICE bool are_right() const { return true; }
};

/// Panel words of two terms each, for instructions that accumulate products of pairs.
template <class T>
struct PairedTerms : WidenedTerms<T> {
  static constexpr bool exist() { return false; }
};

#if defined(__AVX512BW__)

/// AVX512_BF16, independent of the instruction set that kernels are compiled for. It flushes subnormal
/// elements and sums to zero; otherwise its results equal two f32 additions. Magnitudes of at least 2^-56,
/// and 0, are exact: they are multiples of 2^-63, so products and their sums are multiples of 2^-126, the
/// least normal f32. Doubling an element's bits drops the sign; subtracting 1 makes 0 the greatest value.
template <>
struct PairedTerms<bf16> {
  using Sum = f32;
  using Word = u32;
  static constexpr u32 in_word = 2, lanes = 16;
  typedef u32 Vector __attribute__((ext_vector_type(lanes)));
  using Sums = Blocking<f32>::Vector;
  typedef u16 Elements __attribute__((ext_vector_type(2 * lanes)));
  typedef u16 Half __attribute__((ext_vector_type(lanes)));

  Elements least = Elements(u16{0xffff});

  static bool exist() { return __builtin_cpu_supports("avx512bf16") != 0; }
  KG_DEVICE Vector seen(Vector words) {
    least = __builtin_elementwise_min(least, bit_cast<Elements>(words) * u16{2} + u16{0xffff});
    return words;
  }
  KG_DEVICE Vector of_row(const bf16* p, u32 count) {
    Vector words;
    if (count < 2 * lanes)
      words = bit_cast<Vector>(SomeElements<2 * lanes, bf16>(p, count));
    else
      __builtin_memcpy(&words, p, sizeof(words));
    return seen(words);
  }
  KG_DEVICE Vector of_rows(const bf16* p, u32 count, u32 terms, i64 term_stride) {
    Vector words = __builtin_convertvector(half(p, count), Vector);
    if (terms == 2) words |= __builtin_convertvector(half(p + term_stride, count), Vector) << 16u;
    return seen(words);
  }
  static KG_DEVICE Sums multiply_add(Vector a, Vector b, Sums sum) {
    asm("vdpbf16ps %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
    return sum;
  }
  KG_DEVICE bool are_right() const {
    constexpr u16 least_exact = (127 - 56) << 8;
    return __builtin_reduce_min(least) >= least_exact - 1;
  }

 private:
  static KG_DEVICE Half half(const bf16* p, u32 count) {
    Half elements;
    const SomeElements<lanes, bf16> some(p, count < lanes ? count : lanes);
    __builtin_memcpy(&elements, some.data(), sizeof(elements));
    return elements;
  }
};

#endif

/// Stores a vector of a panel's words at `row`, clipped to the panel's width.
template <u32 width, class Word, class Vector>
KG_DEVICE void store_words(Word* line, u32 row, Vector words) {
  constexpr u32 lanes = sizeof(Vector) / sizeof(Word), rest = width % lanes;
  if (row + lanes > width)
    __builtin_memcpy(line + row, &words, rest * sizeof(Word));
  else
    __builtin_memcpy(line + row, &words, sizeof(words));
}

/// Calls store(word, line) for each word of up to a vector's rows; `line` has that word of each row.
template <class Terms, class T, class Store>
KG_DEVICE void pack_rows(Terms& kind, const T* from, i64 row_stride, i64 term_stride, u32 rows, u32 terms,
                         const Store& store) {
  using Vector = typename Terms::Vector;
  constexpr u32 lanes = Terms::lanes, in_word = Terms::in_word;
  if (term_stride == 1) {
    for (u32 t = 0; t < terms; t += lanes * in_word) {
      Vector line[lanes];
      // Prefetches the following rows: there are too many streams for the hardware prefetcher.
      KG_UNROLL for (u32 i = 0; i < lanes; ++i) prefetch(from + (i + lanes) * row_stride + t, 1);
      KG_UNROLL for (u32 i = 0; i < lanes; ++i) line[i] =
          kind.of_row(from + (i < rows ? i : rows - 1) * row_stride + t, terms - t);
      transpose(line);
      KG_UNROLL for (u32 i = 0; i < lanes; ++i) store(t / in_word + i, line[i]);
    }
    return;
  }
  for (u32 t = 0; t < terms; t += in_word) {
    const T* const at = from + t * term_stride;
    const u32 here = terms - t < in_word ? terms - t : in_word;
    T element[lanes * in_word] = {};
    for (u32 i = 0; i < rows; ++i)
      for (u32 k = 0; k < here; ++k) element[i * in_word + k] = at[i * row_stride + k * term_stride];
    store(t / in_word, kind.of_row(element, lanes * in_word));
  }
}

/// Packs rows first … first + count - 1 of x, terms term … term + terms - 1, into panels of `width` rows. A
/// panel has the first word of each row, then the second words, and so on. Missing rows are unspecified. `to`
/// must have room for words up to a multiple of a vector's lanes.
template <u32 width, class Terms, class T>
KG_DEVICE void pack_panels(Terms& kind, const Matrix<T>& x, u64 first, u32 count, u64 term, u32 terms,
                           typename Terms::Word* to) {
  using Vector = typename Terms::Vector;
  constexpr u32 lanes = Terms::lanes, in_word = Terms::in_word;
  const u32 words = (terms + in_word - 1) / in_word;
  const T* from = x.data + static_cast<i64>(first) * x.row_stride + static_cast<i64>(term) * x.term_stride;
  if (x.row_stride == 1 && x.term_stride != 1) {
    // Packs everything contiguous at once: each term may be on another page.
    for (u32 t = 0; t < terms; t += in_word, to += width, from += in_word * x.term_stride) {
      const u32 here = terms - t < in_word ? terms - t : in_word;
      prefetch(from + 4 * in_word * x.term_stride, count);
      for (u32 r = 0; r < count; r += width) KG_UNROLL for (u32 row = 0; row < width; row += lanes) {
          const u32 left = count - r < row ? 0 : count - r - row;
          store_words<width>(
              to + r * words, row,
              left == 0 ? Vector{}
                        : kind.of_rows(from + r + row, left < lanes ? left : lanes, here, x.term_stride));
        }
    }
    return;
  }
  for (u32 r = 0; r < count; r += width, to += width * words, from += width * x.row_stride) {
    KG_UNROLL for (u32 row = 0; row < width; row += lanes) {
      const u32 left = count - r < row ? 0 : count - r - row;
      const u32 rows = left < lanes ? left : lanes;
      if (rows == 0) {
        for (u32 w = 0; w < words; ++w) store_words<width>(to + w * width, row, Vector{});
      } else {
        const T* const corner = from + row * x.row_stride;
        pack_rows(kind, corner, x.row_stride, x.term_stride, rows, terms,
                  [&](u32 word, Vector line) KG_INLINE { store_words<width>(to + word * width, row, line); });
      }
    }
  }
}

/// Adds the product of two panels to part of the sums, or overwrites it. Without the attribute, clang splits
/// 64-byte vectors in two.
template <class Terms>
__attribute__((noinline, min_vector_width(8 * vector_bytes))) void multiply_panels(
    const typename Terms::Word* left, const typename Terms::Word* right, u32 words, typename Terms::Sum* sum,
    u32 pitch, bool adds) {
  using B = Blocking<typename Terms::Sum>;
  using Vector = typename Terms::Vector;
  using Sums = typename B::Vector;
  Sums part[B::down][2];
  KG_UNROLL for (u32 i = 0; i < B::down; ++i) part[i][0] = part[i][1] = Sums(0);
  for (u32 w = 0; w < words; ++w, left += B::down, right += B::across) {
    const Vector b0 = *reinterpret_cast<const Vector*>(right);
    const Vector b1 = *reinterpret_cast<const Vector*>(right + B::lanes);
    KG_UNROLL for (u32 i = 0; i < B::down; ++i) {
      const Vector a = Vector(left[i]);
      part[i][0] = Terms::multiply_add(a, b0, part[i][0]);
      part[i][1] = Terms::multiply_add(a, b1, part[i][1]);
    }
  }
  KG_UNROLL for (u32 i = 0; i < B::down; ++i) {
    Sums* to = reinterpret_cast<Sums*>(sum + i * pitch);
    to[0] = adds ? to[0] + part[i][0] : part[i][0];
    to[1] = adds ? to[1] + part[i][1] : part[i][1];
  }
}

}  // namespace kg::detail
