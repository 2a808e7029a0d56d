#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "common/content_hash.hpp"
#include "compile/compiler.hpp"

namespace kernelgen {

/// What compilers made, on disk, by the hash of all that they were told: KEY below the folder, in two levels. An entry is
/// used as long as the compiler's file is as it was then. Several processes may share the folder: entries are written in
/// one step, and hold their own hash. Thread-safe.
class CodeCache {
 public:
  /// An empty folder is no cache.
  explicit CodeCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Nothing where there is no entry, or none that can be used.
  std::optional<CompiledCode> find(const ContentHash& key) const;
  /// Leaves it where it cannot be written: it is made again then.
  void store(const ContentHash& key, const CompiledCode& code) const noexcept;

 private:
  std::filesystem::path file_of(const ContentHash& key) const;

  std::filesystem::path folder_;
};

}  // namespace kernelgen
