#include "commands/export_candle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>

#include "base/fault.hpp"
#include "base/version.hpp"

namespace kernelgen::tool {
namespace {

/// The candle version that has kernels with these names; candle's Cargo.toml requires it.
constexpr const char* candle_version = "0.9.1";

constexpr const char* cargo_toml = R"([package]
name = "candle-kernels"
# That of the candle which it is given to: change it as candle's Cargo.toml does.
version = "{}"
edition = "2021"
description = "candle's kernels, as kernel-gen {} made them"
license = "Apache-2.0"
)";

constexpr const char* page = R"(# candle-kernels

candle's CUDA kernels under their own names, compiled by kernel-gen {} for {}. In the project that uses candle:

```toml
[patch.crates-io]
candle-kernels = {{ path = "…" }}
```
)";

constexpr const char* head =
    R"(//! candle's kernels under their own names, as kernel-gen {} made them: a module a family, in the place of candle-kernels.
//! The code is included as it is; nothing is compiled here.

/// A module, and a family of kernels.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Id {{
{}}}

/// All modules, by their index.
pub const ALL_IDS: [Id; {}] = [
{}];

/// A module's code for each target it was compiled for.
pub struct Module {{
    index: usize,
    codes: &'static [(&'static str, &'static [u8])],
    kernels: &'static [&'static str],
}}

impl Module {{
    /// Its place in ALL_IDS.
    pub fn index(&self) -> usize {{
        self.index
    }}

    /// The code object for a target of kernel-gen's, "gfx90a" or "sm_90": HSACO, cubin, or PTX, which is text.
    pub fn code(&self, target: &str) -> Option<&'static [u8]> {{
        self.codes.iter().find(|(name, _)| *name == target).map(|(_, code)| *code)
    }}

    /// The targets there is code for.
    pub fn targets(&self) -> impl Iterator<Item = &'static str> {{
        self.codes.iter().map(|(name, _)| *name)
    }}

    /// The names of its kernels.
    pub fn kernels(&self) -> &'static [&'static str] {{
        self.kernels
    }}
)";

constexpr const char* ptx_accessor = R"(
    /// As PTX, which NVIDIA's driver compiles for any GPU from {0} on.
    pub fn ptx(&self) -> &'static str {{
        std::str::from_utf8(self.code("{0}").unwrap_or_default()).unwrap_or_default()
    }}
)";

/// What the names of the modules of manifests/candle begin with, so that they can be in one package with others.
constexpr std::string_view prefix = "candle_";

/// candle's name of a module, "affine".
std::string_view family(const Package& package, const kernelgen_module_record& module) {
  return package.text(module.name).substr(prefix.size());
}

/// Throws BadInput for a package of other kernels than candle's, and for module names that cannot be names in Rust.
void need_families(const Package& package) {
  for (const kernelgen_module_record& module : package.modules()) {
    if (!package.text(module.name).starts_with(prefix))
      throw BadInput(
          Fault{package.name(),
                "",
                fmt::format(
                    "the module '{}' is not one of candle's, which begin with '{}'; export --candle takes a "
                    "package that was built with --manifests manifests/candle alone",
                    package.text(module.name), prefix),
                {}});
    const std::string_view name = family(package, module);
    const auto is_letter = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) ||
        !std::ranges::all_of(name, is_letter))
      throw BadInput(
          Fault{package.name(), "", fmt::format("the module '{}' cannot be a name in Rust", name), {}});
  }
}

std::string camel(std::string_view name) {
  std::string text;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '_') continue;
    const bool begins = i == 0 || name[i - 1] == '_';
    text += begins ? static_cast<char>(std::toupper(static_cast<unsigned char>(name[i]))) : name[i];
  }
  return text;
}

std::string shouted(std::string_view name) {
  std::string text(name);
  std::ranges::transform(text, text.begin(), [](unsigned char letter) { return std::toupper(letter); });
  return text;
}

std::string module_text(const Package& package, std::uint32_t module, const std::vector<CodeFile>& files) {
  const kernelgen_module_record& record = package.modules()[module];
  const std::string_view name = family(package, record);
  std::string text =
      fmt::format("\n/// The family `{}`.\npub const {}: Module = Module {{\n    index: {},\n    codes: &[\n",
                  name, shouted(name), module);
  for (const CodeFile& file : files)
    if (file.module == module)
      fmt::format_to(std::back_inserter(text), "        (\"{}\", include_bytes!(\"../{}\")),\n",
                     package.text(package.targets()[file.target].name), file.path);
  text += "    ],\n    kernels: &[\n";
  for (std::uint32_t i = 0; i < record.kernel_count; ++i)
    fmt::format_to(std::back_inserter(text), "        \"{}\",\n",
                   package.text(package.kernels()[record.first_kernel + i].name));
  return text + "    ],\n};\n";
}

std::string library_text(const Package& package, const std::vector<CodeFile>& files) {
  std::string variants, ids;
  for (const kernelgen_module_record& module : package.modules()) {
    const std::string_view name = family(package, module);
    const std::string id = camel(name);
    fmt::format_to(std::back_inserter(variants), "    /// The family `{}`.\n    {},\n", name, id);
    fmt::format_to(std::back_inserter(ids), "    Id::{},\n", id);
  }
  std::string text = fmt::format(head, version, variants, package.modules().size(), ids);
  const auto ptx =
      std::ranges::find(files, CodeKind::ptx, [](const CodeFile& file) { return file.code.kind; });
  if (ptx != files.end())
    text += fmt::format(ptx_accessor, package.text(package.targets()[ptx->target].name));
  text += "}\n";
  for (std::uint32_t module = 0; module < package.modules().size(); ++module)
    text += module_text(package, module, files);
  return text;
}

std::string target_names(const Package& package) {
  std::string names;
  for (const kernelgen_target_record& target : package.targets())
    names.append(names.empty() ? "" : ", ").append(package.text(target.name));
  return names;
}

}  // namespace

std::vector<FileText> candle_crate(const Package& package, const std::vector<CodeFile>& files) {
  need_families(package);
  std::vector<FileText> texts = code_file_texts(files);
  texts.push_back({"Cargo.toml", fmt::format(cargo_toml, candle_version, version)});
  texts.push_back({"README.md", fmt::format(page, version, target_names(package))});
  texts.push_back({"src/lib.rs", library_text(package, files)});
  return texts;
}

}  // namespace kernelgen::tool
