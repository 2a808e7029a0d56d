#include <string>

#include "matrix_elements.hpp"
#include "operand.hpp"

// v_mfma_*: matrix products of a wave (CDNA ISA documents, "Matrix Arithmetic Instructions"; layouts as AMD's matrix
// instruction calculator prints them). Not documented, chosen here: each element is summed from C on in the order of k,
// with a fused multiply-add in the type of D; EXEC is not looked at. gfx908 and gfx90a take denormals of 16-bit elements,
// and sums of them, for zeros (CDNA2 ISA); elsewhere they are kept.
namespace kernelgen::amdgpu {
namespace {

/// The lane whose A the broadcast of cbsz and abid takes: groups of 2^cbsz blocks share the block `abid` of them.
unsigned a_block(const Instruction& in, unsigned block) {
  const unsigned group = 1u << in.cbsz;
  return in.cbsz == 0 ? block : block / group * group + in.abid;
}
/// The lane whose B blgp gives to a lane.
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

/// The first of B's registers; where blgp exchanges lanes, of a copy.
unsigned b_registers(Wave& wave, const Instruction& in, unsigned words) {
  const unsigned index = in.source[2].index;
  if (in.blgp == 0) return index;
  for (unsigned i = 0; i < words; ++i)
    for (unsigned lane = 0; lane < 64; ++lane)
      wave.vgpr(vgpr::temporary + i)[lane] = wave.vgpr(index + i)[b_lane(in, lane)];
  return vgpr::temporary;
}

/// D[b] = A[b] * B[b] + C[b]: Blocks products of Size x K and K x Size.
template <unsigned Size, unsigned K, unsigned Blocks, Element A, Element B, class T>
void multiply(Wave& wave, const Instruction& in) {  // vdst, a, b, c
  constexpr unsigned per_lane = Size * K * Blocks / 64;
  constexpr unsigned words = sizeof(T) / 4;
  constexpr bool is_f64 = A == Element::f64;
  const Operand& c = in.source[3];
  const T constant =
      c.kind == Operand::Kind::constant
          ? (c.spelling == Operand::Spelling::real ? static_cast<T>(raw_real(c)) : static_cast<T>(c.bits))
          : T{};
  const auto sign = [&](unsigned bit) { return is_f64 && (in.neg_lo & bit) != 0 ? T(-1) : T(1); };
  const unsigned b_index = is_f64 ? in.source[2].index : b_registers(wave, in, per_lane * bits_of(B) / 32);
  alignas(64) std::array<std::array<std::array<T, Size>, Size>, Blocks> d;
  for (unsigned block = 0; block < Blocks; ++block) {
    alignas(64) std::array<std::array<T, Size>, K> a, b;
    for (unsigned k = 0; k < K; ++k) {
      const unsigned group = Blocks * (k / per_lane);
      read_lanes<A, Size>(wave, in.source[1].index, Size * (a_block(in, block) + group), k % per_lane,
                          sign(1), a[k].data());
      read_lanes<B, Size>(wave, b_index, Size * (block + group), k % per_lane, sign(2), b[k].data());
    }
    for (unsigned row = 0; row < Size; ++row) {
      alignas(64) std::array<T, Size>& sum = d[block][row];
      const RowPosition at = row_position<Size>(row, block, is_f64);
      if (c.kind == Operand::Kind::constant)
        sum.fill(constant);
      else
        for (unsigned column = 0; column < Size; ++column)
          sum[column] =
              sign(4) * lane_value<T>(wave, c.index + words * at.reg, static_cast<int>(at.lane + column));
      for (unsigned k = 0; k < K; ++k)
        for (unsigned column = 0; column < Size; ++column)
          sum[column] = multiply_add(a[k][row], b[k][column], sum[column]);
      if constexpr (std::is_same_v<T, float>) {
        if (flushes(wave, A))
          for (float& x : sum) x = flushed(x, 0x1p-126f);
      }
    }
  }
  for (unsigned block = 0; block < Blocks; ++block)
    for (unsigned row = 0; row < Size; ++row) {
      const RowPosition at = row_position<Size>(row, block, is_f64);
      for (unsigned column = 0; column < Size; ++column)
        set_lane_value(wave, in.source[0].index + words * at.reg, static_cast<int>(at.lane + column),
                       d[block][row][column]);
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
