#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/fault.hpp"
#include "manifest/kernel.hpp"
#include "manifest/manifest.hpp"
#include "support/memory_disk.hpp"

namespace kernelgen::tool {

/// What every manifest of these tests finds.
inline MemoryDisk& fill(MemoryDisk& disk) {
  disk.add("kernels/unary.hpp", "");
  disk.add("kernels/engines/map.hpp", "");
  disk.add("secret.hpp", "");
  disk.add_link("kernels/linked.hpp", "secret.hpp");
  disk.make_dirs("m");
  return disk;
}

/// What reading and expanding the manifests prints; empty when all is well.
inline std::string complaints(const Disk& disk, const std::vector<std::filesystem::path>& folders = {"m"}) {
  try {
    expand(read_manifests(disk, folders, "kernels"));
    return "";
  } catch (const BadInput& error) {
    return error.what();
  }
}

/// A manifest that is wrong, and what is said of it.
struct Case {
  const char* name;
  std::string manifest;
  std::string lines;  ///< without "kernel-gen: error: m/a.json: " where there is just one
};

inline void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

/// A manifest whose only operation has these members.
inline std::string operation(const std::string& members) {
  return R"({"module": "a", "header": "unary.hpp", "operations": [{)" + members + "}]}";
}
/// As operation(), right but for `members`.
inline std::string map_with(const std::string& members) {
  return operation(R"("op": "f", "types": {"T": "F"}, "inputs": ["x: T"], "output": "T", )" + members);
}
inline std::string symbol(const std::string& members) {
  return R"({"module": "a", "header": "unary.hpp", "symbols": [{)" + members + "}]}";
}
inline std::string with_header(const std::string& header) {
  return R"({"module": "a", "header": ")" + header +
         R"(", "operations": [{"op": "f", "types": {"T": "F"}, "inputs": ["x: T"], "output": "T", "expr": "x"}]})";
}

/// The manifest m/a.json makes the tool print exactly those lines.
class ManifestError : public testing::TestWithParam<Case> {};

inline std::string name_of_case(const testing::TestParamInfo<Case>& info) { return info.param.name; }

}  // namespace kernelgen::tool
