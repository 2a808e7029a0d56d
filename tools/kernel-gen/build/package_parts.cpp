#include "build/package_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <thread>

#include "base/digest.hpp"
#include "base/json_text.hpp"
#include "build/package_check.hpp"
#include "build/package_folder.hpp"
#include "build/provenance.hpp"
#include "build/staging.hpp"
#include "code_object/check.hpp"
#include "kernelgen/error.hpp"
#include "manifest/filter.hpp"
#include "manifest/part.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse(const std::string& package, std::string what) {
  throw BadInput(Fault{package, "", std::move(what), {}});
}

KernelSet set_of(const std::vector<Manifest>& manifests, const std::vector<std::string>& only) {
  return apply(Filter::parse(only), expand(manifests));
}

/// The row that a list of the provenance has of a target.
const Json* row_of(const Json& provenance, const std::string& target) {
  const Json& rows = provenance["targets"];
  const auto row = std::ranges::find_if(rows, [&](const Json& each) { return each["name"] == target; });
  return row == rows.end() ? nullptr : &*row;
}

/// What is wrong with a package that is not what its manifests make, and how much more there is.
void refuse_problems(const std::string& package, const std::vector<std::string>& problems) {
  if (problems.empty()) return;
  refuse(package,
         fmt::format("is not what its manifests make: {}{}; 'kernel-gen verify' tells all", problems.front(),
                     problems.size() == 1 ? "" : fmt::format(" (and {} more)", problems.size() - 1)));
}

}  // namespace

PackageParts::PackageParts(const Package& package) : name_(package.name()) {
  Faults faults;
  RecordedInputs inputs = read_inputs(package.provenance(), name_ + ": provenance", faults);
  faults.throw_if_any();
  manifests_ = std::move(inputs.manifests);
  only_ = std::move(inputs.only);
  targets_ = std::move(inputs.targets);
  provenance_ = Json::parse(package.provenance());
  if (provenance_.contains("compression") && provenance_["compression"].is_string()) {
    const std::string recorded = provenance_["compression"];
    packing_ = Packing::parse(recorded.substr(0, recorded.find(' ')));
  }
  for (std::size_t i = 0; i < manifests_.size(); ++i)
    manifests_[i].file = provenance_["manifests"][i]["file"].get<std::string>();
  if (!provenance_.contains("targets") || !provenance_["targets"].is_array() ||
      std::ranges::any_of(provenance_["targets"],
                          [](const Json& row) { return !row.is_object() || !row.contains("name"); }) ||
      std::ranges::any_of(targets_,
                          [&](const Target& target) { return row_of(provenance_, target.name) == nullptr; }))
    refuse(name_, "does not record how its targets were compiled");

  const KernelSet set = in_parts(set_of(manifests_, only_));
  std::vector<std::string> problems;
  try {
    package.check_blobs();
  } catch (const Error& error) {
    if (error.code() != Code::bad_package) throw;
    problems.push_back(error.what());
  }
  for (Finding& finding : check_tables(package, set)) problems.push_back(std::move(finding.text));
  if (package.targets().size() != targets_.size())
    problems.push_back("it has other targets than it was built for");
  refuse_problems(name_, problems);
  for (const Target& target : targets_) {
    const auto index = package.find_target(target.name);
    const std::string objection =
        index ? target_objection(package.targets()[*index], target) : std::string("it is missing");
    if (!objection.empty()) refuse_problems(name_, {fmt::format("target {}: {}", target.name, objection)});
    for (std::uint32_t m = 0; m < package.modules().size(); ++m) {
      const std::string module(package.text(package.modules()[m].name));
      const PackageCode code = package.code(*index, m);
      BuiltObject& object = objects_[{target.name, module}];
      object.bytes.assign(reinterpret_cast<const char*>(code.data()), code.size());
      try {
        object.code = read_code_object(object.bytes);
      } catch (const BadCodeObject& error) {
        refuse_problems(
            name_, {fmt::format("{} {}: code object cannot be read: {}", target.name, module, error.what())});
      }
      const auto row = std::ranges::find(set.modules, module, &Module::name);
      refuse_problems(name_, check_code_object(object.code, target, set, *row));
    }
  }
}

void PackageParts::keep_targets(const std::vector<std::string>& names) {
  const auto is_kept = [&](const std::string& name) { return std::ranges::find(names, name) != names.end(); };
  std::erase_if(targets_, [&](const Target& target) { return !is_kept(target.name); });
  std::erase_if(objects_, [&](const auto& object) { return !is_kept(object.first.first); });
}

std::vector<std::string> PackageParts::operations() const {
  const KernelSet set = set_of(manifests_, only_);
  std::vector<std::string> names;
  for (const Operation& operation : set.operations) names.push_back(operation.name);
  for (const Kernel& kernel : set.kernels)
    if (!kernel.operation) names.push_back(kernel.name);
  return names;
}

void PackageParts::keep_operations(const std::vector<std::string>& names) {
  const std::vector<std::string> dtypes = Filter::parse(only_).dtypes;
  const KernelSet before = in_parts(set_of(manifests_, only_));
  only_ = {fmt::format("op={}", fmt::join(names, ","))};
  if (!dtypes.empty()) only_.push_back(fmt::format("dtype={}", fmt::join(dtypes, ",")));
  const KernelSet after = in_parts(set_of(manifests_, only_));
  // A part has its module's name if nothing else of the module is left.
  std::map<std::pair<std::string, std::string>, BuiltObject> kept;
  for (const Module& part : after.modules) {
    const std::string& first = after.kernels_of(part).front().name;
    const auto kernel = std::ranges::find(before.kernels, first, &Kernel::name);
    const Module& old = before.modules[kernel->module];
    if (old.kernel_count != part.kernel_count)
      refuse(name_, fmt::format(
                        "--operations: module {} has kernels by name in one object; keep all of them or none",
                        old.name));
    for (const Target& target : targets_)
      kept[{target.name, part.name}] = std::move(objects_.at({target.name, old.name}));
  }
  objects_ = std::move(kept);
}

void PackageParts::make_solid() {
  if (!packing_ || !packing_->level) packing_ = Packing();
  packing_->is_solid = true;
}

void PackageParts::merge(const PackageParts& other) {
  const auto differ = [&](const std::string& what) {
    refuse(other.name_, fmt::format("cannot be merged with {}: {}", name_, what));
  };
  if (only_ != other.only_) differ("they were built with other --only texts");
  bool same_modules = manifests_.size() == other.manifests_.size();
  for (const Manifest& manifest : other.manifests_) {
    const auto mine = std::ranges::find(manifests_, manifest.module, &Manifest::module);
    if (mine == manifests_.end()) {
      same_modules = false;
      manifests_.push_back(manifest);
    } else if (mine->text != manifest.text) {
      differ(fmt::format("they have different manifests of module {}", manifest.module));
    }
  }
  if (provenance_["source"] != other.provenance_["source"]) {
    // Kernels of one name would mean different things on different targets.
    if (same_modules) differ("they were built from different sources");
    provenance_["source"] =
        "xxh3:" +
        Digest().add(provenance_["source"].dump()).add(other.provenance_["source"].dump()).finish().hex();
  }
  for (const Target& target : other.targets_) {
    const auto mine = std::ranges::find(targets_, target.name, &Target::name);
    if (mine != targets_.end()) {
      if (mine->row != target.row) differ(fmt::format("they have different rows of target {}", target.name));
      continue;
    }
    targets_.push_back(target);
    provenance_["targets"].push_back(*row_of(other.provenance_, target.name));
  }
  for (const auto& [key, object] : other.objects_) {
    const auto [mine, is_new] = objects_.try_emplace(key, object);
    if (!is_new && mine->second.bytes != object.bytes)
      differ(fmt::format("they have different code of module {} for {}", key.second, key.first));
  }
  need_all_code();
}

void PackageParts::need_all_code() const {
  const KernelSet set = in_parts(set_of(manifests_, only_));
  for (const Target& target : targets_)
    for (const Module& module : set.modules)
      if (!objects_.contains({target.name, module.name}))
        refuse(name_,
               fmt::format(
                   "no package has code of module {} for {}; packages to merge have the same kernels or the "
                   "same targets",
                   module.name, target.name));
}

/// What the writer takes.
struct PackageParts::Content {
  KernelSet set;    ///< as the registry has it
  KernelSet parts;  ///< as the package has it
  std::vector<BuiltTarget> targets;
  std::string bytes;
};

PackageParts::Content PackageParts::content(const TargetTable& order) const {
  Content content{set_of(manifests_, only_), {}, {}, {}};
  content.parts = in_parts(content.set);
  std::vector<const Target*> sorted;
  for (const Target& target : targets_) sorted.push_back(&target);
  // Targets that the table does not have come last.
  std::ranges::stable_sort(sorted, {}, [&](const Target* target) {
    return std::ranges::find(order.targets, target->name, &Target::name) - order.targets.begin();
  });

  Json provenance = provenance_;
  provenance["targets"] = Json::array();
  for (const Target* target : sorted) {
    BuiltTarget& built = content.targets.emplace_back(BuiltTarget{target, {}});
    for (const Module& module : content.parts.modules)
      built.objects.push_back(objects_.at({target->name, module.name}));
    provenance["targets"].push_back(*row_of(provenance_, target->name));
  }
  record_inputs(provenance, manifests_, only_, sorted);
  // As it was packed, but by the zstd that is here.
  Packing packing = packing_.value_or(Packing());
  packing.jobs = std::max(1u, std::thread::hardware_concurrency());
  if (provenance.contains("compression")) provenance["compression"] = packing.spell();
  content.bytes = write_package(content.parts, content.targets, json_text(provenance), packing);
  return content;
}

std::string PackageParts::write(const fs::path& out, const TargetTable& order, Disk& disk) const {
  const Content written = content(order);
  if (out.extension() == fs::path(package_file).extension()) {
    disk.write_atomically(out, written.bytes);
  } else {
    Staging staging(disk, out, package_folder_files());
    write_package_folder(written.set, written.targets, written.bytes, staging.path(), disk);
    staging.commit();
  }
  return package_line(out, written.set, written.targets.size(), written.bytes.size());
}

}  // namespace kernelgen::tool
