#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "gguf/byte_reader.hpp"
#include "kernelgen/gguf.hpp"

namespace kernelgen {

/// Bytes of a value of that type, 0 for texts and arrays.
std::size_t size_of(GgufType type);

/// Reads metadata and tensor descriptions and checks all of it.
class GgufParser {
 public:
  GgufParser(std::string_view file, std::span<const std::byte> bytes) : reader_(file, bytes), bytes_(bytes) {}

  /// Throws Error(bad_package).
  void parse();

  std::uint32_t version = 0;
  std::uint32_t alignment = 32;
  std::vector<GgufEntry> metadata;
  std::vector<GgufTensor> tensors;

  /// Skips a value that was read before or is being read.
  static GgufValue value(ByteReader& reader, std::string_view key, GgufType type, int depth = 0);

 private:
  void read_header();
  void read_metadata();
  void read_alignment();
  void read_tensors();
  GgufTensor read_tensor(std::string_view name);

  ByteReader reader_;
  std::span<const std::byte> bytes_;
  std::uint64_t entry_count_ = 0, tensor_count_ = 0;
};

}  // namespace kernelgen
