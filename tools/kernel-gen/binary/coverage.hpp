#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "binary/binary.hpp"
#include "manifest/target.hpp"

namespace kernelgen::tool {

/// How a loader comes to the code that it takes for a GPU.
enum class Match : std::uint8_t { none, generic, exact };

/// Whether code for `target` ("gfx90a:xnack+", "gfx11-generic") runs on `gpu`, which may have features too: what only one of the two
/// names is no contradiction.
Match match(std::string_view target, std::string_view gpu, const TargetTable& table);

/// The processor of a target with features: "gfx90a" of "gfx90a:xnack+".
std::string_view processor_of(std::string_view target);

/// What a file has for one GPU. A module is what a program loads at once: a bundle, or a code object by itself.
struct Coverage {
  std::size_t modules = 0;                ///< of the file
  std::size_t exact = 0, generic = 0;     ///< modules with code for the GPU, by the best of it
  std::map<std::string, std::size_t> by;  ///< the targets of that code, and modules by each
  std::vector<std::string> lacking;       ///< names of the other modules

  bool runs() const { return modules > 0 && lacking.empty(); }
};

/// Only AMD's code counts. In a folder, files for a single GPU are modules of that GPU alone: a loader opens them by name.
Coverage coverage_of(const Binary& binary, std::string_view gpu, const TargetTable& table);

}  // namespace kernelgen::tool
