#include "base/sha.hpp"

#include <fmt/format.h>
#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/SHA1.h>
#include <llvm/Support/SHA256.h>

namespace kernelgen::tool {

namespace {

template <class Hash>
std::string hex_of(std::string_view bytes) {
  std::string text;
  const llvm::ArrayRef<std::uint8_t> data(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  for (const std::uint8_t byte : Hash::hash(data)) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace

std::string sha256(std::string_view bytes) { return hex_of<llvm::SHA256>(bytes); }
std::string sha1(std::string_view bytes) { return hex_of<llvm::SHA1>(bytes); }

}  // namespace kernelgen::tool
