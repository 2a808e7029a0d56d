#include "import/imported_kernel.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/json_text.hpp"
#include "manifest/node.hpp"

namespace kernelgen::tool {

namespace {

/// Bytes of dynamic shared memory that a block has on a CPU, as on an AMD GPU.
constexpr unsigned cpu_shared_bytes = 64 << 10;

/// What a kernel of the file is called where it is compiled as a function, since the package's kernel has its name.
std::string renaming(const ImportedFile& file, std::string_view format_of_line) {
  std::vector<std::string> names;
  for (const ImportedKernel& kernel : file.kernels)
    if (kernel.symbol == kernel.declaration.name && std::ranges::find(names, kernel.symbol) == names.end())
      names.push_back(kernel.symbol);
  std::string text;
  for (const std::string& name : names) text += fmt::format(fmt::runtime(format_of_line), name);
  return text;
}

/// The definition of extern shared arrays on a CPU: after the file, which declares their types.
std::string shared_arrays(const ImportedFile& file) {
  if (file.shared.empty()) return "";
  std::string text = "\n#if !KG_GPU\n";
  for (const DynamicShared& array : file.shared) {
    std::string definition = fmt::format("alignas(16) thread_local {0} {1}[{2} / sizeof({0})];\n", array.type,
                                         array.name, cpu_shared_bytes);
    if (!array.space.empty())
      definition = fmt::format("namespace {} {{ {} }}\n", array.space.substr(0, array.space.size() - 2),
                               definition.substr(0, definition.size() - 1));
    text += definition;
  }
  return text + "#endif\n";
}

std::string function(const ImportedKernel& kernel) {
  std::vector<std::string> parameters, passed;
  for (const ImportedParameter& parameter : kernel.parameters) {
    const std::size_t base = parameter.type.starts_with("const ") ? 6 : 0;
    parameters.push_back(fmt::format("{}kg::{} {}", parameter.type.substr(0, base),
                                     parameter.type.substr(base), parameter.name));
    passed.push_back(fmt::format("kernelgen_import::pass({})", parameter.name));
  }
  std::string callee = kernel.declaration.qualified;
  if (kernel.symbol == kernel.declaration.name)
    callee.insert(callee.size() - kernel.symbol.size(), "kernelgen_imported_");
  return fmt::format(
      "\nKG_DEVICE void {}({}) {{\n  kernelgen_import::run([&]() KG_INLINE {{ ::{}({}); }});\n}}\n",
      kernel.symbol, fmt::join(parameters, ", "), callee, fmt::join(passed, ", "));
}

}  // namespace

std::string symbol_of(const KernelDeclaration& kernel) {
  const std::size_t arguments = kernel.qualified.find('<');
  if (arguments == std::string::npos) return kernel.name;
  std::string symbol = kernel.name;
  for (const char c : kernel.qualified.substr(arguments)) {
    const bool is_word = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (is_word)
      symbol += c;
    else if (c == '*')
      symbol += "ptr";
    else if (c == '-')
      symbol += "m";
    else if (!symbol.ends_with('_'))
      symbol += '_';
  }
  while (symbol.ends_with('_')) symbol.pop_back();
  return symbol;
}

std::string file_lines(const ImportedFile& file) {
  std::string text = "#pragma once\n";
  if (file.is_cuda) text += "#define KERNELGEN_CUDA_FILE 1\n";
  for (const std::string& define : file.defines) {
    const std::size_t equals = define.find('=');
    text += fmt::format("#define {} {}\n", define.substr(0, equals),
                        equals == std::string::npos ? "1" : define.substr(equals + 1));
  }
  text += "#include \"imported/api.hpp\"\n";
  // Of the host's handles: they are made from nullptr.
  for (const std::string& type : file.stand_ins)
    text += fmt::format("struct {0} {{ {0}() = default; {0}(decltype(nullptr)); }};\n", type);
  text += "#include \"imported/begin_file.hpp\"\n" + renaming(file, "#define {0} kernelgen_imported_{0}\n");
  text += fmt::format("#include \"{}\"\n", file.main);
  return text + renaming(file, "#undef {}\n") + "#include \"imported/end_file.hpp\"\n";
}

std::string import_header(const ImportedFile& file) {
  std::string text = fmt::format("// Written by kernel-gen import from {}. Do not edit.\n",
                                 file.main.substr(file.main.rfind('/') + 1));
  text += file_lines(file) + shared_arrays(file) + "\nnamespace kernelgen_import {\n";
  for (const ImportedKernel& kernel : file.kernels) text += function(kernel);
  return text + "\n}  // namespace kernelgen_import\n";
}

std::string import_manifest(const ImportedFile& file) {
  Json manifest = {{"module", file.module},
                   {"doc", "Kernels of " + file.main.substr(file.main.rfind('/') + 1) + "."},
                   {"header", file.module + ".hpp"},
                   {"symbols", Json::array()}};
  for (const ImportedKernel& kernel : file.kernels) {
    std::vector<std::string> arguments, names;
    for (const ImportedParameter& parameter : kernel.parameters) {
      arguments.push_back(parameter.name + ": " + parameter.type);
      names.push_back(parameter.name);
    }
    const std::uint32_t block = kernel.declaration.block;
    manifest["symbols"].push_back(
        {{"name", kernel.symbol},
         {"doc", kernel.declaration.qualified},
         {"args", arguments},
         {"body", fmt::format("kernelgen_import::{}({})", kernel.symbol, fmt::join(names, ", "))},
         {"block", block == 0 ? imported_block : block}});
  }
  return json_text(manifest);
}

}  // namespace kernelgen::tool
