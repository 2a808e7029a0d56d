#include <cmath>
#include <limits>

#include "matrix_elements.hpp"
#include "operand.hpp"

// v_mfma_f32_*_f8f6f4 and v_mfma_scale_f32_*_f8f6f4 of gfx950 (CDNA4 ISA, "Block scaled MFMA"; formats and scales are those of
// OCP's "Microscaling Formats (MX)" 1.0; elements are in lanes as Composable Kernel loads them). cbsz and blgp choose the formats
// of A and B. Each 32 elements of a row of A, or of a column of B, have a scale: the byte of the lane's register that op_sel (bit
// 0) and op_sel_hi (bit 1) choose. Not documented, chosen here: products are exact, and added from C on in the order of k, each
// sum rounded to f32.
namespace kernelgen::amdgpu {
namespace {

struct Format {
  unsigned bits;
  unsigned chunk;  ///< elements of a row that are next to each other in a lane
  int mantissa, bias;
};
/// By cbsz or blgp: FP8 (E4M3), BF8 (E5M2), FP6 (E2M3), BF6 (E3M2), FP4 (E2M1).
constexpr Format formats[] = {{8, 16, 3, 7}, {8, 16, 2, 15}, {6, 32, 3, 1}, {6, 32, 2, 3}, {4, 32, 1, 1}};

double number(std::uint32_t bits, unsigned code) {
  if (code == 0) return of_float8(bits, fp8_ocp);
  if (code == 1) return of_float8(bits, bf8_ocp);
  const Format& f = formats[code];  // without infinities and NaN
  const auto magnitude = static_cast<int>(bits & ((1u << (f.bits - 1)) - 1));
  const int exponent = magnitude >> f.mantissa, fraction = magnitude & ((1 << f.mantissa) - 1);
  const double value = exponent == 0
                           ? std::ldexp(fraction, 1 - f.bias - f.mantissa)
                           : std::ldexp(fraction + (1 << f.mantissa), exponent - f.bias - f.mantissa);
  return (bits >> (f.bits - 1) & 1) != 0 ? -value : value;
}

constexpr unsigned block = 32;  // elements with one scale

/// Elements of A's rows or B's columns, times their scales.
template <unsigned Size>
class Scaled {
 public:
  Scaled(Wave& wave, const Operand& elements, unsigned code, const Operand* scales, unsigned byte)
      : wave_(wave),
        first_(elements.index),
        code_(code),
        format_(formats[code]),
        scales_(scales),
        byte_(byte) {}

  double operator()(unsigned row, unsigned k) const {
    const unsigned groups = 64 / Size, chunk = k / format_.chunk;
    const unsigned lane = row + Size * (chunk % groups);
    const unsigned bit = format_.bits * (chunk / groups * format_.chunk + k % format_.chunk);
    std::uint64_t words = wave_.vgpr(first_ + bit / 32)[lane];
    if (bit % 32 + format_.bits > 32) words |= std::uint64_t{wave_.vgpr(first_ + bit / 32 + 1)[lane]} << 32;
    const auto field = static_cast<std::uint32_t>(words >> bit % 32) & ((1u << format_.bits) - 1);
    return number(field, code_) * scale(row + Size * (k / block));
  }

 private:
  double scale(unsigned lane) const {  // E8M0
    if (scales_ == nullptr) return 1;
    const std::uint32_t word = scales_->kind == Operand::Kind::vgpr ? wave_.vgpr(scales_->index)[lane]
                               : scales_->kind == Operand::Kind::sgpr
                                   ? wave_.read(scales_->index)
                                   : static_cast<std::uint32_t>(scales_->bits);
    const std::uint32_t exponent = word >> (8 * byte_) & 0xff;
    return exponent == 0xff ? std::numeric_limits<double>::quiet_NaN()
                            : std::ldexp(1.0, static_cast<int>(exponent) - 127);
  }

  Wave& wave_;
  unsigned first_, code_;
  const Format& format_;
  const Operand* scales_;
  unsigned byte_;
};

template <unsigned Size, unsigned K, bool HasScales>
void multiply(Wave& wave, const Instruction& in) {  // vdst, a, b, c and the scales of a and b
  if (in.cbsz >= std::size(formats) || in.blgp >= std::size(formats))
    wave.fault(Fault::Kind::unsupported, "cbsz or blgp is not a format");
  const auto byte = [&](unsigned i) { return (in.op_sel >> i & 1u) + 2 * (in.op_sel_hi >> i & 1u); };
  const Scaled<Size> a(wave, in.source[1], in.cbsz, HasScales ? &in.source[4] : nullptr, byte(0));
  const Scaled<Size> b(wave, in.source[2], in.blgp, HasScales ? &in.source[5] : nullptr, byte(1));
  const Operand& c = in.source[3];
  std::array<std::array<double, K>, Size> rows, columns;
  for (unsigned i = 0; i < Size; ++i)
    for (unsigned k = 0; k < K; ++k) {
      rows[i][k] = a(i, k);
      columns[i][k] = b(i, k);
    }
  std::array<std::array<float, Size>, Size> d;
  for (unsigned row = 0; row < Size; ++row) {
    const RowPosition at = row_position<Size>(row, 0, false);
    for (unsigned column = 0; column < Size; ++column) {
      float sum = c.kind == Operand::Kind::constant
                      ? (c.spelling == Operand::Spelling::real ? static_cast<float>(raw_real(c))
                                                               : static_cast<float>(c.bits))
                      : lane_value<float>(wave, c.index + at.reg, static_cast<int>(at.lane + column));
      for (unsigned k = 0; k < K; ++k) sum = static_cast<float>(sum + rows[row][k] * columns[column][k]);
      d[row][column] = sum;
    }
  }
  for (unsigned row = 0; row < Size; ++row) {
    const RowPosition at = row_position<Size>(row, 0, false);
    for (unsigned column = 0; column < Size; ++column)
      set_lane_value(wave, in.source[0].index + at.reg, static_cast<int>(at.lane + column), d[row][column]);
  }
}

}  // namespace

void add_scaled_mfma(Opcodes& t) {
  t["v_mfma_f32_16x16x128_f8f6f4"] = raw(multiply<16, 128, false>, Pipe::matrix);
  t["v_mfma_f32_32x32x64_f8f6f4"] = raw(multiply<32, 64, false>, Pipe::matrix);
  t["v_mfma_scale_f32_16x16x128_f8f6f4"] = raw(multiply<16, 128, true>, Pipe::matrix);
  t["v_mfma_scale_f32_32x32x64_f8f6f4"] = raw(multiply<32, 64, true>, Pipe::matrix);
}

}  // namespace kernelgen::amdgpu
