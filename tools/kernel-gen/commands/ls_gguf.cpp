#include "commands/ls_gguf.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/json_text.hpp"
#include "base/printable.hpp"
#include "base/table.hpp"
#include "kernelgen/gguf.hpp"
#include "manifest/node.hpp"

namespace kernelgen::tool {
namespace {

/// Of a value in a table, in bytes.
constexpr std::size_t widest_value = 60;

/// From here on 64 bits without a sign are more than those with one.
constexpr double two_to_63 = 9223372036854775808.0;

Json to_json(const GgufValue& value) {
  switch (value.type()) {
    case GgufType::boolean:
      return value.boolean();
    case GgufType::text:
      return std::string(value.text());
    case GgufType::f32:
    case GgufType::f64:
      return value.real();
    case GgufType::array: {
      Json array = Json::array();
      for (const GgufValue& element : value.elements()) array.push_back(to_json(element));
      return array;
    }
    default:
      return value.real() >= two_to_63 ? Json(value.real()) : Json(value.integer());
  }
}

std::string type_of(const GgufValue& value) {
  if (value.type() != GgufType::array) return std::string(name_of(value.type()));
  return fmt::format("{}[{}]", name_of(value.element_type()), value.size());
}

/// "llama", "0.5", "[<unk>, <s>, …"
std::string spell(const GgufValue& value) {
  switch (value.type()) {
    case GgufType::boolean:
      return value.boolean() ? "true" : "false";
    case GgufType::text:
      return shortened(printable(value.text()), widest_value);
    case GgufType::f32:
      return fmt::format("{}", static_cast<float>(value.real()));
    case GgufType::f64:
      return fmt::format("{}", value.real());
    case GgufType::array: {
      std::string text;
      for (const GgufValue& element : value.elements()) {
        text += (text.empty() ? "[" : ", ") + spell(element);
        if (text.size() > widest_value) return shortened(text, widest_value);
      }
      return text.empty() ? "[]" : text + "]";
    }
    default:
      return value.real() >= two_to_63 ? fmt::format("{}", value.real()) : std::to_string(value.integer());
  }
}

/// The name of a tensor's format, or its number if it has no name.
std::string format_of(const GgufTensor& tensor) {
  return tensor.format_name.empty() ? fmt::format("type {}", tensor.format) : std::string(tensor.format_name);
}

Json to_json(const GgufFile& file) {
  Json metadata = Json::array(), tensors = Json::array();
  for (const GgufEntry& entry : file.metadata())
    metadata.push_back(
        {{"key", std::string(entry.key)}, {"type", type_of(entry.value)}, {"value", to_json(entry.value)}});
  for (const GgufTensor& tensor : file.tensors())
    tensors.push_back({{"name", std::string(tensor.name)},
                       {"dtype", format_of(tensor)},
                       {"loadable", tensor.dtype.has_value()},
                       {"shape", std::vector<std::int64_t>(tensor.shape.begin(), tensor.shape.end())},
                       {"offset", tensor.offset},
                       {"bytes", tensor.bytes}});
  return {{"version", file.version()},
          {"alignment", file.alignment()},
          {"metadata", std::move(metadata)},
          {"tensors", std::move(tensors)}};
}

void print_metadata(const GgufFile& file, std::FILE* out) {
  Table table({"metadata", "type", "value"});
  for (const GgufEntry& entry : file.metadata())
    table.add({std::string(entry.key), type_of(entry.value), spell(entry.value)});
  table.print(out);
}

void print_tensors(const GgufFile& file, std::FILE* out) {
  Table table({"tensor", "dtype", "shape", "bytes"});
  std::uint64_t bytes = 0;
  for (const GgufTensor& tensor : file.tensors()) {
    table.add({std::string(tensor.name), format_of(tensor) + (tensor.dtype ? "" : " (not loadable)"),
               tensor.shape.to_string(),
               tensor.format_name.empty() ? "unknown" : std::to_string(tensor.bytes)});
    bytes += tensor.bytes;
  }
  table.print(out);
  fmt::print(out, "\nGGUF {}: {}, {}, {} of data\n", file.version(),
             spell_count(file.metadata().size(), "metadata key"),
             spell_count(file.tensors().size(), "tensor"), spell_bytes(bytes));
}

}  // namespace

void list_gguf(const std::filesystem::path& path, bool json, std::FILE* out) {
  const GgufFile file = GgufFile::open(path);
  if (json) {
    fmt::print(out, "{}", json_text(to_json(file)));
    return;
  }
  print_metadata(file, out);
  fmt::print(out, "\n");
  print_tensors(file, out);
}

}  // namespace kernelgen::tool
