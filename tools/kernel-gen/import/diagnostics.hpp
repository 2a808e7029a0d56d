#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kernelgen::tool {

/// An error of clang's.
struct Diagnostic {
  std::string file;  ///< empty: of no file
  std::uint32_t line = 0, column = 0;
  std::string what;
  /// Locations that its notes name, "in instantiation of" among them, as FILE:LINE.
  std::vector<std::pair<std::string, std::uint32_t>> notes;
};

/// The errors among what clang wrote, each once.
std::vector<Diagnostic> read_diagnostics(std::string_view text);

}  // namespace kernelgen::tool
