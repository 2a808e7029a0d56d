#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.hpp"
#include "build/cache.hpp"

namespace kernelgen::tool {

/// What is compressed at once.
enum class Grouping { object, manifest, target };

/// How the code of a package is stored.
struct Packing {
  std::optional<int> level = 19;  ///< of zstd, 1 (fast) to 22 (small); without one code is stored as it is
  bool is_solid = false;          ///< all code of a target in one blob: smaller, but decoded whole
  Cache* cache = nullptr;         ///< has what was compressed before
  unsigned jobs = 1;              ///< threads

  Grouping grouping() const {
    return !level ? Grouping::object : is_solid ? Grouping::target : Grouping::manifest;
  }

  /// "none", "zstd", "zstd:7", "solid", "solid:7". Nothing for anything else.
  static std::optional<Packing> parse(std::string_view text);
  /// As parse() takes it.
  std::string text() const;
  std::string_view codec() const { return is_solid ? "solid" : "zstd"; }
  /// The same, and which zstd: its releases make different bytes.
  std::string spell() const;
};

/// Bytes of which a package holds one copy. Those of a group are code of the same modules for several targets.
struct Blob {
  std::string bytes;
  Hash128 name;
  std::size_t group;
};

struct PackedBlob {
  std::uint32_t codec;
  std::uint32_t reference;
  std::string bytes;  ///< compressed; empty where the blob is stored as it is
};

/// A package's tables as they are stored: compressed where that makes them smaller, at a level of 9 at most, as they change
/// with every build.
PackedBlob pack_tables(const std::string& tables, const Packing& packing);

/// Compresses each blob by itself, with another of its group as the prefix that matches may reach into. Depends on the
/// blobs and the level alone: a cache that cannot be written is none.
std::vector<PackedBlob> pack(std::span<const Blob> blobs, const Packing& packing);

}  // namespace kernelgen::tool
