#include "build/isa_bitcode.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "base/digest.hpp"
#include "build/cache.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

bool IsaBitcode::is_bitcode(const fs::path& file) const {
  try {
    return disk_.exists(file) && disk_.read(file).starts_with("BC");
  } catch (const DiskError&) {
    return false;
  }
}

fs::path IsaBitcode::file(const fs::path& clang, const std::string& compiler_identity,
                          const std::string& suffix, std::uint32_t version) {
  // Linkage and address space as in the files of ROCm's device library; the file's name is said here because
  // its path would go into the bitcode.
  const std::string source = fmt::format(
      "source_filename = \"oclc_isa_version.ll\"\n"
      "target triple = \"amdgcn-amd-amdhsa\"\n"
      "@__oclc_ISA_version = linkonce_odr protected local_unnamed_addr addrspace(4) constant i32 {}, align "
      "4\n",
      version);
  const std::string name = fmt::format("oclc_isa_version_{}.bc", suffix);
  const std::string key = Digest().add(compiler_identity).add(source).finish().hex();
  const fs::path kept = cache_.empty() ? fs::path() : cache_ / "bitcode" / key / name;
  if (!kept.empty() && is_bitcode(kept) && is_trusted_entry(disk_, cache_, kept)) return kept;
  const fs::path folder = work_ / key;
  const fs::path made = folder / name;
  if (is_bitcode(made)) return made;
  disk_.make_dirs(folder);
  const fs::path text = folder / fmt::format("oclc_isa_version_{}.ll", suffix);
  disk_.write_atomically(text, source);
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
    throw std::runtime_error(
        fmt::format("cannot make {}: {}: {}\n{}", name, clang.string(), result.outcome(), result.err));
  if (!is_bitcode(made))
    throw std::runtime_error(fmt::format("cannot make {}: {} wrote no bitcode", name, clang.string()));
  if (kept.empty()) return made;
  try {
    make_cache_folder(disk_, cache_, kept.parent_path());
    disk_.write_atomically(kept, disk_.read(made));
    return kept;
  } catch (const DiskError&) {
    return made;  // the next build makes it again
  }
}

}  // namespace kernelgen::tool
