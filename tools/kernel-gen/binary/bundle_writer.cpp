#include "binary/bundle_writer.hpp"

#include <zstd.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>

#include "offload/bundle.hpp"
#include "offload/compressed_bundle.hpp"

namespace kernelgen::tool {
namespace {

constexpr int zstd_level = 9;
/// Kernels of sister GPUs repeat each other at a distance of megabytes.
constexpr int window_log = 27;

template <class T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::size_t round_up(std::size_t value, std::size_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

std::string zstd_frame(std::string_view bytes) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), &ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, zstd_level);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_enableLongDistanceMatching, 1);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_windowLog, window_log);
  std::string frame(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size =
      ZSTD_compress2(context.get(), frame.data(), frame.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(size)) throw std::runtime_error(std::string("zstd: ") + ZSTD_getErrorName(size));
  frame.resize(size);
  return frame;
}

}  // namespace

std::string write_bundle(const std::vector<NewEntry>& entries, std::size_t alignment) {
  std::size_t at = offload::bundle_magic.size() + sizeof(std::uint64_t);
  for (const NewEntry& entry : entries) at += 3 * sizeof(std::uint64_t) + entry.id.size();
  std::string bytes(offload::bundle_magic);
  append<std::uint64_t>(bytes, entries.size());
  for (const NewEntry& entry : entries) {
    at = round_up(at, alignment);
    append<std::uint64_t>(bytes, at);
    append<std::uint64_t>(bytes, entry.bytes.size());
    append<std::uint64_t>(bytes, entry.id.size());
    bytes += entry.id;
    at += entry.bytes.size();
  }
  for (const NewEntry& entry : entries) {
    bytes.resize(round_up(bytes.size(), alignment));
    bytes += entry.bytes;
  }
  return bytes;
}

std::string compress_bundle(std::string_view bundle) {
  const std::string frame = zstd_frame(bundle);
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max(), version_3_header = 32;
  const bool is_large = bundle.size() > most || frame.size() + version_3_header > most;
  std::string bytes(offload::compressed_magic);
  append<std::uint16_t>(bytes, is_large ? 3 : 2);
  append(bytes, offload::CompressedHeader::Method::zstd);
  const auto append_size = [&](std::uint64_t size) {
    is_large ? append(bytes, size) : append(bytes, static_cast<std::uint32_t>(size));
  };
  append_size((is_large ? version_3_header : 24) + frame.size());
  append_size(bundle.size());
  append(bytes, offload::bundle_hash(bundle));
  return bytes + frame;
}

}  // namespace kernelgen::tool
