#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text_layout.hpp"
#include "base/version.hpp"
#include "emit/wrappers.hpp"

namespace kernelgen::tool {

namespace {

std::string spell(const WrappedKernel::Argument& argument) {
  const WrappedType type = wrapped_type(argument);
  if (type.kind == WrappedType::Kind::number) return std::string(type.cpp);
  if (type.kind == WrappedType::Kind::bytes)
    return fmt::format("const kernelgen::ByValue<{}>&", argument.size);
  return fmt::format("const kernelgen::Pointer<{}{}>&", type.is_const ? "const " : "", type.cpp);
}

std::string method(const WrappedKernel& kernel, const std::string& name, std::size_t index) {
  std::vector<std::string> parameters = {"const kernelgen::Stream& stream", "const kernelgen::Dim3& grid",
                                         "const kernelgen::Dim3& block"},
                           passed = {"stream", "grid", "block", "shared_bytes"};
  UniqueNames names({"stream", "grid", "block", "shared_bytes", "kernels_"});
  for (const WrappedKernel::Argument& argument : kernel.arguments) {
    passed.push_back(names.add(argument.name));
    parameters.push_back(fmt::format("{} {}", spell(argument), passed.back()));
  }
  parameters.emplace_back("std::uint32_t shared_bytes = 0");
  const std::string head = fmt::format("  void {}(", name),
                    call = fmt::format("    kernels_[{}].launch(", index);
  return fmt::format("\n  /// At most {} threads per block.\n{}\n{}\n  }}\n", kernel.block,
                     fill_lines(head, parameters, ") const {", head.size()),
                     fill_lines(call, passed, ");", call.size()));
}

}  // namespace

std::string emit_cpp_wrappers(std::string_view name, std::span<const WrappedKernel> kernels) {
  std::string members, methods;
  UniqueNames names({"Kernels", "kernels_"});
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    members += fmt::format("{}{{device, \"{}\", \"{}\"}}", i == 0 ? "" : ",\n                  ",
                           kernels[i].name, kernels[i].spell_types());
    methods += method(kernels[i], names.add(kernels[i].name), i);
  }
  return fmt::format(
      "// Written by kernel-gen {0} emit --wrappers. Do not edit.\n"
      "#pragma once\n#include <array>\n#include <cstdint>\n#include <kernelgen/launch.hpp>\n\n"
      "namespace {1} {{\n\n"
      "/// The kernels of the package on a device that was opened with it. Launches are enqueued in a stream "
      "({{}}:\n/// the default queue) and throw as kernelgen::launch().\n"
      "class Kernels {{\n public:\n"
      "  /// Throws Error(not_found) if no package of the device has one of the kernels, and\n"
      "  /// Error(invalid_argument) if one takes other arguments than when this file was written.\n"
      "  explicit Kernels(const kernelgen::Device& device)\n      : kernels_{{{{{2}}}}} {{}}\n{3}\n"
      " private:\n  std::array<kernelgen::PackageKernel, {4}> kernels_;\n}};\n\n"
      "}}  // namespace {1}\n",
      version, name, members, methods, kernels.size());
}

}  // namespace kernelgen::tool
