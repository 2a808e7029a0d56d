#include "common/utf8.hpp"

#include <cstdint>

namespace kernelgen {
namespace {

struct Lead {
  std::size_t continuation_bytes;
  unsigned char second_low;
  unsigned char second_high;
};

/// What may follow a lead byte; zero continuation bytes for a byte that cannot lead.
Lead classify(unsigned char lead) {
  if (lead >= 0xc2 && lead <= 0xdf) return {1, 0x80, 0xbf};
  if (lead == 0xe0) return {2, 0xa0, 0xbf};
  if (lead == 0xed) return {2, 0x80, 0x9f};
  if (lead >= 0xe1 && lead <= 0xef) return {2, 0x80, 0xbf};
  if (lead == 0xf0) return {3, 0x90, 0xbf};
  if (lead >= 0xf1 && lead <= 0xf3) return {3, 0x80, 0xbf};
  if (lead == 0xf4) return {3, 0x80, 0x8f};
  return {0, 0, 0};
}

}  // namespace

bool is_utf8(std::span<const char> text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    if (byte(i) < 0x80) {
      ++i;
      continue;
    }
    const Lead lead = classify(byte(i));
    if (lead.continuation_bytes == 0 || lead.continuation_bytes >= text.size() - i) return false;
    if (byte(i + 1) < lead.second_low || byte(i + 1) > lead.second_high) return false;
    for (std::size_t k = 2; k <= lead.continuation_bytes; ++k)
      if ((byte(i + k) & 0xc0) != 0x80) return false;
    i += 1 + lead.continuation_bytes;
  }
  return true;
}

}  // namespace kernelgen
