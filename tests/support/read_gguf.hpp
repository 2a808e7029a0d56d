#pragma once
#include <cstdint>
#include <stdexcept>

#include "kernelgen/gguf.hpp"

namespace kernelgen::test {

/// A sum over everything that can be reached, so that none of it is left unread.
inline std::uint64_t read_all(const GgufValue& value) {
  switch (value.type()) {
    case GgufType::array: {
      std::uint64_t sum = value.size() + static_cast<std::uint64_t>(value.element_type());
      for (const GgufValue& element : value.elements()) sum += read_all(element);
      return sum;
    }
    case GgufType::text: {
      std::uint64_t sum = 0;
      for (const char c : value.text()) sum += static_cast<unsigned char>(c);
      return sum;
    }
    case GgufType::boolean:
      return value.boolean() ? 1 : 0;
    default:
      return value.real() > 0 ? 1 : 0;
  }
}

inline std::uint64_t read_all(const GgufFile& file) {
  std::uint64_t sum = file.alignment();
  for (const GgufEntry& entry : file.metadata())
    sum += read_all(entry.value) + (file.find_value(entry.key) == &entry.value ? 1 : 0);
  for (const GgufTensor& tensor : file.tensors()) {
    if (file.find(tensor.name) != &tensor) throw std::logic_error("a tensor is not found by its name");
    if (tensor.format_name.empty()) continue;
    for (const std::byte byte : file.bytes(tensor)) sum += std::to_integer<std::uint64_t>(byte);
  }
  return sum;
}

}  // namespace kernelgen::test
