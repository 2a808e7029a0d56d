#include "package/blob_decoder.hpp"

#include <zstd.h>

#include <algorithm>
#include <new>

#include "common/content_hash.hpp"
#include "common/format.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {
namespace {

struct FreeContext {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

std::shared_ptr<std::byte[]> allocate(std::size_t bytes, std::string_view origin) {
  try {
    return std::make_shared_for_overwrite<std::byte[]>(bytes);
  } catch (const std::bad_alloc&) {
    throw Error(Code::out_of_memory, formatted("{}: no memory for {} bytes of code", origin, bytes));
  }
}

class BlobDecoder {
 public:
  BlobDecoder(const PackageView& view, std::string_view origin) : view_(view), origin_(origin) {}

  DecodedBlob run(std::uint32_t index) {
    const kernelgen_blob_record& blob = view_.blobs[index];
    const std::span<const std::byte> stored = view_.bytes.subspan(blob.offset, blob.stored_bytes);
    if (blob.codec == KERNELGEN_CODEC_NONE) return {nullptr, stored};
    // As deep as the checked chain of references.
    DecodedBlob reference;
    if (blob.reference != KERNELGEN_NO_BLOB) reference = run(blob.reference);
    check_frame(index, stored);
    DecodedBlob decoded;
    const std::shared_ptr<std::byte[]> memory = allocate(blob.bytes, origin_);
    decoded.owner = memory;
    decoded.bytes = {memory.get(), blob.bytes};
    decompress(index, stored, reference.bytes, memory.get());
    check_name(index, decoded.bytes);
    return decoded;
  }

  void check_name(std::uint32_t index, std::span<const std::byte> bytes) const {
    const kernelgen_blob_record& blob = view_.blobs[index];
    if (content_hash(bytes) != ContentHash{blob.hash_low, blob.hash_high})
      fail(index, "its bytes do not hash to its recorded name");
  }

 private:
  [[noreturn]] void fail(std::uint32_t index, std::string_view what) const {
    throw Error(
        Code::bad_package,
        formatted("{}: blob {}: {}; build the package again with `kernel-gen build`", origin_, index, what));
  }

  /// One frame, whole, that says the recorded size: before any memory is taken for it.
  void check_frame(std::uint32_t index, std::span<const std::byte> stored) const {
    const kernelgen_blob_record& blob = view_.blobs[index];
    const unsigned long long claimed = ZSTD_getFrameContentSize(stored.data(), stored.size());
    if (claimed == ZSTD_CONTENTSIZE_ERROR) fail(index, "its bytes are no zstd frame");
    if (claimed != blob.bytes)
      fail(index, claimed == ZSTD_CONTENTSIZE_UNKNOWN
                      ? formatted("its zstd frame does not say its size, recorded as {} bytes", blob.bytes)
                      : formatted("its zstd frame holds {} bytes, {} are recorded", claimed, blob.bytes));
    const std::size_t frame = ZSTD_findFrameCompressedSize(stored.data(), stored.size());
    if (ZSTD_isError(frame) != 0)
      fail(index, formatted("its zstd frame is cut off or damaged: {}", ZSTD_getErrorName(frame)));
    if (frame != stored.size())
      fail(index, formatted("its zstd frame ends after {} of {} stored bytes", frame, stored.size()));
  }

  void decompress(std::uint32_t index, std::span<const std::byte> stored,
                  std::span<const std::byte> reference, std::byte* to) {
    if (context_ == nullptr) context_.reset(ZSTD_createDCtx());
    if (context_ == nullptr)
      throw Error(Code::out_of_memory, formatted("{}: no memory for decoding blob {}", origin_, index));
    std::size_t status = ZSTD_DCtx_reset(context_.get(), ZSTD_reset_session_and_parameters);
    if (ZSTD_isError(status) == 0)
      status = ZSTD_DCtx_refPrefix(context_.get(), reference.data(), reference.size());
    const std::size_t bytes = view_.blobs[index].bytes;
    if (ZSTD_isError(status) == 0)
      status = ZSTD_decompressDCtx(context_.get(), to, bytes, stored.data(), stored.size());
    if (ZSTD_isError(status) != 0)
      fail(index, formatted("it cannot be decoded: {}", ZSTD_getErrorName(status)));
    if (status != bytes) fail(index, formatted("it decodes to {} bytes, {} are recorded", status, bytes));
  }

  const PackageView& view_;
  std::string_view origin_;
  std::unique_ptr<ZSTD_DCtx, FreeContext> context_;
};

}  // namespace

DecodedBlob decode_blob(const PackageView& view, std::uint32_t blob, std::string_view origin) {
  return BlobDecoder(view, origin).run(blob);
}

std::shared_ptr<const std::byte[]> copy_code(std::span<const std::byte> code, std::string_view origin) {
  std::shared_ptr<std::byte[]> memory = allocate(code.size(), origin);
  std::copy(code.begin(), code.end(), memory.get());
  return memory;
}

void check_blob(const PackageView& view, std::uint32_t blob, std::string_view origin) {
  BlobDecoder decoder(view, origin);
  const DecodedBlob decoded = decoder.run(blob);
  // What was decoded has been hashed.
  if (decoded.owner == nullptr) decoder.check_name(blob, decoded.bytes);
}

}  // namespace kernelgen
