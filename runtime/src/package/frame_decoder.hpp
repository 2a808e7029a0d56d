#pragma once
#include <zstd.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "kernelgen/package_format.h"
#include "package/decoded_blob.hpp"

namespace kernelgen {

/// Memory for code or tables. Throws Error(out_of_memory) naming the package.
std::shared_ptr<std::byte[]> allocate_decoded(std::size_t bytes, std::string_view origin);

/// Decodes what records of one package say is stored. What is wrong throws Error(bad_package) naming the package
/// (`origin`) and what was decoded ("blob 3").
class FrameDecoder {
 public:
  explicit FrameDecoder(std::string_view origin) : origin_(origin) {}

  /// The decoded bytes of a record whose codec is ZSTD, hashed against its name, where `stored` are its bytes and
  /// `reference` the decoded ones of what it refers to. Memory taken is what the record says, and none before the frame
  /// says the same. Throws Error(out_of_memory) too.
  DecodedBlob decode(const kernelgen_blob_record& record, std::span<const std::byte> stored,
                     std::span<const std::byte> reference, std::string_view what);

  /// Throws where bytes do not hash to the record's name.
  void check_name(const kernelgen_blob_record& record, std::span<const std::byte> bytes,
                  std::string_view what) const;

 private:
  struct FreeContext {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };

  [[noreturn]] void fail(std::string_view what, std::string_view why) const;
  void check_frame(const kernelgen_blob_record& record, std::span<const std::byte> stored,
                   std::string_view what) const;
  void decompress(std::span<const std::byte> stored, std::span<const std::byte> reference,
                  std::span<std::byte> to, std::string_view what);

  std::string_view origin_;
  std::unique_ptr<ZSTD_DCtx, FreeContext> context_;
};

}  // namespace kernelgen
