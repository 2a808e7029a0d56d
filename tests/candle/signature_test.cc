// The kernels of all of candle's modules (affine, binary, cast, conv, fill, indexing, quantized, reduce, sort, ternary,
// unary) are there, with exactly candle's arguments. The build has compared every code object with what the package says.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "launcher.hpp"

namespace kernelgen::candle {
namespace {

/// By name: an argument's size in bytes, or "*" for a pointer.
const nlohmann::json& list() {
  static const nlohmann::json read = nlohmann::json::parse(std::ifstream(KERNELGEN_CANDLE_LIST));
  return read;
}

TEST(CandleSignature, EveryKernelIsThere) {
  EXPECT_EQ(list().size(), 755u);
  for (const auto& [name, arguments] : list().items())
    EXPECT_TRUE(package().find_kernel(name).has_value()) << name;
  // Those of launchers are this library's own.
  for (const kernelgen_kernel_record& kernel : package().kernels())
    if (package().text(package().modules()[kernel.module].name) != "candle_ffi") {
      EXPECT_TRUE(list().contains(std::string(package().text(kernel.name)))) << package().text(kernel.name);
    }
}

TEST(CandleSignature, ArgumentsLieWhereCandlePutsThem) {
  for (const auto& [name, wanted] : list().items()) {
    const auto kernel = package().find_kernel(name);
    ASSERT_TRUE(kernel.has_value()) << name;
    const auto arguments = package().arguments(*kernel);
    ASSERT_EQ(arguments.size(), wanted.size()) << name;
    std::uint32_t end = 0;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const bool pointer = wanted[i].is_string();
      const std::uint32_t size = pointer ? 8 : wanted[i].get<std::uint32_t>();
      const std::uint32_t offset = (end + size - 1) / size * size;
      EXPECT_EQ(arguments[i].is_pointer != 0, pointer) << name << " argument " << i;
      EXPECT_EQ(arguments[i].size, size) << name << " argument " << i;
      EXPECT_EQ(arguments[i].offset, offset) << name << " argument " << i;
      end = offset + size;
    }
  }
}

}  // namespace
}  // namespace kernelgen::candle
