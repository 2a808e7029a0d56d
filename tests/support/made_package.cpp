#include "support/made_package.hpp"

#include "../unit/metadata_elf.hpp"
#include "base/disk.hpp"
#include "base/json_text.hpp"
#include "build/package_writer.hpp"
#include "build/provenance.hpp"
#include "manifest/filter.hpp"
#include "manifest/part.hpp"

namespace kernelgen::test {

namespace {

using namespace tool;

nlohmann::json metadata_of(const Kernel& kernel, const Target& target) {
  nlohmann::json metadata = kernel_metadata(kernel.name);
  metadata[".kernarg_segment_size"] = kernel.kernarg_bytes;
  metadata[".wavefront_size"] = target.wave_sizes.front();
  metadata[".max_flat_workgroup_size"] = kernel.block;
  metadata[".args"] = nlohmann::json::array();
  for (const Argument& argument : kernel.arguments)
    metadata[".args"].push_back({{".offset", argument.offset},
                                 {".size", argument.size},
                                 {".name", argument.name},
                                 {".value_kind", argument.is_pointer ? "global_buffer" : "by_value"}});
  return metadata;
}

}  // namespace

std::string MadePackage::bytes() const {
  const RealDisk disk;
  const TargetTable table = read_targets(disk, KERNELGEN_SOURCE_DIR "/manifests/targets.json");
  Faults faults;
  std::vector<Manifest> parsed;
  for (const std::string& text : manifests)
    parsed.push_back(
        parse_manifest(nlohmann::json::parse(text)["module"].get<std::string>() + ".json", text, faults));
  faults.throw_if_any();
  const KernelSet set = in_parts(apply(Filter::parse(only), expand(parsed)));
  const std::vector<const Target*> chosen = table.expand(targets);
  std::vector<BuiltTarget> built;
  for (const Target* target : chosen) {
    BuiltTarget& one = built.emplace_back(BuiltTarget{target, {}});
    for (const Module& module : set.modules) {
      std::vector<nlohmann::json> kernels;
      for (const Kernel& kernel : set.kernels_of(module)) {
        kernels.push_back(metadata_of(kernel, *target));
        if (change) change(target->name, kernels.back());
      }
      MetadataElf elf = code_object_of(kernels, target->name);
      elf.flags = target->machine;
      elf.abi_version = static_cast<std::uint8_t>(target->code_object_version - 2);
      for (const Kernel& kernel : set.kernels_of(module)) elf.symbols.push_back(kernel.name);
      elf.sizes = code_bytes;
      std::string bytes = elf.bytes();
      CodeObject code = read_code_object(bytes);
      one.objects.push_back({std::move(bytes), std::move(code)});
    }
  }
  Json provenance = {{"tool", "made"}, {"source", source}, {"targets", Json::array()}};
  for (const Target* target : chosen)
    provenance["targets"].push_back({{"name", target->name}, {"compiler", "none"}});
  record_inputs(provenance, parsed, only, chosen);
  Packing packing;
  if (!is_compressed) packing.level.reset();
  return write_package(set, built, json_text(provenance), packing);
}

std::string symbols_manifest(const std::string& module, const std::vector<std::string>& names) {
  nlohmann::ordered_json manifest = {
      {"module", module}, {"header", "any.hpp"}, {"symbols", nlohmann::json::array()}};
  for (const std::string& name : names)
    manifest["symbols"].push_back({{"name", name}, {"args", {"x: f32*", "n: u64"}}, {"body", "run(x, n)"}});
  return manifest.dump();
}

}  // namespace kernelgen::test
