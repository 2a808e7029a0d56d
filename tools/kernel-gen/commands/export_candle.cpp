#include "commands/export_candle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>

#include "base/fault.hpp"
#include "base/printable.hpp"
#include "base/version.hpp"
#include "commands/candle_kernels.hpp"

namespace kernelgen::tool {
namespace {

/// A line of candle's versions that this crate fits, and the newest version of candle-kernels in it. That version replaces
/// every one that candle's crates of the line require.
struct Line {
  std::string_view name, version;
};
constexpr Line lines[] = {{"0.9", "0.9.2"}, {"0.10", "0.10.2"}, {"0.11", "0.11.1"}};

constexpr const char* cargo_toml = R"([package]
name = "candle-kernels"
version = "{}"
edition = "2021"
rust-version = "1.77"
description = "candle's kernels, as kernel-gen {} made them"
license = "Apache-2.0"

[features]
# Of candle 0.11.1; its launcher is always there.
cutile = []
)";

constexpr const char* page = R"(# candle-kernels

candle's CUDA kernels under their own names, compiled by kernel-gen {} for {}. They stand in for candle-kernels of candle
{}, in the project that uses candle with the feature `cuda`:

```toml
[patch.crates-io]
candle-kernels = {{ path = "…" }}
```

Nothing is compiled by nvcc, and nothing is linked: the launchers of the module `ffi` open NVIDIA's driver.
)";

constexpr const char* head =
    R"(//! candle's kernels under their own names, as kernel-gen {} made them: a module a family, in the place of candle-kernels.
//! The code is included as it is; nothing is compiled here.
{}
/// A module, and a family of kernels.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Id {{
{}}}

/// All modules, in the order of their indices.
pub const ALL_IDS: [Id; {}] = [
{}];

/// A module's code for each target it was compiled for.
pub struct Module {{
    index: usize,
    codes: &'static [(&'static str, &'static [u8])],
    kernels: &'static [&'static str],
}}

impl Module {{
    /// Its index in ALL_IDS.
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

constexpr const char* launchers = R"(
mod driver;
pub mod ffi;
)";

constexpr const char* no_ptx = R"(
    /// Panics: the package had no PTX.
    pub fn ptx(&self) -> &'static str {
        panic!("candle-kernels has no PTX: build the package with kernel-gen build --target compute_80, and export it again")
    }
)";

/// What the names of the modules of manifests/candle begin with, so that they can be in one package with others.
constexpr std::string_view prefix = "candle_";

/// The module of the kernels that candle does not see, but launchers written in Rust run: candle-kernels' module ffi.
constexpr std::string_view ffi_family = "ffi";

/// candle's name of a module, "affine".
std::string_view family(const Package& package, const kernelgen_module_record& module) {
  return package.text(module.name).substr(prefix.size());
}

/// The modules that candle knows, in the order of their indices, or the others.
std::vector<std::uint32_t> modules_of(const Package& package, bool of_candle) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < package.modules().size(); ++i)
    if ((family(package, package.modules()[i]) != ffi_family) == of_candle) found.push_back(i);
  return found;
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
  if (modules_of(package, true).empty())
    throw BadInput(Fault{package.name(), "", "has no module that candle knows", {}});
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

/// A module as a constant; `index` is that in ALL_IDS.
std::string module_text(const Package& package, std::uint32_t module, std::size_t index,
                        std::string_view visibility, const std::vector<CodeFile>& files) {
  const kernelgen_module_record& record = package.modules()[module];
  const std::string_view name = family(package, record);
  std::string text =
      fmt::format("\n/// The family `{}`.\n{}const {}: Module = Module {{\n    index: {},\n    codes: &[\n",
                  name, visibility, shouted(name), index);
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
  const std::vector<std::uint32_t> families = modules_of(package, true), hidden = modules_of(package, false);
  std::string variants, ids;
  for (const std::uint32_t module : families) {
    const std::string_view name = family(package, package.modules()[module]);
    const std::string id = camel(name);
    fmt::format_to(std::back_inserter(variants), "    /// The family `{}`.\n    {},\n", name, id);
    fmt::format_to(std::back_inserter(ids), "    Id::{},\n", id);
  }
  std::string text =
      fmt::format(head, version, hidden.empty() ? "" : launchers, variants, families.size(), ids);
  if (const CodeFile* const ptx = ptx_of(files))
    text += fmt::format(ptx_accessor, package.text(package.targets()[ptx->target].name));
  else
    text += no_ptx;
  text += "}\n";
  for (std::size_t i = 0; i < families.size(); ++i)
    text += module_text(package, families[i], i, "pub ", files);
  for (const std::uint32_t module : hidden) text += module_text(package, module, families.size(), "", files);
  return text;
}

std::string target_names(const Package& package) {
  std::string names;
  for (const kernelgen_target_record& target : package.targets())
    names.append(names.empty() ? "" : ", ").append(package.text(target.name));
  return names;
}

/// The version of candle-kernels that replaces `wanted`: a line, or a version in one.
std::string_view crate_version(std::string_view wanted) {
  for (const Line& line : lines) {
    if (wanted == line.name) return line.version;
    if (!wanted.starts_with(line.name) || wanted[line.name.size()] != '.') continue;
    const std::string_view patch = wanted.substr(line.name.size() + 1);
    if (!patch.empty() && patch.size() <= 4 &&
        std::ranges::all_of(patch, [](char c) { return c >= '0' && c <= '9'; }))
      return wanted;
  }
  throw BadInput(
      Fault{"",
            "",
            fmt::format("--candle-version {}: candle 0.9, 0.10 and 0.11 are known; give one of them, or a "
                        "version such as 0.11.1",
                        printable(wanted)),
            {}});
}

}  // namespace

const CodeFile* ptx_of(const std::vector<CodeFile>& files) {
  const auto ptx =
      std::ranges::find(files, CodeKind::ptx, [](const CodeFile& file) { return file.code.kind; });
  return ptx == files.end() ? nullptr : &*ptx;
}

std::vector<FileText> candle_crate(const Package& package, const std::vector<CodeFile>& files,
                                   std::string_view candle) {
  const std::string_view named = crate_version(candle);
  need_families(package);
  std::vector<FileText> texts = code_file_texts(files);
  texts.push_back({"Cargo.toml", fmt::format(cargo_toml, named, version)});
  texts.push_back({"README.md", fmt::format(page, version, target_names(package), named)});
  texts.push_back({"src/lib.rs", library_text(package, files)});
  if (modules_of(package, false).empty()) return texts;
  texts.push_back({"src/driver.rs", candle_kernels_driver});
  texts.push_back({"src/ffi.rs", candle_kernels_ffi});
  texts.push_back({"src/ffi/experts.rs", candle_kernels_experts});
  return texts;
}

}  // namespace kernelgen::tool
