#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "amdgpu/decode.hpp"
#include "amdgpu/wave.hpp"

// Matrix products of gfx950, from the texts that LLVM 20 and later disassemble: no compiler that the tests need makes code for it.
// Where elements are in registers is written here lane by lane, as Composable Kernel's comments list it.
namespace kernelgen::amdgpu {
namespace {

class Gfx950 : public testing::Test {
 protected:
  Gfx950() {
    launch.isa = &isa;
    block.launch = &launch;
    wave.block = &block;
    wave.vgprs.resize(vgpr::count);
    wave.set_exec(~std::uint64_t{0});
  }
  void execute(const std::string& text) {
    const Instruction in = decode_text(text, isa);
    ASSERT_FALSE(is_unknown(in)) << text;
    in.execute(wave, in);
  }
  /// Bits of a lane's registers from `first` on, as one number of many words.
  void set_bits(unsigned first, unsigned lane, unsigned at, unsigned bits, std::uint32_t value) {
    for (unsigned i = 0; i < bits; ++i)
      wave.vgpr(first + (at + i) / 32)[lane] |= (value >> i & 1) << (at + i) % 32;
  }
  float result(unsigned size, unsigned row, unsigned column, unsigned first = 0) {
    const unsigned lane = size == 16 ? 16 * (row / 4) + column : 32 * (row / 4 % 2) + column;
    const unsigned reg = size == 16 ? row % 4 : row / 8 * 4 + row % 4;
    return std::bit_cast<float>(wave.vgpr(first + reg)[lane]);
  }
  std::uint32_t draw(std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); }

  Isa isa{"gfx950", 9, 5, 0};
  Launch launch;
  Block block;
  Wave wave;
  std::mt19937 random{950};
};

struct Format {
  unsigned bits;
  std::uint32_t codes[8];  ///< of 0, 0.5, 1, 1.5, 2, 3, 4, 6
};
constexpr double magnitudes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
constexpr Format formats[] = {{8, {0, 0x30, 0x38, 0x3c, 0x40, 0x44, 0x48, 0x4c}},  // E4M3
                              {8, {0, 0x38, 0x3c, 0x3e, 0x40, 0x42, 0x44, 0x46}},  // E5M2
                              {6, {0, 4, 8, 12, 16, 20, 24, 28}},                  // E2M3
                              {6, {0, 8, 12, 14, 16, 18, 20, 22}},                 // E3M2
                              {4, {0, 1, 2, 3, 4, 5, 6, 7}}};                      // E2M1

/// Which k the element `e` of a lane's 32 is.
unsigned k_of(unsigned size, unsigned bits, unsigned lane, unsigned e) {
  const unsigned group = lane / size;
  if (bits != 8) return 32 * group + e;
  return e < 16 ? 16 * group + e : 16 * (64 / size) + 16 * group + e - 16;
}

class ScaledProducts : public Gfx950,
                       public testing::WithParamInterface<std::tuple<unsigned, unsigned, unsigned>> {
 protected:
  const unsigned size = std::get<0>(GetParam()), terms = size == 16 ? 128 : 64;
  const unsigned a_code = std::get<1>(GetParam()), b_code = std::get<2>(GetParam());

  using Matrix = std::vector<std::vector<double>>;  ///< [row of A or column of B][k]
  Matrix fill(unsigned first, unsigned code) {
    Matrix matrix(size, std::vector<double>(terms));
    const Format& format = formats[code];
    for (unsigned lane = 0; lane < 64; ++lane)
      for (unsigned e = 0; e < 32; ++e) {
        const std::uint32_t index = draw(8), negative = draw(2);
        set_bits(first, lane, format.bits * e, format.bits,
                 format.codes[index] | negative << (format.bits - 1));
        matrix[lane % size][k_of(size, format.bits, lane, e)] =
            negative ? -magnitudes[index] : magnitudes[index];
      }
    return matrix;
  }
  void expect(const Matrix& a, const Matrix& b, double start) {
    for (unsigned row = 0; row < size; ++row)
      for (unsigned column = 0; column < size; ++column) {
        double sum = start;
        for (unsigned k = 0; k < terms; ++k) sum += a[row][k] * b[column][k];
        ASSERT_EQ(result(size, row, column), sum) << row << ", " << column;
      }
  }
  std::string text(const char* name, const char* rest) const {
    const auto registers = [&](unsigned first, unsigned code) {
      return "v[" + std::to_string(first) + ":" + std::to_string(first + formats[code].bits - 1) + "]";
    };
    return "v_mfma_" + std::string(name) + (size == 16 ? "f32_16x16x128" : "f32_32x32x64") +
           "_f8f6f4 v[0:" + (size == 16 ? "3" : "15") + "], " + registers(20, a_code) + ", " +
           registers(30, b_code) + ", " + rest + " cbsz:" + std::to_string(a_code) +
           " blgp:" + std::to_string(b_code);
  }
};

TEST_P(ScaledProducts, WithoutScales) {
  const Matrix a = fill(20, a_code), b = fill(30, b_code);
  execute(text("", "1.0"));
  expect(a, b, 1);
}

TEST_P(ScaledProducts, WithAScaleForEach32) {
  Matrix a = fill(20, a_code), b = fill(30, b_code);
  for (unsigned lane = 0; lane < 64; ++lane) {
    const std::uint32_t of_a = 125 + draw(5), of_b = 125 + draw(5), other = 0xff;  // NaN
    wave.vgpr(40)[lane] = other | other << 8 | of_a << 16 | other << 24;
    wave.vgpr(41)[lane] = other | of_b << 8 | other << 16 | other << 24;
    for (unsigned k = 32 * (lane / size); k < 32 * (lane / size) + 32; ++k) {
      a[lane % size][k] *= std::exp2(static_cast<int>(of_a) - 127);
      b[lane % size][k] *= std::exp2(static_cast<int>(of_b) - 127);
    }
  }
  execute(text("scale_", "0, v40, v41 op_sel:[0,1,0] op_sel_hi:[1,0,0]"));
  expect(a, b, 0);
}

INSTANTIATE_TEST_SUITE_P(All, ScaledProducts,
                         testing::Combine(testing::Values(16u, 32u), testing::Range(0u, 5u),
                                          testing::Range(0u, 5u)));

TEST_F(Gfx950, FormatsOf6Bits) {
  const auto e2m3 = [](unsigned i) {
    return i < 16 ? i / 8.0 : i < 24 ? 2 + (i - 16) / 4.0 : 4 + (i - 24) / 2.0;
  };
  const auto e3m2 = [](unsigned i) {
    return i < 8 ? i / 16.0 : (4 + i % 4) * std::exp2(static_cast<int>(i / 4) - 5);
  };
  const std::function<double(unsigned)> values[] = {e2m3, e3m2};
  for (unsigned format = 0; format < 2; ++format)
    for (unsigned code = 0; code < 64; ++code) {
      for (unsigned i = 0; i < 60; ++i) std::fill_n(wave.vgpr(i), 64, 0u);
      set_bits(20, 0, 0, 6, code);
      set_bits(30, 0, 0, 4, 2);  // 1
      execute("v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[20:25], v[30:33], 0 cbsz:" + std::to_string(2 + format) +
              " blgp:4");
      EXPECT_EQ(result(16, 0, 0), (code < 32 ? 1 : -1) * values[format](code % 32)) << format << ": " << code;
    }
}

TEST_F(Gfx950, AScaleOfAllOnesIsNaN) {
  set_bits(20, 0, 0, 4, 2);
  set_bits(30, 0, 0, 4, 2);
  wave.vgpr(40)[0] = 0xff;
  execute(
      "v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[20:23], v[30:33], 0, v40, v41 op_sel_hi:[0,0,0] cbsz:4 "
      "blgp:4");
  EXPECT_TRUE(std::isnan(result(16, 0, 0)));
}

/// Products of small whole numbers with twice the k of gfx942: a lane has `per_lane` elements of A's row that follow each other.
struct Doubled {
  const char* name;
  unsigned size, terms, bits;
  bool is_integer;
};
class DoubledProducts : public Gfx950, public testing::WithParamInterface<Doubled> {};

TEST_P(DoubledProducts, AreSumsOverK) {
  const auto [name, size, terms, bits, is_integer] = GetParam();
  const unsigned per_lane = size * terms / 64;
  std::vector<std::vector<int>> matrices[2] = {{size, std::vector<int>(terms)},
                                               {size, std::vector<int>(terms)}};
  for (unsigned matrix = 0; matrix < 2; ++matrix)
    for (unsigned lane = 0; lane < 64; ++lane)
      for (unsigned e = 0; e < per_lane; ++e) {
        const int value = static_cast<int>(draw(15)) - 7;
        const std::uint32_t field = bits == 8 ? static_cast<std::uint8_t>(value)
                                    : std::string_view(name).ends_with("bf16")
                                        ? std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16
                                        : std::bit_cast<std::uint16_t>(static_cast<_Float16>(value));
        set_bits(20 + 10 * matrix, lane, bits * e, bits, field);
        matrices[matrix][lane % size][lane / size * per_lane + e] = value;
      }
  const std::string last = size == 16 ? "3" : "15";
  execute(std::string(name) + " v[0:" + last + "], v[20:23], v[30:33], 0");
  for (unsigned row = 0; row < size; ++row)
    for (unsigned column = 0; column < size; ++column) {
      int sum = 0;
      for (unsigned k = 0; k < terms; ++k) sum += matrices[0][row][k] * matrices[1][column][k];
      const float found = result(size, row, column);
      ASSERT_EQ(is_integer ? static_cast<float>(std::bit_cast<int>(found)) : found, static_cast<float>(sum))
          << row << ", " << column;
    }
}

INSTANTIATE_TEST_SUITE_P(All, DoubledProducts,
                         testing::Values(Doubled{"v_mfma_f32_16x16x32_f16", 16, 32, 16, false},
                                         Doubled{"v_mfma_f32_32x32x16_f16", 32, 16, 16, false},
                                         Doubled{"v_mfma_f32_16x16x32_bf16", 16, 32, 16, false},
                                         Doubled{"v_mfma_f32_32x32x16_bf16", 32, 16, 16, false},
                                         Doubled{"v_mfma_i32_16x16x64_i8", 16, 64, 8, true},
                                         Doubled{"v_mfma_i32_32x32x32_i8", 32, 32, 8, true}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace kernelgen::amdgpu
