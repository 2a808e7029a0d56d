#include "binary/cuda_fatbin.hpp"

#include <fmt/format.h>

#include <cstring>

namespace kernelgen::tool {
namespace {

constexpr std::uint32_t magic = 0xba55ed50, relocatable_magic = 0x466243b1;
constexpr std::size_t header_bytes = 16, entry_bytes = 64;
constexpr std::uint16_t ptx_kind = 1, cubin_kind = 2, other_cubin_kind = 16;
constexpr std::uint64_t lz4_flag = 0x2000, zstd_flag = 0x8000;

template <class T>
T load(std::string_view bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// Reads an entry's header; its bytes are at `offset`, `stored` of them with padding.
CudaEntry read_entry(std::string_view header, std::uint64_t stored, std::uint64_t offset) {
  CudaEntry entry;
  entry.offset = offset;
  entry.is_ptx = load<std::uint16_t>(header, 0) == ptx_kind;
  entry.architecture = load<std::uint32_t>(header, 28);
  const auto flags = load<std::uint64_t>(header, 40);
  const std::uint64_t packed = load<std::uint32_t>(header, 16);
  entry.packing = flags & zstd_flag ? PackedAs::zstd : flags & lz4_flag ? PackedAs::lz4 : PackedAs::none;
  const bool is_packed = entry.packing != PackedAs::none;
  // What is stored is padded to 8 bytes.
  entry.bytes = is_packed && packed != 0 && packed <= stored ? packed : stored;
  entry.plain_bytes = is_packed ? load<std::uint64_t>(header, 56) : stored;
  return entry;
}

/// One fat binary, whose header begins at `at`.
void read_one(std::string_view bytes, std::uint64_t at, std::uint64_t end, CudaFatbin& fatbin) {
  const auto damage = [&](std::string what) {
    fatbin.damages.push_back({at, "CUDA fat binary: " + std::move(what)});
  };
  while (end - at >= entry_bytes) {
    const auto kind = load<std::uint16_t>(bytes, at);
    const std::uint64_t header = load<std::uint32_t>(bytes, at + 4),
                        stored = load<std::uint64_t>(bytes, at + 8);
    if (header < entry_bytes || header > end - at || stored > end - at - header)
      return damage(
          fmt::format("an entry has a header of {} and {} bytes, {} are left", header, stored, end - at));
    if (kind == ptx_kind || kind == cubin_kind || kind == other_cubin_kind)
      fatbin.entries.push_back(read_entry(bytes.substr(at, header), stored, at + header));
    else
      damage(fmt::format("an entry of kind {} is neither cubin nor PTX", kind));
    at += header + stored;
  }
}

}  // namespace

bool is_cuda_fatbin(std::string_view bytes) {
  if (bytes.size() < header_bytes) return false;
  const auto word = load<std::uint32_t>(bytes, 0);
  return word == magic || word == relocatable_magic;
}

CudaFatbin read_cuda_fatbin(std::string_view bytes) {
  CudaFatbin fatbin;
  std::uint64_t at = 0;
  while ((at = bytes.find_first_not_of('\0', at)) != bytes.npos) {
    const std::string_view rest = bytes.substr(at);
    const std::uint64_t header = is_cuda_fatbin(rest) ? load<std::uint16_t>(rest, 6) : 0;
    const std::uint64_t size = header == 0 ? 0 : load<std::uint64_t>(rest, 8);
    if (header < header_bytes || header > rest.size() || size > rest.size() - header) {
      fatbin.damages.push_back({at, "neither a CUDA fat binary nor padding; what follows is not read"});
      break;
    }
    read_one(bytes, at + header, at + header + size, fatbin);
    at += header + size;
  }
  return fatbin;
}

}  // namespace kernelgen::tool
