// Files that hold code for GPUs: ELF programs, offload bundles, static archives and CUDA fat binaries, and these in each other.
#include "binary/code_finder.hpp"

#include "folded.hpp"
#include "hip_seeds.hpp"
#include "seeds.hpp"
#include "support/host_program.hpp"

using namespace kernelgen::tool;

namespace {

std::string archive(const std::string& member) {
  char header[61];
  std::snprintf(header, sizeof header, "%-16s%-12d%-6d%-6d%-8d%-10zu`\n", "a.o/", 0, 0, 0, 644,
                member.size());
  return "!<arch>\n" + std::string(header, 60) + member + (member.size() % 2 == 1 ? "\n" : "");
}

}  // namespace

std::vector<std::string> kernelgen::fuzz::seeds() {
  const std::string plain = bundle(), packed = compress_bundle(plain);
  std::vector<std::string> seeds;
  for (const std::string& file :
       {plain, packed, archive(plain), cuda_fatbin(), host_program(plain), host_program(packed)})
    seeds.push_back(folded(file));
  return seeds;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<char> bytes = kernelgen::fuzz::unfolded(data, size);
  find_code({bytes.data(), bytes.size()}, "file");
  return 0;
}
