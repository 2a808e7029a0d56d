// Files of others that hold code for GPUs: ELF programs, offload bundles, archives, rocm-kpack, CUDA fat binaries; and what
// cuts code out of them.
#include "binary/bundle_writer.hpp"
#include "binary/code_finder.hpp"
#include "binary/packed_bytes.hpp"
#include "binary/shrink.hpp"
#include "offload/bundle.hpp"
#include "seeds.hpp"
#include "support/host_program.hpp"
#include "unit/metadata_elf.hpp"

using namespace kernelgen::tool;

namespace {

std::string bundle() {
  const std::string code = code_object_of({kernel_metadata("a")}, "gfx90a").bytes();
  return write_bundle({{"host-x86_64-unknown-linux-gnu-", ""},
                       {"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+", code},
                       {"hipv4-amdgcn-amd-amdhsa--gfx942", code}});
}

std::string archive(const std::string& member) {
  char header[61];
  std::snprintf(header, sizeof header, "%-16s%-12d%-6d%-6d%-8d%-10zu`\n", "a.o/", 0, 0, 0, 644,
                member.size());
  return "!<arch>\n" + std::string(header, 60) + member + (member.size() % 2 == 1 ? "\n" : "");
}

/// A CUDA fat binary with PTX: the header, and one entry without compression.
std::string cuda_fatbin() {
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

}  // namespace

std::vector<std::string> kernelgen::fuzz::seeds() {
  const std::string plain = bundle(), packed = compress_bundle(plain);
  return {plain, packed, archive(plain), cuda_fatbin(), host_program(plain), host_program(packed)};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  find_code(bytes, "file");
  try {
    shrink(bytes, {[](std::string_view target) { return target.starts_with("gfx90a"); }, size % 2 == 0});
  } catch (const CannotShrink&) {
  } catch (const BadCodeObject&) {
  } catch (const kernelgen::offload::BadBundle&) {
  }
  return 0;
}
