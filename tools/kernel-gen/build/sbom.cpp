#include "build/sbom.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/sha.hpp"
#include "base/version.hpp"

namespace kernelgen::tool {

namespace {

constexpr const char* document_id = "SPDXRef-DOCUMENT";
constexpr const char* package_id = "SPDXRef-Package";

Json checksum(const char* algorithm, std::string value) {
  return {{"algorithm", algorithm}, {"checksumValue", std::move(value)}};
}

Json relationship(const std::string& element, const char* type, const std::string& related) {
  return {{"spdxElementId", element}, {"relationshipType", type}, {"relatedSpdxElement", related}};
}

/// A package of SPDX whose files were not analyzed.
Json element(const std::string& id, const std::string& name, const std::string& version,
             const std::string& purpose, std::string_view bytes) {
  return {{"SPDXID", id},
          {"name", name},
          {"versionInfo", version},
          {"downloadLocation", "NOASSERTION"},
          {"filesAnalyzed", false},
          {"packageFileName", name},
          {"primaryPackagePurpose", purpose},
          {"checksums", Json::array({checksum("SHA256", sha256(bytes))})}};
}

}  // namespace

Json spdx_json(const Sbom& sbom) {
  const std::string tool = fmt::format("kernel-gen-{}", version);
  Json packages =
      Json::array({element(package_id, sbom.package_name, version, "ARCHIVE", sbom.package_bytes)});
  Json files = Json::array();
  Json relations = Json::array({relationship(document_id, "DESCRIBES", package_id)});
  for (const Sbom::Program& program : sbom.programs) {
    const std::string id = fmt::format("SPDXRef-Program-{}", packages.size());
    packages.push_back(element(id, program.name, program.version, "APPLICATION", program.bytes));
    if (program.uses.empty()) relations.push_back(relationship(id, "BUILD_TOOL_OF", package_id));
    for (const Sbom::Use& use : program.uses) {
      Json relation = relationship(id, "BUILD_TOOL_OF", package_id);
      relation["comment"] = fmt::format("{}: {}", use.target, use.command);
      relations.push_back(std::move(relation));
    }
  }
  for (const Sbom::File& source : sbom.sources) {
    const std::string id = fmt::format("SPDXRef-File-{}", files.size() + 1);
    files.push_back({{"SPDXID", id},
                     {"fileName", source.name},
                     {"checksums", Json::array({checksum("SHA256", sha256(source.bytes)),
                                                checksum("SHA1", sha1(source.bytes))})}});
    relations.push_back(relationship(package_id, "GENERATED_FROM", id));
  }
  Json json = {{"spdxVersion", "SPDX-2.3"},
               {"dataLicense", "CC0-1.0"},
               {"SPDXID", document_id},
               {"name", sbom.package_name},
               {"packages", std::move(packages)},
               {"files", std::move(files)},
               {"relationships", std::move(relations)}};
  json["documentNamespace"] =
      fmt::format("https://spdx.org/spdxdocs/{}-{}", sbom.package_name, sha256(json.dump()));
  json["creationInfo"] = {
      {"created", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(sbom.seconds)))},
      {"creators", {"Tool: " + tool}}};
  return json;
}

}  // namespace kernelgen::tool
