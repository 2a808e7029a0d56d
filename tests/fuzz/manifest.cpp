// Manifests: JSON that is read and expanded, or listed as faults.
#include "manifest/manifest.hpp"

#include "base/fault.hpp"
#include "emit/source.hpp"
#include "manifest/kernel.hpp"
#include "seeds.hpp"
#include "support/memory_disk.hpp"

using namespace kernelgen::tool;

std::vector<std::string> kernelgen::fuzz::seeds() {
  const RealDisk disk;
  std::vector<std::string> seeds;
  // The manifest of `init` has an operation of each form, with references.
  for (const char* folder :
       {KERNELGEN_MANIFESTS "/core", KERNELGEN_MANIFESTS "/../tools/kernel-gen/project/manifests"})
    for (const auto& file : disk.list(folder))
      if (file.extension() == ".json") seeds.push_back(disk.read(file));
  return seeds;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  MemoryDisk disk;
  disk.add("m/a.json", {reinterpret_cast<const char*>(data), size});
  try {
    const KernelSet set = expand(read_manifests(disk, {"m"}, "k"));
    for (const Module& module : set.modules) emit_source(set, module);
  } catch (const BadInput&) {
  }
  return 0;
}
