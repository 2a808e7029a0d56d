#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "code_object/code_object.hpp"
#include "code_object/disassembly.hpp"
#include "commands/inspect.hpp"
#include "kernelgen/package.hpp"

namespace kernelgen::tool {

/// A code object and what it says of its kernels.
struct Inspected {
  std::string target;
  std::string module;
  std::size_t bytes = 0;
  CodeObject code;
  std::uint32_t target_id = 0, module_id = 0;  ///< in the package
};

/// The code objects that `kernel-gen inspect` is asked about.
struct Inspection {
  std::string file;                ///< as messages call it
  std::optional<Package> package;  ///< none where the file is a code object
  std::string image;               ///< that code object's bytes
  std::vector<Inspected> objects;  ///< only with the kernels that are asked for

  /// The bytes, which the file's own are where it is a code object: valid as long as this.
  PackageCode code(const Inspected& object) const;
  /// Throws BadInput where LLVM cannot read it.
  Functions disassembled(const Inspected& object) const;
};

/// Throws BadInput, Error(bad_package), DiskError.
Inspection read_inspection(const InspectOptions& options, const Disk& disk);

}  // namespace kernelgen::tool
