#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "common/content_hash.hpp"
#include "compile/compiler.hpp"

namespace kernelgen {

/// Compiled code on disk, by the hash of all compiler inputs: KEY below "modules" in the cache's folder, in two levels.
/// An entry is used as long as the compiler's file is unchanged and only this user could write the entry.
/// Several processes may share the folder: entries are written in one step, and hold their own hash. Thread-safe.
class CodeCache {
 public:
  /// An empty folder name disables the cache.
  explicit CodeCache(std::filesystem::path cache) : cache_(std::move(cache)) {}

  /// Nothing if there is no usable entry.
  std::optional<CompiledCode> find(const ContentHash& key) const;
  /// Ignores write failures: the code is compiled again next time.
  void store(const ContentHash& key, const CompiledCode& code) const noexcept;

 private:
  std::filesystem::path file_of(const ContentHash& key) const;

  std::filesystem::path cache_;
};

}  // namespace kernelgen
