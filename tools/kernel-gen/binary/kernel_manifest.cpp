#include "binary/kernel_manifest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/json_text.hpp"
#include "manifest/node.hpp"
#include "manifest/types.hpp"
#include "source/identifier.hpp"

namespace kernelgen::tool {
namespace {

constexpr std::uint32_t max_block = 1024;

std::uint32_t round_up(std::uint32_t value, std::uint32_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// The type whose natural offset after `end` is the argument's.
std::string type_of(const CodeArgument& argument, std::uint32_t end, const std::string& kernel) {
  if (argument.value_kind == "global_buffer") return "u8*";
  if (argument.value_kind != "by_value")
    throw BadCodeObject(fmt::format("kernel {}: an argument of kind '{}' cannot be passed by a launch",
                                    kernel, argument.value_kind));
  for (const std::string_view name : {"u8", "u16", "u32", "u64"})
    if (const auto layout = scalar_type_layout(name);
        layout && layout->size == argument.size && round_up(end, layout->align) == argument.offset)
      return std::string(name);
  if (const std::uint32_t align = alignment_of(end, argument.offset, argument.size); align != 0)
    return opaque_type_name({argument.size, align});
  throw BadCodeObject(
      fmt::format("kernel {}: no alignment puts an argument at offset {}", kernel, argument.offset));
}

/// The source's name, which clang extends by ".coerce" for some; else its number.
std::string name_of(const CodeArgument& argument, std::size_t index, std::set<std::string>& taken) {
  std::string name = argument.name.substr(0, argument.name.find('.'));
  const auto is_free = [&] {
    return identifier_objection(name).empty() && !base_type_layout(name) && !parse_element(name) &&
           !taken.contains(name);
  };
  if (!is_free()) name = fmt::format("arg{}", index);
  while (!is_free()) name += '_';
  taken.insert(name);
  return name;
}

Json symbol(const CodeKernel& kernel) {
  Json arguments = Json::array();
  std::set<std::string> taken;
  std::uint32_t end = 0;
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    const CodeArgument& argument = kernel.arguments[i];
    arguments.push_back(name_of(argument, i, taken) + ": " + type_of(argument, end, kernel.name));
    end = argument.offset + argument.size;
  }
  return {{"name", kernel.name},
          {"args", std::move(arguments)},
          {"block", std::clamp(kernel.max_block, 1u, max_block)}};
}

}  // namespace

std::uint32_t alignment_of(std::uint32_t end, std::uint32_t offset, std::uint32_t size) {
  constexpr std::uint32_t largest = 16;
  for (std::uint32_t align = largest; align != 0; align /= 2)
    if (size % align == 0 && round_up(end, align) == offset) return align;
  return 0;
}

std::string kernel_manifest(const std::string& module, const std::string& file,
                            const std::vector<CodeKernel>& kernels) {
  Json symbols = Json::array();
  for (const CodeKernel& kernel : kernels) symbols.push_back(symbol(kernel));
  return json_text(Json{{"module", module}, {"binary", file}, {"symbols", std::move(symbols)}});
}

}  // namespace kernelgen::tool
