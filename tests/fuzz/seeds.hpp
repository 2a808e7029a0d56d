#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// What a fuzz target is: the function that libFuzzer calls with bytes of any kind, and inputs to begin with, made from
/// what the tree has. The function returns 0; bytes that are refused as they should be are no finding, all else ends the
/// process.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace kernelgen::fuzz {

std::vector<std::string> seeds();

}  // namespace kernelgen::fuzz
