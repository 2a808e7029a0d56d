#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/version.hpp"
#include "emit/wrappers.hpp"

namespace kernelgen::tool {

namespace {

/// Names that C takes and Rust does not. The Rust Reference, "Keywords".
constexpr std::string_view keywords[] = {
    "Self",  "abstract", "as",   "async",    "await",   "become", "box",   "crate", "dyn",
    "final", "fn",       "gen",  "impl",     "in",      "let",    "loop",  "macro", "match",
    "mod",   "move",     "mut",  "override", "priv",    "pub",    "ref",   "self",  "super",
    "trait", "try",      "type", "unsafe",   "unsized", "use",    "where", "yield"};

std::set<std::string, std::less<>> taken_with(std::initializer_list<std::string_view> names) {
  std::set<std::string, std::less<>> taken(std::begin(keywords), std::end(keywords));
  taken.insert(names.begin(), names.end());
  return taken;
}

std::string spell(const WrappedKernel::Argument& argument) {
  const WrappedType type = wrapped_type(argument);
  if (type.kind == WrappedType::Kind::number) return std::string(type.rust);
  if (type.kind == WrappedType::Kind::bytes) return fmt::format("[u8; {}]", argument.size);
  return fmt::format("impl Pointer<{}>", type.rust);
}

std::string method(const WrappedKernel& kernel, const std::string& name, std::size_t index) {
  std::string parameters, passed;
  UniqueNames names(taken_with({"stream", "shape"}));
  for (const WrappedKernel::Argument& argument : kernel.arguments) {
    const std::string parameter = names.add(argument.name);
    parameters += fmt::format("        {}: {},\n", parameter, spell(argument));
    passed += wrapped_type(argument).kind == WrappedType::Kind::pointer
                  ? fmt::format("            {}.argument(),\n", parameter)
                  : fmt::format("            Argument::value(&{}),\n", parameter);
  }
  return fmt::format(
      "\n    /// At most {} threads per block.\n    ///\n    /// # Safety\n"
      "    /// As of [`PackageKernel::launch`](kernelgen::launch::PackageKernel::launch).\n"
      "    #[allow(clippy::too_many_arguments)]\n    pub unsafe fn {}(\n        &self,\n"
      "        stream: Option<&Stream>,\n        shape: impl Into<LaunchShape>,\n{}    ) -> Result<()> {{\n"
      "        self.kernels[{}].launch(stream, shape.into(), &[\n{}        ])\n    }}\n",
      kernel.block, name, parameters, index, passed);
}

}  // namespace

std::string emit_rust_wrappers(std::string_view name, std::span<const WrappedKernel> kernels) {
  std::string members, methods;
  UniqueNames names(taken_with({"new"}));
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    members += fmt::format("                PackageKernel::new(device, \"{}\", \"{}\")?,\n", kernels[i].name,
                           kernels[i].spell_types());
    methods += method(kernels[i], names.add(kernels[i].name), i);
  }
  const bool has_untyped = methods.find("Pointer<c_void>") != std::string::npos;
  return fmt::format(
      "// Written by kernel-gen {} emit --wrappers. Do not edit.\n"
      "{}#[allow(unused_imports)]\nuse kernelgen::launch::{{Argument, PackageKernel, Pointer}};\n"
      "use kernelgen::{{Device, LaunchShape, Result, Stream}};\n\n"
      "/// The kernels of the package {} on a device that was opened with it. Launches are enqueued in a "
      "stream, `None`\n/// being the default queue; `shape` is `(grid, block)` or `(grid, block, "
      "shared_bytes)`.\n"
      "pub struct Kernels {{\n    kernels: [PackageKernel; {}],\n}}\n\n"
      "impl Kernels {{\n"
      "    /// Errors: `NotFound` if no package of the device has one of the kernels; `InvalidArgument` if "
      "one takes other\n    /// arguments than when this file was written.\n"
      "    pub fn new(device: &Device) -> Result<Self> {{\n        Ok(Self {{\n            kernels: [\n{}"
      "            ],\n        }})\n    }}\n{}}}\n",
      version, has_untyped ? "use std::os::raw::c_void;\n" : "", name, kernels.size(), members, methods);
}

}  // namespace kernelgen::tool
