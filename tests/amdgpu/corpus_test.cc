#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <span>

#include "amdgpu/simulator.hpp"

namespace kernelgen::amdgpu {
namespace {

// What clang makes of corpus/ for each family is known to the simulator.
TEST(Corpus, HasNoUnknownInstruction) {
  unsigned objects = 0;
  for (const auto& entry : std::filesystem::directory_iterator(KERNELGEN_AMDGPU_OBJECTS)) {
    if (entry.path().extension() != ".hsaco") continue;
    ++objects;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), {});
    const CodeObject object(std::as_bytes(std::span(bytes)));
    Simulator simulator(object.processor());
    const auto module = simulator.load(std::as_bytes(std::span(bytes)));
    const std::map<std::string, std::uint64_t> none;
    EXPECT_EQ(module->program(object.kernels().begin()->second.wave_size).unknown(), none) << entry.path();
  }
  EXPECT_GE(objects, 8u * 4u);
}

}  // namespace
}  // namespace kernelgen::amdgpu
