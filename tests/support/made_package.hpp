#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace kernelgen::test {

/// A package as `kernel-gen build` writes it for AMD GPUs, made without a compiler: code objects of metadata alone, which
/// says what the manifests want.
struct MadePackage {
  std::vector<std::string> manifests;             ///< JSON
  std::vector<std::string> targets = {"gfx90a"};  ///< of the shipped table
  std::vector<std::string> only;
  std::string source = "xxh3:0";  ///< the hash of what it was compiled from
  /// Changes what the code object for a target says of a kernel, as in HSACO metadata.
  std::function<void(const std::string& target, nlohmann::json& kernel)> change;
  bool is_compressed = true;
  std::map<std::string, std::uint64_t> code_bytes;  ///< of a kernel's instructions; 64 where none is given

  std::string bytes() const;
};

/// A manifest of kernels that take (x: f32*, n: u64).
std::string symbols_manifest(const std::string& module, const std::vector<std::string>& names);

}  // namespace kernelgen::test
