#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/disk.hpp"
#include "build/package_writer.hpp"
#include "build/packing.hpp"
#include "kernelgen/package.hpp"
#include "manifest/kernel.hpp"
#include "manifest/node.hpp"
#include "manifest/target.hpp"

namespace kernelgen::tool {

/// A package as what it was written from, so that others can be written from parts of it. Its provenance says what that
/// is, and everything is compared with it as `kernel-gen verify` does.
class PackageParts {
 public:
  /// Throws BadInput, naming the package, where it does not record what it was made from or is not what that makes.
  explicit PackageParts(const Package& package);

  const std::vector<Target>& targets() const { return targets_; }

  /// Leaves these targets; the others are forgotten.
  void keep_targets(const std::vector<std::string>& names);
  /// Names of its operations, and of its kernels that belong to none.
  std::vector<std::string> operations() const;
  /// Leaves the operations and kernels of these names, as a build with --only op=NAMES does. Throws BadInput where an
  /// object that stays has others too: kernels by name of one module.
  void keep_operations(const std::vector<std::string>& names);
  /// Adds the other's targets and modules. Throws BadInput where both have something that is not the same, and where a
  /// module would have no code for a target.
  void merge(const PackageParts& other);

  /// Compresses all code of a target at once from now on.
  void make_solid();

  /// Writes the package they make, with targets in the table's order: the bytes that a build of all of it writes. `out` is
  /// a file *.kgpkg, or a folder that gets what builds leave, all or nothing. Gives a line that says what was written.
  /// Throws BadInput, DiskError.
  std::string write(const std::filesystem::path& out, const TargetTable& order, Disk& disk) const;

 private:
  struct Content;

  void need_all_code() const;
  Content content(const TargetTable& order) const;

  std::string name_;  ///< what messages call the package
  std::vector<Manifest> manifests_;
  std::vector<std::string> only_;
  std::vector<Target> targets_;
  Json provenance_;
  std::optional<Packing> packing_;                                      ///< as recorded
  std::map<std::pair<std::string, std::string>, BuiltObject> objects_;  ///< by target and module
};

}  // namespace kernelgen::tool
