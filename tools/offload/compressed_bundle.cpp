#include "offload/compressed_bundle.hpp"

#include <fmt/format.h>
#include <llvm/Support/Compression.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/MD5.h>
#include <zstd.h>

#include <cstring>

namespace kernelgen::offload {
namespace {

constexpr std::uint64_t most_plain_bytes = std::uint64_t{4} << 30;

template <class T>
T take(std::string_view& bytes) {
  T value;
  if (bytes.size() < sizeof value) throw BadBundle("compressed bundle: ends in its header");
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes.remove_prefix(sizeof value);
  return value;
}

llvm::ArrayRef<std::uint8_t> ref(std::string_view bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

/// Bytes of a zstd frame; the first version of the header does not say.
std::uint64_t frame_size(std::string_view bytes) {
  const std::size_t size = ZSTD_findFrameCompressedSize(bytes.data(), bytes.size());
  if (ZSTD_isError(size))
    throw BadBundle(fmt::format("compressed bundle: damaged: {}", ZSTD_getErrorName(size)));
  return size;
}

}  // namespace

bool is_compressed_bundle(std::string_view bytes) { return bytes.starts_with(compressed_magic); }

std::uint64_t bundle_hash(std::string_view bundle) { return llvm::MD5::hash(ref(bundle)).low(); }

CompressedHeader read_compressed_header(std::string_view bytes) {
  const std::size_t all = bytes.size();
  if (!is_compressed_bundle(bytes)) throw BadBundle("no compressed bundle");
  bytes.remove_prefix(compressed_magic.size());
  CompressedHeader header;
  header.version = take<std::uint16_t>(bytes);
  const auto method = take<std::uint16_t>(bytes);
  if (header.version == 0 || header.version > 3)
    throw BadBundle(fmt::format("compressed bundle: version {} is none of 1 to 3", header.version));
  if (method > 1)
    throw BadBundle(fmt::format("compressed bundle: method {} is neither zlib (0) nor zstd (1)", method));
  header.method = static_cast<CompressedHeader::Method>(method);
  if (header.version == 2) header.file_bytes = take<std::uint32_t>(bytes);
  if (header.version == 3) header.file_bytes = take<std::uint64_t>(bytes);
  header.plain_bytes = header.version == 3 ? take<std::uint64_t>(bytes) : take<std::uint32_t>(bytes);
  header.hash = take<std::uint64_t>(bytes);
  header.bytes = static_cast<std::uint32_t>(all - bytes.size());
  if (header.version == 1)
    header.file_bytes =
        header.bytes + (header.method == CompressedHeader::Method::zstd ? frame_size(bytes) : bytes.size());
  if (header.file_bytes < header.bytes || header.file_bytes > all)
    throw BadBundle(fmt::format("compressed bundle: claims {} bytes, there are {}", header.file_bytes, all));
  const std::uint64_t packed = header.file_bytes - header.bytes;
  if (header.plain_bytes > most_plain_bytes || header.plain_bytes / most_compression > packed)
    throw BadBundle(fmt::format(
        "compressed bundle: claims that {} bytes were {}; at most {} bytes, {} times as many, are accepted",
        packed, header.plain_bytes, most_plain_bytes, most_compression));
  return header;
}

std::string decompress_bundle(std::string_view bytes) {
  const CompressedHeader header = read_compressed_header(bytes);
  bytes = bytes.substr(header.bytes, header.file_bytes - header.bytes);
  std::string plain(header.plain_bytes, '\0');
  std::size_t size = plain.size();
  auto* const out = reinterpret_cast<std::uint8_t*>(plain.data());
  const bool is_zlib = header.method == CompressedHeader::Method::zlib;
  if (!(is_zlib ? llvm::compression::zlib::isAvailable() : llvm::compression::zstd::isAvailable()))
    throw BadBundle(
        fmt::format("compressed bundle: this LLVM was built without {}", is_zlib ? "zlib" : "zstd"));
  llvm::Error error = is_zlib ? llvm::compression::zlib::decompress(ref(bytes), out, size)
                              : llvm::compression::zstd::decompress(ref(bytes), out, size);
  if (error) throw BadBundle("compressed bundle: damaged: " + llvm::toString(std::move(error)));
  if (size != plain.size())
    throw BadBundle(
        fmt::format("compressed bundle: holds {} bytes, its header claims {}", size, plain.size()));
  if (bundle_hash(plain) != header.hash)
    throw BadBundle("compressed bundle: its bytes do not have the recorded hash");
  return plain;
}

std::string_view compressed_bundle_in_memory(const void* image) {
  const std::string_view longest(static_cast<const char*>(image), most_plain_bytes);
  return longest.substr(0, read_compressed_header(longest).file_bytes);
}

}  // namespace kernelgen::offload
