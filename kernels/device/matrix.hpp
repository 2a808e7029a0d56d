#pragma once
/// Matrix instructions. A wave multiplies 16 rows of a left operand by 16 columns of a right operand, `depth` terms at a
/// time. left() and right() load the operands (sides) from shared memory. A line is a row (right: a column) of contiguous
/// terms, with lines Layout::row_step apart. If the unit transposes, a line may instead be one term of contiguous rows,
/// with lines Layout::term_step apart. Lines are aligned to 16 bytes.
///
/// Both sides may use any order of terms as long as they agree, so lanes of units that do not transpose load contiguous
/// terms. A unit whose side is smaller than a 16-byte access has load_together(), which loads the sides of `together`
/// consecutive instructions; for a lane they are contiguous.
///
/// Sums can become terms of a following product without shared memory (chaining). part() narrows a lane's share of 16 x 16
/// sums; side() makes an operand of it. Sum i of a lane belongs to chain(i) and is term(i) terms after sum 0.
/// Layouts: AMD matrix instruction calculator (github.com/ROCm/amd_matrix_instruction_calculator); ISA manuals of CDNA 2
/// and 3, RDNA 3 and 4; PTX ISA, "Matrix fragments for mma.m16n8k16".
#include "device/convert.hpp"

namespace kg {
/// The matrix unit for elements of type S, if the target has one. A lane holds `results` of the 16 x 16 sums; sum i is at
/// (row(i), column(i)). Registers hold two of a block's tiles (tile_rows x tile_columns). Units that exist also have:
/// - chains_left: whether side() makes a left operand, with the sums' rows; else it makes a right one, with their columns.
/// - chained: the number of a lane's chains; a chain is a lane's sums of one row (without chains_left: of one column).
/// - first_peer, end_peer: peers, lanes with sums of the same row or column, differ in index bits first_peer to end_peer / 2.
/// - neighbours: the number of consecutive sums of a lane that are consecutive terms.
template <class S>
struct MatrixUnit {
  static constexpr bool exists = false, transposes = false;
  static constexpr u32 tile_rows = 0, tile_columns = 0;
};

/// The type that elements of type T are multiplied in; the conversion is exact.
template <class T>
struct Multiplied {
  using type = widened<T>;
};

#if defined(__HIP_DEVICE_COMPILE__) || defined(__AMDGCN__)

namespace detail {

KG_DEVICE u32 lane_index() { return thread_index() & (wave_size() - 1); }

/// Narrows sums to the terms of a following product. bf16 takes three instructions per two sums; ties round away from 0,
/// and NaN with all high bits set becomes 0.
template <class S, class E, class Part, class Sum>
KG_DEVICE Part narrowed(const Sum& sum) {
  if constexpr (same<S, bf16>) {
    constexpr u32 half = 0x8000;
    struct {
      u32 word[sizeof(Part) / 4];
    } pairs;
    KG_UNROLL for (u32 i = 0; i < sizeof(Part) / 4; ++i) pairs.word[i] =
        native::high_halves(bit_cast<u32>(sum[2 * i]) + half, bit_cast<u32>(sum[2 * i + 1]) + half);
    return bit_cast<Part>(pairs);
  } else {
    Part part;
    KG_UNROLL for (u32 i = 0; i < sizeof(Part) / sizeof(E); ++i) part[i] = bit_cast<E>(convert<S>(sum[i]));
    return part;
  }
}

}  // namespace detail

#if defined(__gfx90a__) || defined(__gfx940__) || defined(__gfx941__) || defined(__gfx942__) || \
    defined(__gfx950__)
#define KG_MFMA

namespace detail {

/// Each lane holds four terms of row lane % 16, from term 4 · (lane / 16) on.
template <class S, class E, class R>
struct Mfma {
  static constexpr bool exists = true;
  static constexpr u32 lanes = 64, depth = 16, together = sizeof(E) == 2 ? 2 : 1;
  static constexpr u32 tile_rows = sizeof(R) == 8 ? 64 : 128, tile_columns = tile_rows;
  static constexpr bool transposes = false;
  static constexpr int results = 4;
  static constexpr bool chains_left = false;
  static constexpr u32 chained = 1, first_peer = 16, end_peer = 64;
  static constexpr int neighbours = 4;
  typedef E Side __attribute__((ext_vector_type(4)));
  typedef R Sum __attribute__((ext_vector_type(4)));
  using Part = Side;

  template <class Layout>
  static KG_DEVICE Side right(const S* tile) {
    return left<Layout>(tile);
  }
  template <class Layout>
  static KG_DEVICE Side left(const S* tile) {
    const u32 lane = lane_index();
    // Rows are aligned to 16 bytes; the default alignment of a Side of f64 is larger.
    typedef E Aligned __attribute__((ext_vector_type(4), aligned(sizeof(E) < 4 ? 8 : 16)));
    return *reinterpret_cast<const Aligned*>(tile + (lane & 15) * Layout::row_step + lane / 16 * 4);
  }
  template <class Layout>
  static KG_DEVICE void load_together(const S* tile, Side (&sides)[together]) {
    const u32 lane = lane_index();
    typedef E Eight __attribute__((ext_vector_type(8)));
    const Eight terms =
        *reinterpret_cast<const Eight*>(tile + (lane & 15) * Layout::row_step + lane / 16 * 8);
    sides[0] = terms.lo;
    sides[1] = terms.hi;
  }
  static KG_DEVICE u32 row(int i) { return lane_index() / 16 * 4 + static_cast<u32>(i); }
  static KG_DEVICE u32 column(int) { return lane_index() & 15; }
  static KG_DEVICE constexpr u32 chain(int) { return 0; }
  static KG_DEVICE constexpr u32 term(int i) { return static_cast<u32>(i); }
  static KG_DEVICE Part part(const Sum& sum) { return detail::narrowed<S, E, Part>(sum); }
  static KG_DEVICE Side side(const Part& part) { return part; }
};

}  // namespace detail

template <>
struct MatrixUnit<f16> : detail::Mfma<f16, _Float16, f32> {
  static KG_DEVICE Sum multiply(Side a, Side b, Sum c) {
    return __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0);
  }
};
template <>
struct MatrixUnit<bf16> : detail::Mfma<bf16, i16, f32> {
  static KG_DEVICE Sum multiply(Side a, Side b, Sum c) {
    return __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(a, b, c, 0, 0, 0);
  }
};
template <>
struct MatrixUnit<f32> : detail::Mfma<f32, f32, f32> {
  static KG_DEVICE Sum multiply(Side a, Side b, Sum c) {
    KG_UNROLL for (int e = 0; e < 4; ++e) c = __builtin_amdgcn_mfma_f32_16x16x4f32(a[e], b[e], c, 0, 0, 0);
    return c;
  }
};
template <>
struct MatrixUnit<f64> : detail::Mfma<f64, f64, f64> {
  static KG_DEVICE Sum multiply(Side a, Side b, Sum c) {
    KG_UNROLL for (int e = 0; e < 4; ++e) c = __builtin_amdgcn_mfma_f64_16x16x4f64(a[e], b[e], c, 0, 0, 0);
    return c;
  }
  static constexpr int neighbours = 1;
  /// This instruction's layout differs: a lane's rows are four apart.
  static KG_DEVICE u32 row(int i) { return detail::lane_index() / 16 + 4 * static_cast<u32>(i); }
};

// Later members of these families have matrix instructions of other shapes, which are not used.
#elif (defined(__GFX11__) || defined(__GFX12__)) && KERNELGEN_WAVE_SIZE == 32 && !defined(__gfx1170__) && \
    !defined(__gfx1171__) && !defined(__gfx1172__) && !defined(__gfx11_7_generic__) &&                    \
    !defined(__gfx1250__) && !defined(__gfx1251__) && !defined(__gfx12_5_generic__)
#define KG_WMMA

namespace detail {

#if defined(__GFX11__)
/// Both halves of a wave hold all 16 terms of row lane % 16.
inline constexpr u32 wmma_terms = 16, wmma_half_step = 0;
#else
/// Each lane holds eight terms of row lane % 16, from term 8 · (lane / 16) on.
inline constexpr u32 wmma_terms = 8, wmma_half_step = 8;
#endif

template <class S, class E>
struct Wmma {
  static constexpr bool exists = true;
  static constexpr u32 lanes = 32, depth = 16, together = 1;
  static constexpr u32 tile_rows = 128, tile_columns = 64;
  static constexpr bool transposes = false;
  static constexpr int results = 8;
  static constexpr bool chains_left = false;
  static constexpr u32 chained = 1, first_peer = 16, end_peer = 32;
  static constexpr int neighbours = wmma_terms == 16 ? 1 : 8;
  typedef E Side __attribute__((ext_vector_type(wmma_terms)));
  typedef f32 Sum __attribute__((ext_vector_type(8)));
  typedef E Part __attribute__((ext_vector_type(8)));

  template <class Layout>
  static KG_DEVICE Side right(const S* tile) {
    return left<Layout>(tile);
  }
  template <class Layout>
  static KG_DEVICE Side left(const S* tile) {
    const u32 lane = lane_index();
    typedef E Half __attribute__((ext_vector_type(8)));
    const S* row = tile + (lane & 15) * Layout::row_step + lane / 16 * wmma_half_step;
    Side side;
    KG_UNROLL for (u32 h = 0; h < wmma_terms / 8; ++h) {
      const Half half = reinterpret_cast<const Half*>(row)[h];
      KG_UNROLL for (u32 e = 0; e < 8; ++e) side[8 * h + e] = half[e];
    }
    return side;
  }
#if defined(__GFX11__)
  static KG_DEVICE u32 row(int i) { return lane_index() / 16 + 2 * static_cast<u32>(i); }
  static KG_DEVICE constexpr u32 term(int i) { return 2 * static_cast<u32>(i); }
#else
  static KG_DEVICE u32 row(int i) { return lane_index() / 16 * 8 + static_cast<u32>(i); }
  static KG_DEVICE constexpr u32 term(int i) { return static_cast<u32>(i); }
#endif
  static KG_DEVICE u32 column(int) { return lane_index() & 15; }
  static KG_DEVICE constexpr u32 chain(int) { return 0; }
  static KG_DEVICE Part part(const Sum& sum) { return detail::narrowed<S, E, Part>(sum); }
#if defined(__GFX11__)
  /// Each half of the wave holds every other term; fetches the rest from the other half.
  static KG_DEVICE Side side(const Part& part) {
    struct Pairs {
      u32 word[4];
    };
    struct Terms {
      u32 word[8];
    };
    const Pairs own = bit_cast<Pairs>(part);
    Terms terms;
    // v_perm selectors that interleave this half's words with the other half's. This half holds the even or
    // the odd terms.
    const bool odd = lane_index() / 16 != 0;
    const u32 low = odd ? 0x01000504 : 0x05040100, high = odd ? 0x03020706 : 0x07060302;
    KG_UNROLL for (u32 i = 0; i < 4; ++i) {
      const u32 other =
          __builtin_amdgcn_permlanex16(own.word[i], own.word[i], 0x76543210, 0xfedcba98, false, false);
      terms.word[2 * i] = __builtin_amdgcn_perm(other, own.word[i], low);
      terms.word[2 * i + 1] = __builtin_amdgcn_perm(other, own.word[i], high);
    }
    return bit_cast<Side>(terms);
  }
#else
  static KG_DEVICE Side side(const Part& part) { return part; }
#endif
};

}  // namespace detail

template <>
struct MatrixUnit<f16> : detail::Wmma<f16, _Float16> {
  static KG_DEVICE Sum multiply(Side a, Side b, Sum c) {
#if defined(__GFX11__)
    return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c);
#else
    return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a, b, c);
#endif
  }
};
template <>
struct MatrixUnit<bf16> : detail::Wmma<bf16, i16> {
  static KG_DEVICE Sum multiply(Side a, Side b, Sum c) {
#if defined(__GFX11__)
    return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(a, b, c);
#else
    return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32_gfx12(a, b, c);
#endif
  }
};
#if defined(__GFX12__)
/// f8e4m3 without conversion.
template <>
struct MatrixUnit<f8e4m3> : detail::Wmma<f8e4m3, u8> {
  static constexpr u32 together = 2;
  typedef i32 Side __attribute__((ext_vector_type(2)));

  template <class Layout>
  static KG_DEVICE void load_together(const f8e4m3* tile, Side (&sides)[together]) {
    const u32 lane = detail::lane_index();
    typedef i32 Sixteen __attribute__((ext_vector_type(4)));
    const Sixteen terms =
        *reinterpret_cast<const Sixteen*>(tile + (lane & 15) * Layout::row_step + lane / 16 * 16);
    sides[0] = terms.lo;
    sides[1] = terms.hi;
  }
  static KG_DEVICE Sum multiply(Side a, Side b, Sum c) {
    return __builtin_amdgcn_wmma_f32_16x16x16_fp8_fp8_w32_gfx12(a, b, c);
  }
};
#endif

#endif
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800

namespace detail {

KG_DEVICE u32 shared_address(const void* p) { return static_cast<u32>(__cvta_generic_to_shared(p)); }

/// Two instructions of 16 rows by 8 columns. Word 0 of a side is two terms of row (left) or column (right) lane / 4. Left:
/// word 1 is the same terms eight rows on; words 2 and 3 are eight terms on. Right: word 1 is eight terms on; words 2 and
/// 3 are the same eight columns on. The operands of one instruction are thus consecutive words.
template <class S>
struct Mma {
  static constexpr bool exists = true;
  static constexpr u32 lanes = 32, depth = 16, together = 1;
  static constexpr u32 tile_rows = 128, tile_columns = 128;
  static constexpr bool transposes = true;
  static constexpr int results = 8;
  static constexpr bool chains_left = true;
  static constexpr u32 chained = 2, first_peer = 1, end_peer = 4;
  static constexpr int neighbours = 2;
  struct Side {
    u32 word[4];
  };
  using Part = Side;
  struct Sum {
    f32 value[8];
    KG_DEVICE f32& operator[](int i) { return value[i]; }
    KG_DEVICE f32 operator[](int i) const { return value[i]; }
  };

  template <class Layout>
  static KG_DEVICE Side left(const S* tile) {
    return load<Layout>(tile, lane() & 8, (lane() & 16) / 2);
  }
  template <class Layout>
  static KG_DEVICE Side right(const S* tile) {
    return load<Layout>(tile, (lane() & 16) / 2, lane() & 8);
  }
  static KG_DEVICE u32 row(int i) { return thread_index() % 32 / 4 + static_cast<u32>(i % 4 / 2) * 8; }
  static KG_DEVICE u32 column(int i) {
    return thread_index() % 4 * 2 + static_cast<u32>(i % 2) + static_cast<u32>(i / 4) * 8;
  }
  static KG_DEVICE constexpr u32 chain(int i) { return static_cast<u32>(i % 4 / 2); }
  static KG_DEVICE constexpr u32 term(int i) { return static_cast<u32>(i % 2 + i / 4 * 8); }
  static KG_DEVICE Side side(const Part& part) { return part; }

 private:
  static KG_DEVICE u32 lane() { return thread_index() & 31; }

  /// Four blocks of 8 rows by 8 terms. Lanes 8 i to 8 i + 7 hold the line addresses of block i from (row, term) on.
  template <class Layout>
  static KG_DEVICE Side load(const S* tile, u32 row, u32 term) {
    Side side;
    if constexpr (Layout::term_step == 1) {
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(side.word[0]), "=r"(side.word[1]), "=r"(side.word[2]), "=r"(side.word[3])
                   : "r"(shared_address(tile + (row + (lane() & 7)) * Layout::row_step + term))
                   : "memory");
    } else {
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(side.word[0]), "=r"(side.word[1]), "=r"(side.word[2]), "=r"(side.word[3])
                   : "r"(shared_address(tile + (term + (lane() & 7)) * Layout::term_step + row))
                   : "memory");
    }
    return side;
  }
};

}  // namespace detail

#define KG_MMA(type, name)                                                                                   \
  template <>                                                                                                \
  struct MatrixUnit<type> : detail::Mma<type> {                                                              \
    static KG_DEVICE Sum multiply(const Side& a, const Side& b, const Sum& c) {                              \
      Sum d;                                                                                                 \
      KG_UNROLL for (int t = 0; t < 2; ++t) asm(                                                             \
          "mma.sync.aligned.m16n8k16.row.col.f32." name "." name                                             \
          ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};" : "=f"(d.value[4 * t]), \
          "=f"(d.value[4 * t + 1]), "=f"(d.value[4 * t + 2]), "=f"(d.value[4 * t + 3]) : "r"(a.word[0]),     \
          "r"(a.word[1]), "r"(a.word[2]), "r"(a.word[3]), "r"(b.word[2 * t]), "r"(b.word[2 * t + 1]),        \
          "f"(c.value[4 * t]), "f"(c.value[4 * t + 1]), "f"(c.value[4 * t + 2]), "f"(c.value[4 * t + 3]));   \
      return d;                                                                                              \
    }                                                                                                        \
    static KG_DEVICE Part part(const Sum& sum) {                                                             \
      Part pairs;                                                                                            \
      KG_UNROLL for (int i = 0; i < 4; ++i) asm("cvt.rn." name "x2.f32 %0, %1, %2;" : "=r"(pairs.word[i]) :  \
                                                "f"(sum.value[2 * i + 1]), "f"(sum.value[2 * i]));           \
      return pairs;                                                                                          \
    }                                                                                                        \
  };
KG_MMA(f16, "f16")
KG_MMA(bf16, "bf16")
#undef KG_MMA

#endif

// f8e4m3 is exact in f16, and none of its values is subnormal there.
#if defined(KG_MFMA) && defined(__gfx90a__)
// This MFMA flushes subnormal f16 and bf16 to zero; the f32 one does not.
template <>
struct Multiplied<f8e4m3> {
  using type = f16;
};
#elif defined(KG_MFMA) || defined(KG_WMMA) || (defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800)
#if defined(KG_WMMA) && defined(__GFX12__)
template <>
struct Multiplied<f8e4m3> {
  using type = f8e4m3;
};
#else
template <>
struct Multiplied<f8e4m3> {
  using type = f16;
};
#endif
template <>
struct Multiplied<f16> {
  using type = f16;
};
template <>
struct Multiplied<bf16> {
  using type = bf16;
};
#endif

template <class T>
using multiplied = typename Multiplied<T>::type;

}  // namespace kg
