#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kernelgen::tool {

/// The files after the colon of a rule, as compilers (-MD) and `kernel-gen build --depfile` write it for make and ninja.
std::vector<std::filesystem::path> read_depfile(std::string_view text);

/// Such a rule.
std::string write_depfile(std::span<const std::filesystem::path> outputs,
                          std::span<const std::filesystem::path> inputs);

}  // namespace kernelgen::tool
