#pragma once
#include "binary/bundle_writer.hpp"
#include "unit/metadata_elf.hpp"

namespace kernelgen::fuzz {

/// An offload bundle of a host entry and two code objects. Its entries are not padded to pages, so that most changes hit what is read.
inline std::string bundle(std::size_t alignment = 8) {
  const std::string code = tool::code_object_of({tool::kernel_metadata("a")}, "gfx90a").bytes();
  return tool::write_bundle({{"host-x86_64-unknown-linux-gnu-", ""},
                             {"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+", code},
                             {"hipv4-amdgcn-amd-amdhsa--gfx942", code}},
                            alignment);
}

/// A CUDA fat binary with PTX: the header, and one entry without compression.
inline std::string cuda_fatbin() {
  const std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(\n)\n{\nret;\n}\n";
  std::string entry(64, '\0');
  entry[0] = entry[2] = entry[3] = 1;
  entry[4] = 64;
  entry[8] = static_cast<char>(text.size());
  entry[28] = 80;
  std::string bytes("\x50\xed\x55\xba\x01\x00\x10\x00", 8);
  bytes += static_cast<char>(64 + text.size());
  return bytes + std::string(7, '\0') + entry + text;
}

}  // namespace kernelgen::fuzz
