#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "device.hpp"

namespace kernelgen::amdgpu {
namespace {

class Launches : public testing::TestWithParam<const char*> {};

std::string fault_of(auto launch, Fault::Kind kind) {
  try {
    launch();
  } catch (const Fault& fault) {
    EXPECT_EQ(fault.kind(), kind);
    return fault.what();
  }
  ADD_FAILURE() << "no fault";
  return {};
}

TEST_P(Launches, BlocksShareLds) {
  Device device(GetParam());
  std::vector<float> values(1024);
  std::iota(values.begin(), values.end(), 1.0f);
  float* const sums = device.allocate<float>(4);
  const Counters counters = device.launch("block_sum", {4, 1, 1}, {256, 1, 1}, sums, device.upload(values));
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(sums[i], std::accumulate(values.begin() + 256 * i, values.begin() + 256 * (i + 1), 0.0f));
  EXPECT_EQ(counters.blocks, 4u);
  EXPECT_EQ(counters.bytes_loaded, 4096u);
  EXPECT_EQ(counters.bytes_stored, 16u);
}

TEST_P(Launches, LanesHavePrivateMemoryAndCallFunctions) {
  Device device(GetParam());
  std::vector<int> values(128);
  std::iota(values.begin(), values.end(), 1000);
  int* const results = device.allocate<int>(128);
  device.launch("private_table", {1, 1, 1}, {128, 1, 1}, results, device.upload(values));
  for (int item = 0; item < 128; ++item) {
    int table[16];
    for (int i = 0; i < 16; ++i) table[(i * 5 + item) & 15] = values[static_cast<std::size_t>(item)] + i;
    EXPECT_EQ(results[item], table[item & 15] * 3 + 1 + table[(item * 7) & 15]) << item;
  }
}

TEST_P(Launches, AtomicsCount) {
  Device device(GetParam());
  std::vector<unsigned> keys(256);
  for (unsigned i = 0; i < 256; ++i) keys[i] = i * 7919 % 1021;
  unsigned* const counts = device.upload(std::vector<unsigned>(16));
  unsigned* const most = device.upload(std::vector<unsigned>(1));
  device.launch("histogram", {5, 1, 1}, {256, 1, 1}, counts, most, device.upload(keys));
  for (unsigned bin = 0; bin < 16; ++bin)
    EXPECT_EQ(counts[bin], 5 * std::ranges::count_if(keys, [&](unsigned key) { return (key & 15) == bin; }))
        << bin;
  EXPECT_EQ(*most, std::ranges::max(keys));
}

TEST_P(Launches, LanesExchangeWords) {
  Device device(GetParam());
  std::vector<int> values(128);
  std::iota(values.begin(), values.end(), 5);
  int* const results = device.allocate<int>(512);
  device.launch("exchange", {1, 1, 1}, {32, 4, 1}, results, device.upload(values));
  const int wave = std::string(GetParam()).starts_with("gfx9") ? 64 : 32;
  for (int item = 0; item < 128; ++item) {
    const int x = item % 32;
    EXPECT_EQ(results[4 * item], 5 + item / 32 * 32 + (x + 1) % 32) << item;
    EXPECT_EQ(results[4 * item + 1], 5 + (item ^ 1)) << item;
    EXPECT_EQ(results[4 * item + 2], item % 16 == 0 ? -1 : 4 + item) << item;
    EXPECT_EQ(results[4 * item + 3], 5 + item / wave * wave) << item;
  }
}

TEST_P(Launches, FaultsNameWhatIsNearest) {
  Device device(GetParam());
  const float* const values = device.upload(std::vector<float>(256));
  float* const results = device.allocate<float>(256);
  const std::string outside =
      fault_of([&] { device.launch("add_f32", {2, 1, 1}, {256, 1, 1}, results, values, values, 512u); },
               Fault::Kind::memory);
  EXPECT_NE(outside.find("kernel 'add_f32': block (1, 0, 0), wave 0"), std::string::npos) << outside;
  EXPECT_NE(outside.find("load"), std::string::npos) << outside;
  EXPECT_NE(outside.find("0 bytes after allocation"), std::string::npos) << outside;
  EXPECT_TRUE(device.simulator().memory().free(results));
  const std::string freed =
      fault_of([&] { device.launch("add_f32", {1, 1, 1}, {256, 1, 1}, results, values, values, 256u); },
               Fault::Kind::memory);
  EXPECT_NE(freed.find("use after free"), std::string::npos) << freed;
  EXPECT_FALSE(device.simulator().memory().free(results));
}

TEST_P(Launches, EndlessLoopsStop) {
  Device device(GetParam(), {.threads = 1, .most_instructions = 100'000});
  int* const flag = device.upload(std::vector<int>(1));
  const std::string text =
      fault_of([&] { device.launch("endless", {1, 1, 1}, {64, 1, 1}, flag); }, Fault::Kind::endless);
  EXPECT_NE(text.find("not done after"), std::string::npos) << text;
}

TEST_P(Launches, ArgumentsAreChecked) {
  Device device(GetParam());
  fault_of([&] { device.launch("add_f32", {1, 1, 1}, {256, 1, 1}, 1u); }, Fault::Kind::arguments);
  fault_of([&] { device.launch("no_such", {1, 1, 1}, {256, 1, 1}, 1u); }, Fault::Kind::arguments);
}

TEST_P(Launches, CallsOfTheHostAreNamed) {
  Device device(GetParam());
  auto* const result = device.allocate<unsigned>(1);
  const std::string text = fault_of([&] { device.launch("calls_the_host", {1, 1, 1}, {1, 1, 1}, result); },
                                    Fault::Kind::unsupported);
  EXPECT_NE(text.find("calls the host, as printf"), std::string::npos) << text;
}

INSTANTIATE_TEST_SUITE_P(Targets, Launches,
                         testing::Values("gfx906", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace kernelgen::amdgpu
