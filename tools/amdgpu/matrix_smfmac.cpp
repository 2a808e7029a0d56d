#include <string>

#include "matrix_elements.hpp"

// v_smfmac_*: D += A * B where A has two elements of each four, and a register of 2 bits an element says which (CDNA3 ISA,
// "Sparse Matrix"). A lane has a quarter (or half, of 32 rows) of k: its elements of A stand for twice as many of B's, in
// order. Sums as v_mfma_'s.
namespace kernelgen::amdgpu {
namespace {

template <unsigned Size, unsigned K, Element A, Element B, class T>
void multiply(Wave& wave, const Instruction& in) {  // vdst, a, b, index
  constexpr unsigned groups = 64 / Size, kept = K / groups / 2, whole = K / groups;
  // Registers hold several sets of indices, one of which ABID names unless CBSZ is set.
  const unsigned shift = in.cbsz == 0 ? in.abid * kept * 2 % 32 : 0;
  const std::uint32_t* const indices = wave.vgpr(in.source[3].index);
  alignas(64) std::array<std::array<T, Size>, K / 2> a;
  alignas(64) std::array<std::array<T, Size>, K> b;
  for (unsigned e = 0; e < K / 2; ++e)
    read_lanes<A, Size>(wave, in.source[1].index, Size * (e / kept), e % kept, T(1), a[e].data());
  for (unsigned k = 0; k < K; ++k)
    read_lanes<B, Size>(wave, in.source[2].index, Size * (k / whole), k % whole, T(1), b[k].data());
  alignas(64) std::array<std::array<T, Size>, Size> d;
  for (unsigned row = 0; row < Size; ++row) {
    const RowPosition at = row_position<Size>(row, 0, false);
    for (unsigned column = 0; column < Size; ++column)
      d[row][column] = lane_value<T>(wave, in.source[0].index + at.reg, static_cast<int>(at.lane + column));
    for (unsigned e = 0; e < K / 2; ++e) {
      const unsigned group = e / kept, own = e % kept;
      const unsigned k = group * whole + own / 2 * 4 + (indices[row + Size * group] >> (shift + 2 * own) & 3);
      for (unsigned column = 0; column < Size; ++column)
        d[row][column] = multiply_add(a[e][row], b[k][column], d[row][column]);
    }
  }
  for (unsigned row = 0; row < Size; ++row) {
    const RowPosition at = row_position<Size>(row, 0, false);
    for (unsigned column = 0; column < Size; ++column)
      set_lane_value(wave, in.source[0].index + at.reg, static_cast<int>(at.lane + column), d[row][column]);
  }
}

template <unsigned PerLane, Element A, Element B, class T>
void add_shapes(Opcodes& t, std::string_view sum, std::string_view type) {
  const auto add_shape = [&]<unsigned Size, unsigned K>() {
    const std::string shape = std::to_string(Size) + "x" + std::to_string(Size) + "x" + std::to_string(K);
    t[kept_name("v_smfmac_" + std::string(sum) + "_" + shape + "_", type)] =
        raw(multiply<Size, K, A, B, T>, Pipe::matrix);
  };
  add_shape.template operator()<16, 4 * PerLane>();
  add_shape.template operator()<32, 2 * PerLane>();
}

}  // namespace

void add_smfmac(Opcodes& t) {
  using E = Element;
  add_shapes<8, E::f16, E::f16, float>(t, "f32", "f16");
  add_shapes<8, E::bf16, E::bf16, float>(t, "f32", "bf16");
  add_shapes<16, E::i8, E::i8, std::int32_t>(t, "i32", "i8");
  add_shapes<16, E::fp8, E::fp8, float>(t, "f32", "fp8_fp8");
  add_shapes<16, E::fp8, E::bf8, float>(t, "f32", "fp8_bf8");
  add_shapes<16, E::bf8, E::fp8, float>(t, "f32", "bf8_fp8");
  add_shapes<16, E::bf8, E::bf8, float>(t, "f32", "bf8_bf8");
}

}  // namespace kernelgen::amdgpu
