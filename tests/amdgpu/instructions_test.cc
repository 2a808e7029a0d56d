#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "amdgpu/decode.hpp"
#include "amdgpu/wave.hpp"
#include "device.hpp"

namespace kernelgen::amdgpu {
namespace {

class Instructions : public testing::TestWithParam<const char*> {
 protected:
  Device device{GetParam(), {}, "instructions"};
};

TEST_P(Instructions, RegistersAreFoundByAnIndex) {
  std::vector<float> x(64 * 16);
  std::iota(x.begin(), x.end(), 1.0f);
  const float* const from = device.upload(x);
  float* const y = device.allocate<float>(64);
  for (int n = 0; n < 256; n += 7) {
    device.launch("dynamic_registers", {1, 1, 1}, {64, 1, 1}, y, from, n);
    for (int i = 0; i < 64; ++i) {
      std::vector<float> v(x.begin() + 16 * i, x.begin() + 16 * i + 16);
      v[n & 15] += 2.0f;
      v[(n + 5) & 15] = v[(n * 3) & 15];
      ASSERT_EQ(y[i], v[(n >> 4) & 15]) << "n " << n << ", item " << i;
    }
  }
}

unsigned byte(std::uint64_t word, unsigned i) { return static_cast<unsigned>(word >> (8 * i)) & 0xff; }
unsigned difference(unsigned a, unsigned b) { return a > b ? a - b : b - a; }

TEST_P(Instructions, BytesAreAveragedAndCompared) {
  std::vector<unsigned> a, b, c;
  for (unsigned i = 0; i < 64; ++i) {
    a.push_back(i * 2654435761u);
    b.push_back((i + 99) * 2246822519u & (i % 3 == 0 ? 0xff00ffffu : ~0u));
    c.push_back((i + 7) * 3266489917u);
  }
  unsigned* const y = device.allocate<unsigned>(256);
  device.launch("bytes", {1, 1, 1}, {64, 1, 1}, y, device.upload(a), device.upload(b), device.upload(c));
  for (unsigned i = 0; i < 64; ++i) {
    unsigned average = 0, masked = c[i];
    for (unsigned k = 0; k < 4; ++k) {
      average |= (byte(a[i], k) + byte(b[i], k) + (byte(c[i], k) & 1)) / 2 << 8 * k;
      if (byte(b[i], k) != 0) masked += difference(byte(a[i], k), byte(b[i], k));
    }
    EXPECT_EQ(y[4 * i], average) << i;
    EXPECT_EQ(y[4 * i + 1], masked) << i;
    const std::uint64_t wide = a[i] | std::uint64_t{c[i]} << 32;
    std::uint64_t quad = 0, masked_quad = 0;
    for (unsigned at = 0; at < 4; ++at) {
      std::uint64_t sum = wide >> 16 * at & 0xffff, of_others = 0;
      for (unsigned k = 0; k < 4; ++k) {
        sum += difference(byte(wide, at + k), byte(b[i], k));
        if (byte(b[i], k) != 0) of_others += difference(byte(wide, at + k), byte(b[i], k));
      }
      quad |= (sum & 0xffff) << 16 * at;
      masked_quad |= of_others << 16 * at;
    }
    EXPECT_EQ(y[4 * i + 2] | std::uint64_t{y[4 * i + 3]} << 32, quad + masked_quad) << i;
  }
}

TEST_P(Instructions, QuadsOfBytesAreCompared) {
  std::vector<unsigned> a, b, c;
  for (unsigned i = 0; i < 64; ++i) {
    a.push_back(i * 2654435761u);
    b.push_back((i + 99) * 2246822519u & (i % 3 == 0 ? 0xff00ffffu : ~0u));
    c.push_back((i + 7) * 3266489917u);
  }
  unsigned* const y = device.allocate<unsigned>(256);
  device.launch("quad_sums", {1, 1, 1}, {64, 1, 1}, y, device.upload(a), device.upload(b), device.upload(c));
  for (unsigned i = 0; i < 64; ++i) {
    const unsigned addends[] = {a[i], b[i], c[i], 1};
    for (unsigned at = 0; at < 4; ++at) {
      unsigned sum = addends[at];
      for (unsigned k = 0; k < 4; ++k)
        if (byte(b[i], k) != 0)
          sum += difference(byte(a[i] | std::uint64_t{c[i]} << 32, at + k), byte(b[i], k));
      EXPECT_EQ(y[4 * i + at], sum) << i << ", sum " << at;
    }
  }
}

TEST_P(Instructions, NibblesAreSixteenths) {
  float* const y = device.allocate<float>(64);
  device.launch("sixteenths", {1, 1, 1}, {64, 1, 1}, y);
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(y[i], static_cast<float>(i % 16 < 8 ? i % 16 : i % 16 - 16) / 16) << i;
}

TEST_P(Instructions, QuadsOfAMask) {
  std::vector<std::uint64_t> x;
  for (std::uint64_t i = 0; i < 64; ++i) x.push_back(i * 0x9e3779b97f4a7c15 & 0x0ff0f00f10204080 << i % 5);
  auto* const y = device.allocate<std::uint64_t>(128);
  device.launch("quads", {1, 1, 1}, {1, 1, 1}, y, device.upload(x));
  for (unsigned i = 0; i < 64; ++i) {
    std::uint64_t quads = 0;
    for (unsigned bit = 0; bit < 64; ++bit) quads |= (x[i] >> bit & 1) << bit / 4;
    EXPECT_EQ(y[2 * i], quads & 0xff) << i;
    EXPECT_EQ(y[2 * i + 1], quads) << i;
  }
}

TEST_P(Instructions, ScalarRegistersAreFoundByAnIndex) {
  auto* const y = device.allocate<std::uint64_t>(2);
  device.launch("scalar_registers_by_an_index", {1, 1, 1}, {1, 1, 1}, y);
  EXPECT_EQ(y[0], 7u);
  EXPECT_EQ(y[1], 9u);
}

// No GPU that LLVM 19 disassembles for has it.
TEST(Text, BitwiseFunctionsByTheirTable) {
  Wave wave;
  wave.vgprs.resize(vgpr::count);
  wave.set_exec(~std::uint64_t{0});
  for (unsigned lane = 0; lane < 64; ++lane)
    for (unsigned i = 1; i < 4; ++i) wave.vgpr(i)[lane] = lane * 2654435761u * i + 12345 * i;
  const Instruction in = decode_text("v_bitop3_b32 v0, v1, v2, v3 bitop3:0xca", {"gfx950", 9, 5, 0});
  in.execute(wave, in);
  for (unsigned lane = 0; lane < 64; ++lane) {
    const std::uint32_t a = wave.vgpr(1)[lane], b = wave.vgpr(2)[lane], c = wave.vgpr(3)[lane];
    EXPECT_EQ(wave.vgpr(0)[lane], (a & b) | (~a & c)) << lane;
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Instructions,
                         testing::Values("gfx906", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"),
                         [](const auto& info) { return std::string(info.param); });

class Buffers : public Instructions {};

TEST_P(Buffers, AtomicsChangeWhatIsInside) {
  std::vector<int> x(128);
  std::iota(x.begin(), x.end(), 1000);
  int *const memory = device.upload(x), *const y = device.allocate<int>(128);
  device.launch("buffer_atomics", {1, 1, 1}, {128, 1, 1}, y, memory, 400);
  for (int i = 0; i < 128; ++i) {
    EXPECT_EQ(y[i], i < 100 ? 1000 + i : 0) << i;
    EXPECT_EQ(memory[i], i < 100 ? 1005 + 2 * i : 1000 + i) << i;
  }
}

TEST_P(Buffers, LoadsGoToLds) {
  std::vector<int> x(128);
  std::iota(x.begin(), x.end(), 1000);
  int *const memory = device.upload(x), *const y = device.allocate<int>(128);
  device.launch("buffer_to_lds", {1, 1, 1}, {128, 1, 1}, y, memory, 400);
  for (int i = 0; i < 128; ++i) EXPECT_EQ(y[i], i < 100 ? 1000 + i : 0) << i;
  if (std::string(GetParam()) != "gfx942") return;
  device.launch("global_to_lds", {1, 1, 1}, {128, 1, 1}, y, memory);
  EXPECT_TRUE(std::equal(x.begin(), x.end(), y));
}

INSTANTIATE_TEST_SUITE_P(Targets, Buffers, testing::Values("gfx90a", "gfx942"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace kernelgen::amdgpu
