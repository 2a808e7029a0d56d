#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "lane_memory.hpp"
#include "small_floats.hpp"

// v_mfma_*: matrix products of a wave (CDNA ISA documents, "Matrix Arithmetic Instructions"; layouts as AMD's matrix
// instruction calculator prints them). Not documented, chosen here: each element is summed from C on in the order of k,
// with a fused multiply-add in the type of D; EXEC is not looked at. gfx908 and gfx90a take denormals of 16-bit elements,
// and sums of them, for zeros (CDNA2 ISA); elsewhere they are kept.
namespace kernelgen::amdgpu {
namespace {

enum class Element : std::uint8_t { f32, xf32, f16, bf16, i8, fp8, bf8, f64 };

constexpr unsigned bits_of(Element e) {
  switch (e) {
    case Element::f64:
      return 64;
    case Element::f32:
    case Element::xf32:
      return 32;
    case Element::f16:
    case Element::bf16:
      return 16;
    default:
      return 8;
  }
}

bool flushes(const Wave& wave, Element type) {
  return wave.isa().major == 9 && wave.isa().minor == 0 && bits_of(type) == 16;
}
float flushed(float x, float least_normal) { return std::fabs(x) < least_normal ? 0 * x : x; }

/// A row of A or column of B for each lane: `count` numbers, the lane's.
template <class T>
T element(Wave& wave, const Operand& operand, Element type, unsigned lane, unsigned e) {
  const unsigned bits = bits_of(type), bit = bits * e;
  const auto word = [&](unsigned i) { return wave.vgpr(operand.index + i)[lane]; };
  const std::uint32_t field = bits >= 32 ? word(bit / 32) : word(bit / 32) >> (bit % 32);
  switch (type) {
    case Element::f64:
      return static_cast<T>(std::bit_cast<double>(field | std::uint64_t{word(bit / 32 + 1)} << 32));
    case Element::f32:
      return static_cast<T>(std::bit_cast<float>(field));
    case Element::xf32:
      return static_cast<T>(std::bit_cast<float>(field & 0xffffe000));  // 10 bits of fraction
    case Element::f16: {
      const auto value = static_cast<float>(std::bit_cast<Half>(static_cast<std::uint16_t>(field)));
      return static_cast<T>(flushes(wave, type) ? flushed(value, 0x1p-14f) : value);
    }
    case Element::bf16: {
      const float value = of_bf16(static_cast<std::uint16_t>(field));
      return static_cast<T>(flushes(wave, type) ? flushed(value, 0x1p-126f) : value);
    }
    case Element::i8:
      return static_cast<T>(static_cast<std::int8_t>(field));
    case Element::fp8:
      return static_cast<T>(of_float8(field, fp8_format(wave.isa(), false)));
    case Element::bf8:
      return static_cast<T>(of_float8(field, fp8_format(wave.isa(), true)));
  }
  return T{};
}

/// The lane whose A the broadcast of cbsz and abid takes: groups of 2^cbsz blocks share the block `abid` of them.
unsigned a_block(const Instruction& in, unsigned block) {
  const unsigned group = 1u << in.cbsz;
  return in.cbsz == 0 ? block : block / group * group + in.abid;
}
/// The lane that blgp makes of a lane of B.
unsigned b_lane(const Instruction& in, unsigned lane) {
  switch (in.blgp) {
    case 1:
      return lane & 31;
    case 2:
      return (lane & 31) + 32;
    case 3:
      return (lane + 16) & 63;
    case 4:
    case 5:
    case 6:
    case 7:
      return (lane & 15) + 16u * (in.blgp - 4u);
    default:
      return lane;
  }
}

template <class T>
T multiply_add(T a, T b, T c) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b) +
                          static_cast<std::uint32_t>(c));
  else
    return std::fma(a, b, c);
}

/// D[b] = A[b] * B[b] + C[b]: Blocks products of Size x K and K x Size.
template <unsigned Size, unsigned K, unsigned Blocks, Element A, Element B, class T>
void multiply(Wave& wave, const Instruction& in) {  // vdst, a, b, c
  constexpr unsigned per_lane = Size * K * Blocks / 64;
  constexpr unsigned words = sizeof(T) / 4, results = Size * Size * Blocks / 64;
  const bool is_f64 = A == Element::f64;
  const auto lane_of = [](unsigned i, unsigned block, unsigned k) {
    return i + Size * (block + Blocks * (k / per_lane));
  };
  // Where D and C have a row and column.
  const auto place = [&](unsigned row, unsigned column, unsigned block, unsigned& lane, unsigned& reg) {
    if (is_f64) {  // rows go over the lanes first
      lane = Size == 16 ? column + 16 * (row % 4) : column + 4 * block + 16 * row;
      reg = Size == 16 ? row / 4 : 0;
    } else if (Size == 32) {
      lane = column + 32 * (row / 4 % 2);
      reg = 16 * block + row / 8 * 4 + row % 4;
    } else if (Size == 16) {
      lane = column + 16 * (row / 4);
      reg = 4 * block + row % 4;
    } else {
      lane = column + 4 * block;
      reg = row;
    }
  };
  const Operand& c = in.source[3];
  const T constant =
      c.kind == Operand::Kind::constant
          ? (c.spelling == Operand::Spelling::real ? static_cast<T>(c.real) : static_cast<T>(c.bits))
          : T{};
  const T a_sign = is_f64 && (in.neg_lo & 1) != 0 ? T(-1) : T(1),
          b_sign = is_f64 && (in.neg_lo & 2) != 0 ? T(-1) : T(1),
          c_sign = is_f64 && (in.neg_lo & 4) != 0 ? T(-1) : T(1);
  static_assert(results * 64 == Size * Size * Blocks);
  std::array<T, Size * Size * Blocks> d;
  for (unsigned block = 0; block < Blocks; ++block) {
    alignas(64) std::array<std::array<T, K>, Size> a;
    alignas(64) std::array<std::array<T, Size>, K> b;
    for (unsigned i = 0; i < Size; ++i)
      for (unsigned k = 0; k < K; ++k) {
        a[i][k] = a_sign * element<T>(wave, in.source[1], A, lane_of(i, a_block(in, block), k), k % per_lane);
        const unsigned lane = lane_of(i, block, k);
        b[k][i] = b_sign * element<T>(wave, in.source[2], B, is_f64 ? lane : b_lane(in, lane), k % per_lane);
      }
    for (unsigned row = 0; row < Size; ++row) {
      alignas(64) std::array<T, Size> sum;
      for (unsigned column = 0; column < Size; ++column) {
        unsigned lane = 0, reg = 0;
        place(row, column, block, lane, reg);
        sum[column] = c.kind == Operand::Kind::constant
                          ? constant
                          : c_sign * lane_value<T>(wave, c.index + words * reg, static_cast<int>(lane));
      }
      for (unsigned k = 0; k < K; ++k)
        for (unsigned column = 0; column < Size; ++column)
          sum[column] = multiply_add(a[row][k], b[k][column], sum[column]);
      if constexpr (std::is_same_v<T, float>) {
        if (flushes(wave, A))
          for (float& x : sum) x = flushed(x, 0x1p-126f);
      }
      std::copy(sum.begin(), sum.end(), d.begin() + (block * Size + row) * Size);
    }
  }
  for (unsigned block = 0; block < Blocks; ++block)
    for (unsigned row = 0; row < Size; ++row)
      for (unsigned column = 0; column < Size; ++column) {
        unsigned lane = 0, reg = 0;
        place(row, column, block, lane, reg);
        set_lane_value(wave, in.source[0].index + words * reg, static_cast<int>(lane),
                       d[(block * Size + row) * Size + column]);
      }
}

/// Under the names of gfx908 and gfx90a ("32x32x4f16") and of gfx940 and later ("32x32x4_2b_f16").
template <unsigned Size, unsigned K, unsigned Blocks, Element A, Element B, class T>
void add_shape(Opcodes& t, std::string_view sum, std::string_view type, std::string_view old_suffix = "") {
  const std::string shape = std::to_string(Size) + "x" + std::to_string(Size) + "x" + std::to_string(K);
  const std::string head = "v_mfma_" + std::string(sum) + "_" + shape;
  const std::string blocks = Blocks == 1 ? "" : "_" + std::to_string(Blocks) + "b";
  const Opcode opcode = raw(multiply<Size, K, Blocks, A, B, T>, Pipe::matrix);
  t[kept_name(head, std::string(type) + std::string(old_suffix))] = opcode;
  t[kept_name(head, blocks + "_" + std::string(type))] = opcode;
}

template <Element A, class T>
void add_small(Opcodes& t, std::string_view sum, std::string_view type) {  // one k a lane
  add_shape<32, 1, 2, A, A, T>(t, sum, type);
  add_shape<16, 1, 4, A, A, T>(t, sum, type);
  add_shape<4, 1, 16, A, A, T>(t, sum, type);
  add_shape<32, 2, 1, A, A, T>(t, sum, type);
  add_shape<16, 4, 1, A, A, T>(t, sum, type);
}
template <unsigned PerLane, Element A, class T>
void add_wide(Opcodes& t, std::string_view sum, std::string_view type, std::string_view old_suffix = "") {
  add_shape<32, PerLane, 2, A, A, T>(t, sum, type, old_suffix);
  add_shape<16, PerLane, 4, A, A, T>(t, sum, type, old_suffix);
  add_shape<4, PerLane, 16, A, A, T>(t, sum, type, old_suffix);
  add_shape<32, 2 * PerLane, 1, A, A, T>(t, sum, type, old_suffix);
  add_shape<16, 4 * PerLane, 1, A, A, T>(t, sum, type, old_suffix);
}
template <Element A, Element B>
void add_float8(Opcodes& t, std::string_view type) {
  add_shape<32, 16, 1, A, B, float>(t, "f32", type);
  add_shape<16, 32, 1, A, B, float>(t, "f32", type);
}

}  // namespace

void add_mfma(Opcodes& t) {
  using I = std::int32_t;
  add_small<Element::f32, float>(t, "f32", "f32");
  add_wide<4, Element::f16, float>(t, "f32", "f16");
  add_wide<2, Element::bf16, float>(t, "f32", "bf16");
  add_wide<4, Element::bf16, float>(t, "f32", "bf16", "_1k");
  add_wide<4, Element::i8, I>(t, "i32", "i8");
  add_shape<32, 16, 1, Element::i8, Element::i8, I>(t, "i32", "i8");
  add_shape<16, 32, 1, Element::i8, Element::i8, I>(t, "i32", "i8");
  add_shape<32, 4, 1, Element::xf32, Element::xf32, float>(t, "f32", "xf32");
  add_shape<16, 8, 1, Element::xf32, Element::xf32, float>(t, "f32", "xf32");
  add_float8<Element::fp8, Element::fp8>(t, "fp8_fp8");
  add_float8<Element::fp8, Element::bf8>(t, "fp8_bf8");
  add_float8<Element::bf8, Element::fp8>(t, "bf8_fp8");
  add_float8<Element::bf8, Element::bf8>(t, "bf8_bf8");
  add_shape<16, 4, 1, Element::f64, Element::f64, double>(t, "f64", "f64");
  add_shape<4, 4, 4, Element::f64, Element::f64, double>(t, "f64", "f64");
  // gfx950: twice the k.
  add_shape<32, 16, 1, Element::f16, Element::f16, float>(t, "f32", "f16");
  add_shape<16, 32, 1, Element::f16, Element::f16, float>(t, "f32", "f16");
  add_shape<32, 16, 1, Element::bf16, Element::bf16, float>(t, "f32", "bf16");
  add_shape<16, 32, 1, Element::bf16, Element::bf16, float>(t, "f32", "bf16");
  add_shape<32, 32, 1, Element::i8, Element::i8, I>(t, "i32", "i8");
  add_shape<16, 64, 1, Element::i8, Element::i8, I>(t, "i32", "i8");
}

}  // namespace kernelgen::amdgpu
