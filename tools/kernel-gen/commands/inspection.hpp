#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "base/fault.hpp"
#include "code_object/code_object.hpp"
#include "code_object/disassembly.hpp"
#include "commands/binary_file.hpp"
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
  std::size_t index = 0;                       ///< in the binary
};

/// The code objects that a command is asked about.
struct Inspection {
  std::string file;                ///< as messages call it
  std::optional<Package> package;  ///< a package of ours, else
  std::optional<Binary> binary;    ///< a file or folder of others
  std::vector<Inspected> objects;  ///< only with the kernels that are asked for
  std::vector<Fault> unreadable;   ///< parts of the binary

  std::uint64_t bytes() const { return package ? package->bytes().size() : binary->bytes(); }
  std::size_t target_count() const;
  /// The bytes, which may be the file's own: valid as long as this.
  PackageCode code(const Inspected& object) const;
  /// The file, target and module, as messages call a code object.
  std::string where(const Inspected& object) const;
  /// Throws BadInput where LLVM cannot read it.
  Functions disassembled(const Inspected& object) const;
  /// A kernel's name for people: as in the source, in files of others.
  std::string name_of(const CodeKernel& kernel) const {
    return binary ? demangled(kernel.name) : kernel.name;
  }
  /// Names on stderr what could not be read. exit_failure where there is anything, else exit_ok.
  int finish() const;
};

/// Throws BadInput, Error(bad_package), DiskError.
Inspection read_inspection(const InspectOptions& options, const Disk& disk);

}  // namespace kernelgen::tool
