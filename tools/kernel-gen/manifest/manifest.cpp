#include "manifest/manifest.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <functional>
#include <span>

#include "base/printable.hpp"
#include "manifest/entry_reader.hpp"
#include "manifest/function.hpp"
#include "manifest/node.hpp"
#include "source/identifier.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

const std::vector<std::string> manifest_keys = {"$schema", "module",     "order",     "doc",
                                                "header",  "binary",     "functions", "defaults",
                                                "budget",  "operations", "symbols"};
/// The highest "order".
constexpr std::uint32_t last_order = 1000;

bool leaves_folder(const fs::path& path) {
  return path.is_absolute() || std::find(path.begin(), path.end(), "..") != path.end();
}

std::vector<std::string> headers_in(const Disk& disk, const fs::path& folder) {
  std::vector<std::string> names;
  if (!disk.is_directory(folder)) return names;
  for (const fs::path& path : disk.list(folder))
    if (path.extension() == ".hpp") names.push_back(path.filename().string());
  return names;
}

/// Whether a name can be copied into a generated source: it must not end the line or the quotes that it is written into.
bool is_plain(const std::string& name) {
  return printable(name) == name && name.find_first_of("\"\\") == std::string::npos;
}

/// `folders` are searched in order.
void check_header(const Disk& disk, std::span<const fs::path> folders, const Node& node,
                  const std::string& header) {
  const fs::path path = fs::path(header).lexically_normal();
  if (!is_plain(header))
    return node.fault("header must be a plain path: no quotes, backslashes or control characters");
  if (leaves_folder(header))
    return node.fault(fmt::format("header '{}' leaves the kernels folder ({})", header, folders[0].string()));
  const auto folder = std::ranges::find_if(folders, [&](const fs::path& each) {
    return disk.exists(each / path) && !disk.is_directory(each / path);
  });
  if (folder == folders.end())
    return node.fault_unknown(fmt::format("there is no header '{}' in {}", header, folders[0].string()),
                              header, headers_in(disk, folders[0]));
  if (leaves_folder(disk.resolve(*folder / path).lexically_relative(disk.resolve(*folder))))
    node.fault(fmt::format("header '{}' leaves the kernels folder ({}) through a symbolic link", header,
                           folder->string()));
}

void read_entries(const Node& root, const StringLines& lines, Manifest& manifest) {
  const EntryReader reader(root, lines);
  if (const auto operations = root.find("operations"))
    for (const Node& node : operations->items())
      if (auto entry = reader.operation(node)) {
        if (manifest.has_functions) check_function(node, *entry);
        manifest.operations.push_back(*std::move(entry));
      }
  if (const auto symbols = root.find("symbols"))
    for (const Node& node : symbols->items()) reader.symbols(node, manifest.symbols);
  const auto is_empty = [&](const char* key) {
    const auto node = root.find(key);
    return !node || (node->value().is_array() && node->value().empty());
  };
  if (is_empty("operations") && is_empty("symbols"))
    root.fault("has no operations and no symbols: nothing to make");
}

/// Whether a manifest's operations call no function of a header: all of them are expressions.
bool is_of_expressions(const Json& manifest) {
  const auto has = [](const Json& object, const char* key) {
    return object.is_object() && object.contains(key);
  };
  if (has(manifest, "symbols") || !has(manifest, "operations") || !manifest["operations"].is_array())
    return false;
  if (has(manifest, "defaults") && has(manifest["defaults"], "forms")) return false;
  return std::ranges::none_of(manifest["operations"], [&](const Json& operation) {
    return has(operation, "body") || has(operation, "forms") ||
           (has(operation, "reduce") && has(operation["reduce"], "functor"));
  });
}

/// Checks a header's name; errors become faults of the node.
using HeaderCheck = std::function<void(const Node& node, const std::string& header)>;

/// A manifest and its "order": modules of a folder are numbered by that, then by file name.
struct OrderedManifest {
  Manifest manifest;
  std::uint32_t order = 0;
};

OrderedManifest parse(std::string file, std::string text, const HeaderCheck& check, Faults& faults) {
  OrderedManifest ordered;
  Manifest& manifest = ordered.manifest;
  manifest.file = std::move(file);
  manifest.text = std::move(text);
  manifest.hash = XXH3_64bits(manifest.text.data(), manifest.text.size());
  StringLines lines;
  const auto json = parse_json(manifest.file, manifest.text, faults, &lines);
  if (!json) return ordered;

  const Node root(*json, manifest.file, faults);
  if (json->is_object() && json->contains("op") && !json->contains("operations")) {
    root.fault(
        R"(is an operation, not a manifest; put it into one: {"module": "NAME", "header": "elementwise/map.hpp", )"
        R"("operations": [ … ]})");
    return ordered;
  }
  if (!root.expect_object(manifest_keys)) return ordered;
  manifest.doc = root.text_or("doc", "");
  if (const auto node = root.need("module"))
    if (const auto name = node->text()) {
      manifest.module = *name;
      if (const std::string objection = identifier_objection(*name); !objection.empty())
        node->fault(fmt::format("'{}' {}", *name, objection));
    }
  if (const auto node = root.find("order")) ordered.order = node->number(0, last_order).value_or(0);
  if (const auto node = root.find("binary")) {
    manifest.binary = node->text().value_or("");
    if (root.find("operations")) root.fault("a binary has kernels by name, and no operations");
  } else if (!root.find("header") && is_of_expressions(*json)) {
    manifest.header = "elementwise/map.hpp";  // generated sources include what else they need
  } else if (const auto node = root.need("header")) {
    if (const auto header = node->text()) {
      manifest.header = *header;
      check(*node, *header);
    }
  }
  if (const auto functions = root.find("functions"))
    manifest.has_functions = functions->truth().value_or(false);
  if (manifest.has_functions) check_comment(root);
  read_entries(root, lines, manifest);
  return ordered;
}

OrderedManifest read(const Disk& disk, const fs::path& file, const fs::path& kernels, Faults& faults) {
  if (!is_plain(file.filename().string())) {
    faults.add(file.string(), "",
               "a manifest's file name must be plain: no quotes, backslashes or control characters");
    return {};
  }
  const auto check = [&](const Node& node, const std::string& header) {
    std::vector<fs::path> folders = {kernels};
    if (const fs::path own = own_kernels(file.parent_path()); !own.empty()) folders.push_back(own);
    if (!kernels.empty()) check_header(disk, folders, node, header);
  };
  try {
    OrderedManifest ordered = parse(file.string(), disk.read(file), check, faults);
    if (!ordered.manifest.binary.empty())
      faults.add(file.string(), "/binary",
                 "nothing can compile these kernels: 'kernel-gen import --binary' makes a package of them");
    return ordered;
  } catch (const ReadError& error) {
    faults.add("", "", error.what());
    return {};
  }
}

}  // namespace

fs::path own_kernels(const fs::path& manifests) {
  const fs::path folder = manifests.has_filename() ? manifests : manifests.parent_path();
  return folder.filename() == "manifests" ? folder.parent_path() / "kernels" : fs::path();
}

Manifest read_manifest(const Disk& disk, const fs::path& file, const fs::path& kernels, Faults& faults) {
  return read(disk, file, kernels, faults).manifest;
}

Manifest parse_manifest(std::string file, std::string text, Faults& faults) {
  return parse(std::move(file), std::move(text), [](const Node&, const std::string&) {}, faults).manifest;
}

std::vector<Manifest> read_manifests(const Disk& disk, const std::vector<fs::path>& folders,
                                     const fs::path& kernels) {
  Faults faults;
  std::vector<Manifest> manifests;
  if (!kernels.empty() && !disk.is_directory(kernels))
    faults.add(kernels.string(), "", "there is no such folder of kernel bodies");
  for (const fs::path& folder : folders) {
    if (!disk.is_directory(folder)) {
      faults.add(folder.string(), "", "there is no such folder of manifests");
      continue;
    }
    std::vector<fs::path> files;
    try {
      files = disk.list(folder);
    } catch (const ReadError& error) {
      faults.add("", "", error.what());
      continue;
    }
    std::vector<OrderedManifest> found;
    for (const fs::path& path : files)
      if (path.extension() == ".json") found.push_back(read(disk, path, kernels, faults));
    if (found.empty()) faults.add(folder.string(), "", "holds no manifest (*.json)");
    std::ranges::stable_sort(found, {}, &OrderedManifest::order);
    for (OrderedManifest& each : found) manifests.push_back(std::move(each.manifest));
  }
  faults.throw_if_any();
  return manifests;
}

}  // namespace kernelgen::tool
