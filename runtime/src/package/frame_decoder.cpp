#include "package/frame_decoder.hpp"

#include <new>

#include "common/content_hash.hpp"
#include "common/format.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {

std::shared_ptr<std::byte[]> allocate_decoded(std::size_t bytes, std::string_view origin) {
  try {
    return std::make_shared_for_overwrite<std::byte[]>(bytes);
  } catch (const std::bad_alloc&) {
    throw Error(Code::out_of_memory, formatted("{}: no memory for {} decoded bytes", origin, bytes));
  }
}

DecodedBlob FrameDecoder::decode(const kernelgen_blob_record& record, std::span<const std::byte> stored,
                                 std::span<const std::byte> reference, std::string_view what) {
  check_frame(record, stored, what);
  const std::shared_ptr<std::byte[]> memory = allocate_decoded(record.bytes, origin_);
  const std::span<std::byte> bytes(memory.get(), record.bytes);
  decompress(stored, reference, bytes, what);
  check_name(record, bytes, what);
  return {memory, bytes};
}

void FrameDecoder::check_name(const kernelgen_blob_record& record, std::span<const std::byte> bytes,
                              std::string_view what) const {
  if (content_hash(bytes) != ContentHash{record.hash_low, record.hash_high})
    fail(what, "its bytes do not hash to its recorded name");
}

void FrameDecoder::fail(std::string_view what, std::string_view why) const {
  throw Error(Code::bad_package,
              formatted("{}: {}: {}; build the package again with `kernel-gen build`", origin_, what, why));
}

/// One frame, whole, that says the recorded size.
void FrameDecoder::check_frame(const kernelgen_blob_record& record, std::span<const std::byte> stored,
                               std::string_view what) const {
  const unsigned long long claimed = ZSTD_getFrameContentSize(stored.data(), stored.size());
  if (claimed == ZSTD_CONTENTSIZE_ERROR) fail(what, "its bytes are no zstd frame");
  if (claimed != record.bytes)
    fail(what, claimed == ZSTD_CONTENTSIZE_UNKNOWN
                   ? formatted("its zstd frame does not say its size, recorded as {} bytes", record.bytes)
                   : formatted("its zstd frame holds {} bytes, {} are recorded", claimed, record.bytes));
  const std::size_t frame = ZSTD_findFrameCompressedSize(stored.data(), stored.size());
  if (ZSTD_isError(frame) != 0)
    fail(what, formatted("its zstd frame is cut off or damaged: {}", ZSTD_getErrorName(frame)));
  if (frame != stored.size())
    fail(what, formatted("its zstd frame ends after {} of {} stored bytes", frame, stored.size()));
}

void FrameDecoder::decompress(std::span<const std::byte> stored, std::span<const std::byte> reference,
                              std::span<std::byte> to, std::string_view what) {
  if (context_ == nullptr) context_.reset(ZSTD_createDCtx());
  if (context_ == nullptr)
    throw Error(Code::out_of_memory, formatted("{}: no memory for decoding {}", origin_, what));
  std::size_t status = ZSTD_DCtx_reset(context_.get(), ZSTD_reset_session_and_parameters);
  if (ZSTD_isError(status) == 0)
    status = ZSTD_DCtx_refPrefix(context_.get(), reference.data(), reference.size());
  if (ZSTD_isError(status) == 0)
    status = ZSTD_decompressDCtx(context_.get(), to.data(), to.size(), stored.data(), stored.size());
  if (ZSTD_isError(status) != 0) fail(what, formatted("it cannot be decoded: {}", ZSTD_getErrorName(status)));
  if (status != to.size())
    fail(what, formatted("it decodes to {} bytes, {} are recorded", status, to.size()));
}

}  // namespace kernelgen
