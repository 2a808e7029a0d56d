#pragma once
/// Compiler flags that give kernels the same meaning in every dialect, for kernel-gen and for run-time compilation.
#include <string>
#include <string_view>
#include <vector>

namespace kernelgen {

/// Arithmetic that C++ leaves open is the same in every dialect: wrapping integers, no contraction into fma.
inline constexpr const char* clang_flags[] = {"-std=c++17", "-O3", "-fwrapv", "-ffp-contract=off",
                                              "-fno-math-errno"};
inline constexpr const char* cuda_standard = "-std=c++17";
inline constexpr const char* cuda_rounding = "--fmad=false";

/// In addition to clang_flags. Hoisting constants out of loops fills a GPU's scalar registers until they spill; they cost one
/// instruction to remake.
std::vector<std::string> hip_flags(int wave_size);

/// In addition to clang_flags, for a compile into an object.
std::vector<std::string> cpu_flags(std::string_view march);
/// And of the link of objects into a code object, without the C library's functions of mathematics: no build id and no
/// symbols but the exported ones, so that it is the same wherever it is built.
std::vector<std::string> cpu_link_flags();

}  // namespace kernelgen
