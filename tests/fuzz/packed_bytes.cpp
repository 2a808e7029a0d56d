// Compressed code: offload bundles, frames of Zstandard and blocks of LZ4, told apart by the first byte.
#include "binary/packed_bytes.hpp"

#include <zstd.h>

#include "code_object/code_object.hpp"
#include "hip_seeds.hpp"
#include "seeds.hpp"

using namespace kernelgen;
using tool::PackedAs;

namespace {

constexpr std::size_t plain_bytes = 200;

std::string zstd_frame(const std::string& plain) {
  std::string frame(ZSTD_compressBound(plain.size()), '\0');
  frame.resize(ZSTD_compress(frame.data(), frame.size(), plain.data(), plain.size(), 1));
  return frame;
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  const auto packed = [](PackedAs packing, const std::string& bytes) {
    return std::string(1, static_cast<char>(packing)) + bytes;
  };
  std::string plain(plain_bytes, 'a');
  plain.replace(50, 8, "sequence");
  // Literals and a match that overlaps itself; then literals alone.
  const std::string block = std::string(
                                "\x1f"
                                "a\x01\x00\xaf\x30",
                                6) +
                            "abc";
  return {packed(PackedAs::bundle, tool::compress_bundle(bundle())),
          packed(PackedAs::zstd, zstd_frame(plain)), packed(PackedAs::lz4, block)};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || data[0] > static_cast<std::uint8_t>(PackedAs::lz4)) return 0;
  try {
    unpack(static_cast<PackedAs>(data[0]), {reinterpret_cast<const char*>(data) + 1, size - 1}, plain_bytes);
  } catch (const tool::BadCodeObject&) {
  }
  return 0;
}
