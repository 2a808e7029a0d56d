#include "layers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

namespace {

using Names = std::set<std::string>;

/// Where an include is looked for, after the folder of the file that has it.
constexpr const char* roots[] = {"runtime/include",  "runtime/src", "generated/include",
                                 "tools/kernel-gen", "tools",       "kernels"};

struct Layer {
  Names builds_on;  ///< as the table says
  Names reached;    ///< what that leads to
};

std::string trim(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  return first == text.npos ? "" : std::string(text.substr(first, text.find_last_not_of(' ') - first + 1));
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);)
    if (part = trim(part); !part.empty()) parts.push_back(part);
  return parts;
}

class Table {
 public:
  explicit Table(std::string_view page) {
    std::istringstream stream{std::string(page)};
    bool inside = false;
    for (std::string line; std::getline(stream, line);) {
      if (line == "| layer | holds | builds on |")
        inside = true;
      else if (inside && !line.starts_with('|'))
        inside = false;
      else if (inside && !line.starts_with("|---"))
        add_row(line);
    }
    for (auto& [name, layer] : layers_) reach(name, layer.reached);
  }

  const std::map<std::string, Layer>& layers() const { return layers_; }

  /// The layer that holds the file, by the longest of the paths in the table; null for none.
  const std::string* layer_of(const std::string& file) const {
    const std::string *layer = nullptr, *longest = nullptr;
    for (const auto& [path, owner] : owners_) {
      const bool holds = path.ends_with('/') ? file.starts_with(path) : file == path;
      if (!holds || (longest != nullptr && longest->size() > path.size())) continue;
      layer = &owner;
      longest = &path;
    }
    return layer;
  }

 private:
  void add_row(const std::string& line) {
    // "| ops | `runtime/src/ops/` … | tensor, library |"; the cells may be empty.
    static const std::regex row(R"(\|([^|]*)\|([^|]*)\|([^|]*)\|)");
    std::smatch cells;
    if (!std::regex_match(line, cells, row)) return;
    Layer& layer = layers_[trim(cells[1].str())];
    for (std::string& name : split(cells[3], ',')) layer.builds_on.insert(std::move(name));
    const auto paths = split(cells[2], '`');
    for (const std::string& path : paths) owners_[path] = trim(cells[1].str());
  }

  void reach(const std::string& name, Names& reached) const {
    const auto layer = layers_.find(name);
    if (layer == layers_.end()) return;
    for (const std::string& next : layer->second.builds_on)
      if (reached.insert(next).second) reach(next, reached);
  }

  std::map<std::string, Layer> layers_;
  std::map<std::string, std::string> owners_;  ///< by path
};

/// The file of the sources that an include means; empty for one from elsewhere.
std::string resolve(const Sources& sources, const std::string& file, const std::string& include) {
  std::vector<std::filesystem::path> folders{std::filesystem::path(file).parent_path()};
  folders.insert(folders.end(), std::begin(roots), std::end(roots));
  for (const auto& folder : folders) {
    std::string candidate = (folder / include).lexically_normal().string();
    if (sources.contains(candidate)) return candidate;
  }
  return {};
}

}  // namespace

std::vector<std::string> layer_faults(std::string_view page, const Sources& sources) {
  const Table table(page);
  std::vector<std::string> faults;
  for (const auto& [name, layer] : table.layers()) {
    if (layer.reached.contains(name))
      faults.push_back(fmt::format("the table leads from {} back to it", name));
    for (const std::string& below : layer.builds_on)
      if (!table.layers().contains(below))
        faults.push_back(fmt::format("the table builds {} on {}, which has no row", name, below));
  }
  static const std::regex directive(R"(^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">])",
                                    std::regex::ECMAScript | std::regex::multiline);
  std::set<std::pair<std::string, std::string>> used;
  for (const auto& [file, text] : sources) {
    const std::string* const own = table.layer_of(file);
    if (own == nullptr) {
      faults.push_back(fmt::format("{} is in no layer of the table", file));
      continue;
    }
    for (std::sregex_iterator match(text.begin(), text.end(), directive), end; match != end; ++match) {
      const std::string target = resolve(sources, file, (*match)[1]);
      const std::string* const other = target.empty() ? nullptr : table.layer_of(target);
      if (other == nullptr || *other == *own) continue;
      used.emplace(*own, *other);
      const Names& reached = table.layers().at(*own).reached;
      if (!reached.contains(*other))
        faults.push_back(
            fmt::format("{} of {} includes {} of {}; it may include {}", file, *own, target, *other,
                        reached.empty() ? "nothing else" : fmt::format("{}", fmt::join(reached, ", "))));
    }
  }
  for (const auto& [name, layer] : table.layers())
    for (const std::string& below : layer.builds_on)
      if (!used.contains({name, below}))
        faults.push_back(
            fmt::format("the table builds {} on {}, but no file of it includes one of those", name, below));
  return faults;
}
