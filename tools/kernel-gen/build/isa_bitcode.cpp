#include "build/isa_bitcode.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <stdexcept>

#include "base/digest.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

fs::path IsaBitcode::file(const fs::path& clang, const std::string& compiler_identity,
                          const std::string& suffix, std::uint32_t version) {
  // Linkage and address space as in the files of ROCm's device library.
  const std::string source = fmt::format(
      "target triple = \"amdgcn-amd-amdhsa\"\n"
      "@__oclc_ISA_version = linkonce_odr protected local_unnamed_addr addrspace(4) constant i32 {}, align "
      "4\n",
      version);
  if (cache_.empty())
    throw std::runtime_error("no cache folder for device bitcode: set KERNELGEN_CACHE or HOME");
  const std::string key = Digest().add(compiler_identity).add(source).finish().hex();
  const fs::path folder = cache_ / "bitcode" / key;
  const fs::path bitcode = folder / fmt::format("oclc_isa_version_{}.bc", suffix);
  if (disk_.exists(bitcode)) return bitcode;
  disk_.make_dirs(folder);
  const fs::path text = folder / fmt::format("oclc_isa_version_{}.ll", suffix);
  disk_.write_atomically(text, source);
  // The compiler writes under a name of this process, then one rename publishes it.
  const fs::path made = bitcode.string() + fmt::format(".{}", getpid());
  const CommandLine command = {clang.string(),
                               "--target=amdgcn-amd-amdhsa",
                               "-x",
                               "ir",
                               text.string(),
                               "-c",
                               "-emit-llvm",
                               "-nogpulib",
                               "-o",
                               made.string(),
                               "-Wno-override-module"};
  const ProcessResult result = run_process(runner_, command);
  if (!result.ok())
    throw std::runtime_error(fmt::format("cannot make {}: {}: {}\n{}", bitcode.filename().string(),
                                         clang.string(), result.outcome(), result.err));
  disk_.rename(made, bitcode);
  return bitcode;
}

}  // namespace kernelgen::tool
