#pragma once
#include <cstddef>
#include <memory>
#include <span>

namespace kernelgen {

/// A blob's bytes, or those of a blob they were decoded from.
struct DecodedBlob {
  std::shared_ptr<const std::byte[]> owner;  ///< null if the bytes are stored in the package
  std::span<const std::byte> bytes;
};

}  // namespace kernelgen
