#include "build/provenance.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace kernelgen::tool {

namespace {

std::vector<std::string> read_texts(const Node& list) {
  std::vector<std::string> texts;
  for (const Node& item : list.items())
    if (auto text = item.text()) texts.push_back(*std::move(text));
  return texts;
}

}  // namespace

void record_inputs(Json& provenance, std::span<const Manifest> manifests, std::span<const std::string> only,
                   std::span<const Target* const> targets) {
  provenance["only"] = only;
  provenance["rows"] = Json::array();
  for (const Target* target : targets) provenance["rows"].push_back(Json::parse(target->row));
  provenance["manifests"] = Json::array();
  for (const Manifest& manifest : manifests)
    provenance["manifests"].push_back(
        {{"file", std::filesystem::path(manifest.file).filename().string()}, {"text", manifest.text}});
}

RecordedInputs read_inputs(std::string_view provenance, const std::string& origin, Faults& faults) {
  RecordedInputs inputs;
  const auto json = parse_json(origin, provenance, faults);
  if (!json) return inputs;
  const Node root(*json, origin, faults);
  if (const auto only = root.need("only")) inputs.only = read_texts(*only);
  if (const auto rows = root.need("rows"))
    for (const Node& row : rows->items())
      if (auto target = read_target(row)) inputs.targets.push_back(*std::move(target));
  if (const auto manifests = root.need("manifests"))
    for (const Node& manifest : manifests->items()) {
      const auto file = manifest.need("file"), text = manifest.need("text");
      if (const auto name = file ? file->text() : std::nullopt)
        if (auto bytes = text ? text->text() : std::nullopt)
          inputs.manifests.push_back(
              parse_manifest(fmt::format("{}: {}", origin, *name), *std::move(bytes), faults));
    }
  return inputs;
}

}  // namespace kernelgen::tool
