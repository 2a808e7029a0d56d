#include "package/blob_decoder.hpp"

#include <algorithm>

#include "common/format.hpp"
#include "package/frame_decoder.hpp"

namespace kernelgen {
namespace {

class BlobDecoder {
 public:
  BlobDecoder(const PackageView& view, std::string_view origin) : view_(view), frames_(origin) {}

  DecodedBlob run(std::uint32_t index) {
    const kernelgen_blob_record& blob = view_.blobs[index];
    const std::span<const std::byte> stored = view_.bytes.subspan(blob.offset, blob.stored_bytes);
    if (blob.codec == KERNELGEN_CODEC_NONE) return {nullptr, stored};
    // The maximum depth of the checked reference chain.
    DecodedBlob reference;
    if (blob.reference != KERNELGEN_NO_BLOB) reference = run(blob.reference);
    return frames_.decode(blob, stored, reference.bytes, formatted("blob {}", index));
  }

  void check_name(std::uint32_t index, std::span<const std::byte> bytes) const {
    frames_.check_name(view_.blobs[index], bytes, formatted("blob {}", index));
  }

 private:
  const PackageView& view_;
  FrameDecoder frames_;
};

}  // namespace

DecodedBlob decode_blob(const PackageView& view, std::uint32_t blob, std::string_view origin) {
  return BlobDecoder(view, origin).run(blob);
}

std::shared_ptr<const std::byte[]> copy_code(std::span<const std::byte> code, std::string_view origin) {
  std::shared_ptr<std::byte[]> memory = allocate_decoded(code.size(), origin);
  std::copy(code.begin(), code.end(), memory.get());
  return memory;
}

void check_blob(const PackageView& view, std::uint32_t blob, std::string_view origin) {
  BlobDecoder decoder(view, origin);
  const DecodedBlob decoded = decoder.run(blob);
  // Decoded bytes were hashed already.
  if (decoded.owner == nullptr) decoder.check_name(blob, decoded.bytes);
}

}  // namespace kernelgen
