#include "commands/ls_binary.hpp"

#include <fmt/format.h>

#include "base/fault.hpp"
#include "base/json_text.hpp"
#include "base/table.hpp"
#include "commands/binary_file.hpp"
#include "manifest/node.hpp"

namespace kernelgen::tool {
namespace {

Json to_json(const Binary& binary) {
  Json codes = Json::array(), damages = Json::array();
  for (const Binary::Code& code : binary.codes()) {
    Json row = {{"target", code.target},
                {"kind", name_of(code.kind)},
                {"kernels", code.kernels},
                {"offset", code.offset},
                {"bytes", code.bytes},
                {"module", code.module},
                {"file", binary.files()[code.file].name}};
    if (code.stored != 0) row["stored"] = code.stored;
    codes.push_back(std::move(row));
  }
  for (const Binary::File& file : binary.files())
    for (const Damage& damage : file.damages)
      damages.push_back({{"file", file.name}, {"offset", damage.offset}, {"what", damage.what}});
  return {{"bytes", binary.bytes()}, {"code_objects", std::move(codes)}, {"unreadable", std::move(damages)}};
}

void print(const Binary& binary, std::FILE* out) {
  const bool has_files = binary.files().size() > 1;
  std::vector<std::string> head = {"target", "kind", "kernels", "offset", "size", "module"};
  if (has_files) head.emplace_back("file");
  Table table(head);
  for (const Binary::Code& code : binary.codes()) {
    std::vector<std::string> row = {code.target,
                                    std::string(name_of(code.kind)),
                                    std::to_string(code.kernels),
                                    fmt::format("{:#x}", code.offset),
                                    spell_bytes(code.bytes),
                                    code.module};
    if (has_files) row.push_back(binary.files()[code.file].name);
    table.add(std::move(row));
  }
  table.print(out);
}

}  // namespace

int list_binary(const std::filesystem::path& path, bool json, std::FILE* out) {
  const Binary binary = open_binary(path);
  if (json)
    fmt::print(out, "{}", json_text(to_json(binary)));
  else
    print(binary, out);
  return report_damages(binary);
}

}  // namespace kernelgen::tool
