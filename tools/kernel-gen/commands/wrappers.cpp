#include "commands/wrappers.hpp"

#include <fmt/format.h>

#include <set>

#include "base/fault.hpp"
#include "commands/package_file.hpp"
#include "emit/wrappers.hpp"
#include "source/identifier.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

/// Kernels that no operation calls: those of operations are launched by the operation.
std::vector<WrappedKernel> kernels_by_name(const Package& package) {
  std::set<std::uint32_t> of_operations;
  for (const auto& operation : package.operations())
    for (const std::uint32_t id : package.variants(operation)) of_operations.insert(id);
  std::vector<WrappedKernel> kernels;
  for (std::uint32_t id = 0; id < package.kernels().size(); ++id) {
    if (of_operations.contains(id)) continue;
    const kernelgen_kernel_record& record = package.kernels()[id];
    WrappedKernel& kernel = kernels.emplace_back();
    kernel.name = package.text(record.name);
    kernel.block = record.block;
    for (const kernelgen_argument_record& argument : package.arguments(id))
      kernel.arguments.push_back({std::string(package.text(argument.name)),
                                  std::string(package.text(argument.type)), argument.size});
  }
  return kernels;
}

/// The file's name, or the folder's if the file is called as all that builds write.
std::string name_of(const fs::path& package, const Disk& disk) {
  fs::path path = disk.resolve(package);
  if (path.stem() == "kernelgen") path = path.parent_path();
  return path.stem().string();
}

}  // namespace

std::vector<EmittedFile> wrapper_files(const fs::path& package, std::string name, const Disk& disk) {
  const std::vector<WrappedKernel> kernels = kernels_by_name(open_package(disk, package));
  if (kernels.empty())
    throw BadInput(Fault{package.string(),
                         "",
                         "its kernels belong to operations, which kernelgen::call() runs by name; wrappers "
                         "are for kernels of their own, such as those of 'kernel-gen import'",
                         {}});
  if (name.empty()) name = name_of(package, disk);
  if (const std::string objection = identifier_objection(name); !objection.empty())
    throw BadInput(Fault{package.string(),
                         "",
                         fmt::format("the wrappers' name '{}' {}; give another with --name", name, objection),
                         {}});
  return {{name + ".hpp", emit_cpp_wrappers(name, kernels)},
          {name + ".rs", emit_rust_wrappers(name, kernels)}};
}

}  // namespace kernelgen::tool
