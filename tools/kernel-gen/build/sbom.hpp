#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "manifest/node.hpp"

namespace kernelgen::tool {

/// What a package was made of and by whom, as SPDX 2.3 says such things (https://spdx.github.io/spdx-spec/v2.3/).
struct Sbom {
  struct File {
    std::string name;   ///< "./kernels/map.hpp"; of the system's files the path
    std::string bytes;  ///< to be hashed
  };
  struct Use {
    std::string target;
    std::string command;  ///< the flags, by no path of this machine
  };
  struct Program {
    std::string name;
    std::string version;
    std::string bytes;      ///< of the program's file
    std::vector<Use> uses;  ///< for compilers
  };

  std::string package_name;
  std::string package_bytes;
  std::vector<File> sources;
  std::vector<Program> programs;
  std::int64_t seconds = 0;  ///< when it was made, since 1970
};

/// Hashes are SHA-256; files also have SHA-1, which SPDX 2.3 requires. The document's namespace is a hash of all of it
/// but the time.
Json spdx_json(const Sbom& sbom);

}  // namespace kernelgen::tool
