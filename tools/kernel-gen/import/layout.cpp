#include "import/layout.hpp"

#include <fmt/format.h>

#include <charconv>

#include "manifest/types.hpp"

namespace kernelgen::tool {

namespace {

/// As kernels/imported/arguments.hpp has them.
enum Kind : std::uint32_t {
  other,
  floating,
  half_float,
  brain_float,
  is_signed,
  is_unsigned,
  void_type,
  pointer = 16,
  reference
};

struct Described {
  std::uint32_t size, align, kind, pointee, pointee_size, is_const;
};

/// The dtype of numbers, or the raw element of that width; "" for all others.
std::string element(std::uint32_t kind, std::uint32_t size, bool is_pointee) {
  const std::uint32_t bits = size * 8;
  switch (kind) {
    case floating:
      return size == 4 || size == 8 ? fmt::format("f{}", bits) : "";
    case half_float:
      return "f16";
    case brain_float:
      return "bf16";
    case is_signed:
      if (size > 8) return "";
      return size > 1 ? fmt::format("i{}", bits) : is_pointee ? "b8" : "u8";
    case is_unsigned:
      if (size > 8) return "";
      return size != 2 ? fmt::format("u{}", bits) : is_pointee ? "b16" : "i16";
    default:
      return "";
  }
}

std::string spelled(const Described& type) {
  if (type.kind == reference || type.size == 0) return "";
  if (type.kind == pointer) {
    const std::string pointee = element(type.pointee, type.pointee_size, true);
    return fmt::format("{}{}*", type.is_const ? "const " : "", pointee.empty() ? "b8" : pointee);
  }
  const std::string value = element(type.kind, type.size, false);
  return value.empty() ? opaque_type_name({type.size, type.align}) : value;
}

/// The values of a constant: what follows each "i32 ".
std::vector<std::uint32_t> numbers(std::string_view line) {
  constexpr std::string_view type = "i32 ";
  std::vector<std::uint32_t> all;
  for (std::size_t at = line.find(type); at != std::string_view::npos; at = line.find(type, at + 1)) {
    std::uint32_t value = 0;
    const char* const begin = line.data() + at + type.size();
    if (std::from_chars(begin, line.data() + line.size(), value).ptr != begin) all.push_back(value);
  }
  return all;
}

}  // namespace

std::string layout_source(std::span<const KernelDeclaration> kernels) {
  std::string text;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    // A cast chooses among functions of one name.
    constexpr std::string_view start = "void (";
    std::string function = "&::" + kernels[i].qualified;
    if (const std::string& type = kernels[i].type; type.starts_with(start) && type.ends_with(')'))
      function = fmt::format("static_cast<void (*)({}>({})", type.substr(start.size()), function);
    text += fmt::format(
        "#line {1} \"kernelgen-kernels\"\n__device__ auto kernelgen_kernel_{0} = {2}; extern \"C\" "
        "__device__ "
        "kernelgen_import::Layout<decltype({2})> kernelgen_layout_{0} = {{}};\n",
        i, i + 1, function);
  }
  return text;
}

std::vector<std::vector<std::string>> read_layouts(std::string_view ir, std::size_t kernels) {
  std::vector<std::vector<std::string>> all(kernels);
  for (std::size_t i = 0; i < kernels; ++i) {
    const std::size_t at = ir.find(fmt::format("\n@kernelgen_layout_{} =", i));
    if (at == std::string_view::npos) continue;
    const std::vector<std::uint32_t> values = numbers(ir.substr(at, ir.find('\n', at + 1) - at));
    for (std::size_t k = 0; !values.empty() && k < values[0] && 6 * k + 6 < values.size(); ++k) {
      const std::uint32_t* const v = &values[6 * k + 1];
      all[i].push_back(spelled({v[0], v[1], v[2], v[3], v[4], v[5]}));
    }
  }
  return all;
}

}  // namespace kernelgen::tool
