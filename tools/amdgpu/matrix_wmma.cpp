#include <algorithm>
#include <cmath>
#include <string>

#include "lane_memory.hpp"
#include "operand.hpp"
#include "small_floats.hpp"

// v_wmma_*: D = A * B + C of 16 x 16 (RDNA3 and RDNA4 ISA documents, "Wave Matrix Multiply Accumulate"). Not documented,
// chosen here: each element is summed from C on in the order of k, in f32 with fused products; EXEC is not looked at.
namespace kernelgen::amdgpu {
namespace {

enum class Element : std::uint8_t { f16, bf16, iu8, iu4, fp8, bf8 };
enum class Sum : std::uint8_t { f32, i32, f16, bf16 };

constexpr unsigned bits_of(Element e) {
  switch (e) {
    case Element::f16:
    case Element::bf16:
      return 16;
    case Element::iu4:
      return 4;
    default:
      return 8;
  }
}

/// Number `e` of a lane's registers from `index` on. The signs of floats are neg_lo's for even and neg_hi's for odd ones,
/// of integers whether they have one.
float element(Wave& wave, const Instruction& in, unsigned which, Element type, unsigned lane, unsigned e) {
  const unsigned bits = bits_of(type), bit = bits * e;
  const std::uint32_t field = wave.vgpr(in.source[which].index + bit / 32)[lane] >> (bit % 32);
  const bool negated = ((e % 2 == 0 ? in.neg_lo : in.neg_hi) >> (which - 1) & 1) != 0;
  const bool is_signed = (in.neg_lo >> (which - 1) & 1) != 0;
  float value = 0;
  switch (type) {
    case Element::f16:
      value = static_cast<float>(std::bit_cast<Half>(static_cast<std::uint16_t>(field)));
      break;
    case Element::bf16:
      value = of_bf16(static_cast<std::uint16_t>(field));
      break;
    case Element::fp8:
      return of_float8(field, fp8_format(wave.isa(), false));
    case Element::bf8:
      return of_float8(field, fp8_format(wave.isa(), true));
    case Element::iu8:
      return is_signed ? static_cast<float>(static_cast<std::int8_t>(field))
                       : static_cast<float>(field & 0xff);
    case Element::iu4: {
      const auto nibble = static_cast<int>(field & 15);
      return static_cast<float>(is_signed && nibble >= 8 ? nibble - 16 : nibble);
    }
  }
  return negated ? -value : value;
}

struct Position {
  unsigned lane, word;
  unsigned shift;  ///< of a half
};

/// Where C and D have a row and column. gfx11: rows go over the groups of 16 lanes first, halves have a register each;
/// gfx12: a group has consecutive rows, halves are packed.
Position position_of(const Wave& wave, unsigned row, unsigned column, bool half, bool high) {
  const auto groups = static_cast<unsigned>(wave.lanes) / 16, rows = 16 / groups;
  if (wave.isa().major >= 12) {
    const unsigned r = row % rows;
    return {column + 16 * (row / rows), half ? r / 2 : r, half ? 16 * (r % 2) : 0};
  }
  return {column + 16 * (row % groups), row / groups, half && high ? 16u : 0u};
}

using Row = std::array<float, 16>;

/// A row of C, from registers or a constant.
template <Sum S>
void read_row(Wave& wave, const Instruction& in, const Operand& c, unsigned row, Row& d,
              std::array<std::int64_t, 16>& n) {
  constexpr bool half = S == Sum::f16 || S == Sum::bf16;
  for (unsigned column = 0; column < 16; ++column) {
    const Position at = position_of(wave, row, column, half, (in.op_sel & 4) != 0);
    std::uint32_t word = 0;
    if (c.kind == Operand::Kind::vgpr)
      word = wave.vgpr(c.index + at.word)[at.lane] >> at.shift;
    else if (c.spelling == Operand::Spelling::real)
      word = S == Sum::f16    ? std::bit_cast<std::uint16_t>(static_cast<Half>(raw_real(c)))
             : S == Sum::bf16 ? to_bf16(static_cast<float>(raw_real(c)))
                              : std::bit_cast<std::uint32_t>(static_cast<float>(raw_real(c)));
    else
      word = static_cast<std::uint32_t>(c.bits);
    n[column] = static_cast<std::int32_t>(word);
    float value = std::bit_cast<float>(word);
    if (S == Sum::f16) value = static_cast<float>(std::bit_cast<Half>(static_cast<std::uint16_t>(word)));
    if (S == Sum::bf16) value = of_bf16(static_cast<std::uint16_t>(word));
    if ((in.neg_hi & 4) != 0 && S != Sum::i32) value = std::fabs(value);
    if ((in.neg_lo & 4) != 0 && S != Sum::i32) value = -value;
    d[column] = value;
  }
}

template <Sum S>
void write_row(Wave& wave, const Instruction& in, unsigned row, const Row& d,
               const std::array<std::int64_t, 16>& n) {
  constexpr bool half = S == Sum::f16 || S == Sum::bf16;
  for (unsigned column = 0; column < 16; ++column) {
    const Position at = position_of(wave, row, column, half, (in.op_sel & 4) != 0);
    std::uint32_t& word = wave.vgpr(in.source[0].index + at.word)[at.lane];
    if constexpr (S == Sum::i32) {
      word = static_cast<std::uint32_t>(in.clamp ? std::clamp<std::int64_t>(n[column], INT32_MIN, INT32_MAX)
                                                 : n[column]);
    } else if constexpr (S == Sum::f32) {
      word = std::bit_cast<std::uint32_t>(d[column]);
    } else {
      const std::uint32_t bits =
          S == Sum::f16 ? std::bit_cast<std::uint16_t>(static_cast<Half>(d[column])) : to_bf16(d[column]);
      word = (word & ~(0xffffu << at.shift)) | bits << at.shift;
    }
  }
}

template <Sum S>
void multiply_add(float a, const Row& b, Row& d, std::array<std::int64_t, 16>& n) {
  for (unsigned column = 0; column < 16; ++column) {
    if constexpr (S == Sum::i32)
      n[column] += static_cast<std::int64_t>(a * b[column]);
    else
      d[column] = std::fma(a, b[column], d[column]);
  }
}

template <unsigned K, Element A, Element B, Sum S>
void multiply(Wave& wave, const Instruction& in) {  // vdst, a, b, c
  const bool gfx12 = wave.isa().major >= 12;
  // gfx11: each group of 16 lanes has all of k; gfx12: the groups share it.
  const unsigned per_lane = gfx12 ? K * 16 / static_cast<unsigned>(wave.lanes) : K;
  alignas(64) std::array<std::array<float, K>, 16> a;
  alignas(64) std::array<Row, K> b;
  for (unsigned i = 0; i < 16; ++i)
    for (unsigned k = 0; k < K; ++k) {
      const unsigned lane = i + (gfx12 ? 16 * (k / per_lane) : 0);
      a[i][k] = element(wave, in, 1, A, lane, k % per_lane);
      b[k][i] = element(wave, in, 2, B, lane, k % per_lane);
    }
  std::array<Row, 16> d;
  std::array<std::array<std::int64_t, 16>, 16> n;
  for (unsigned row = 0; row < 16; ++row) {
    read_row<S>(wave, in, in.source[3], row, d[row], n[row]);
    for (unsigned k = 0; k < K; ++k) multiply_add<S>(a[row][k], b[k], d[row], n[row]);
  }
  for (unsigned row = 0; row < 16; ++row) write_row<S>(wave, in, row, d[row], n[row]);
}

/// v_swmmac_: C is D, A has two elements of each four of k. Not documented, chosen here: the groups of 16 lanes share k in
/// order, and a lane's elements of A stand for twice as many of B's.
template <unsigned K, Element A, Element B, Sum S>
void multiply_sparse(Wave& wave, const Instruction& in) {  // vdst, a, b, index
  const unsigned groups = static_cast<unsigned>(wave.lanes) / 16, kept = K / 2 / groups, whole = K / groups;
  const unsigned shift = in.abid * kept * 2 % 32;
  const std::uint32_t* const indices = wave.vgpr(in.source[3].index);
  alignas(64) std::array<Row, K> b;
  for (unsigned k = 0; k < K; ++k)
    for (unsigned i = 0; i < 16; ++i) b[k][i] = element(wave, in, 2, B, i + 16 * (k / whole), k % whole);
  std::array<Row, 16> d;
  std::array<std::array<std::int64_t, 16>, 16> n;
  for (unsigned row = 0; row < 16; ++row) {
    read_row<S>(wave, in, in.source[0], row, d[row], n[row]);
    for (unsigned e = 0; e < K / 2; ++e) {
      const unsigned lane = row + 16 * (e / kept), own = e % kept;
      const unsigned k = e / kept * whole + own / 2 * 4 + (indices[lane] >> (shift + 2 * own) & 3);
      multiply_add<S>(element(wave, in, 1, A, lane, own), b[k], d[row], n[row]);
    }
  }
  for (unsigned row = 0; row < 16; ++row) write_row<S>(wave, in, row, d[row], n[row]);
}

}  // namespace

void add_wmma(Opcodes& t) {
  using E = Element;
  t["v_wmma_f32_16x16x16_f16"] = raw(multiply<16, E::f16, E::f16, Sum::f32>, Pipe::matrix);
  t["v_wmma_f32_16x16x16_bf16"] = raw(multiply<16, E::bf16, E::bf16, Sum::f32>, Pipe::matrix);
  t["v_wmma_f16_16x16x16_f16"] = raw(multiply<16, E::f16, E::f16, Sum::f16>, Pipe::matrix);
  t["v_wmma_bf16_16x16x16_bf16"] = raw(multiply<16, E::bf16, E::bf16, Sum::bf16>, Pipe::matrix);
  t["v_wmma_i32_16x16x16_iu8"] = raw(multiply<16, E::iu8, E::iu8, Sum::i32>, Pipe::matrix);
  t["v_wmma_i32_16x16x16_iu4"] = raw(multiply<16, E::iu4, E::iu4, Sum::i32>, Pipe::matrix);
  t["v_wmma_i32_16x16x32_iu4"] = raw(multiply<32, E::iu4, E::iu4, Sum::i32>, Pipe::matrix);
  t["v_wmma_f32_16x16x16_fp8_fp8"] = raw(multiply<16, E::fp8, E::fp8, Sum::f32>, Pipe::matrix);
  t["v_wmma_f32_16x16x16_fp8_bf8"] = raw(multiply<16, E::fp8, E::bf8, Sum::f32>, Pipe::matrix);
  t["v_wmma_f32_16x16x16_bf8_fp8"] = raw(multiply<16, E::bf8, E::fp8, Sum::f32>, Pipe::matrix);
  t["v_wmma_f32_16x16x16_bf8_bf8"] = raw(multiply<16, E::bf8, E::bf8, Sum::f32>, Pipe::matrix);
  t["v_swmmac_f32_16x16x32_f16"] = raw(multiply_sparse<32, E::f16, E::f16, Sum::f32>, Pipe::matrix);
  t["v_swmmac_f32_16x16x32_bf16"] = raw(multiply_sparse<32, E::bf16, E::bf16, Sum::f32>, Pipe::matrix);
  t["v_swmmac_f16_16x16x32_f16"] = raw(multiply_sparse<32, E::f16, E::f16, Sum::f16>, Pipe::matrix);
  t["v_swmmac_bf16_16x16x32_bf16"] = raw(multiply_sparse<32, E::bf16, E::bf16, Sum::bf16>, Pipe::matrix);
  t["v_swmmac_i32_16x16x32_iu8"] = raw(multiply_sparse<32, E::iu8, E::iu8, Sum::i32>, Pipe::matrix);
  t["v_swmmac_i32_16x16x32_iu4"] = raw(multiply_sparse<32, E::iu4, E::iu4, Sum::i32>, Pipe::matrix);
  t["v_swmmac_i32_16x16x64_iu4"] = raw(multiply_sparse<64, E::iu4, E::iu4, Sum::i32>, Pipe::matrix);
  t["v_swmmac_f32_16x16x32_fp8_fp8"] = raw(multiply_sparse<32, E::fp8, E::fp8, Sum::f32>, Pipe::matrix);
  t["v_swmmac_f32_16x16x32_fp8_bf8"] = raw(multiply_sparse<32, E::fp8, E::bf8, Sum::f32>, Pipe::matrix);
  t["v_swmmac_f32_16x16x32_bf8_fp8"] = raw(multiply_sparse<32, E::bf8, E::fp8, Sum::f32>, Pipe::matrix);
  t["v_swmmac_f32_16x16x32_bf8_bf8"] = raw(multiply_sparse<32, E::bf8, E::bf8, Sum::f32>, Pipe::matrix);
}

}  // namespace kernelgen::amdgpu
