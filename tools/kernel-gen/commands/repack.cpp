#include "commands/repack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "base/fault.hpp"
#include "base/printable.hpp"
#include "base/table.hpp"
#include "binary/coverage.hpp"
#include "commands/binary_file.hpp"
#include "commands/shrink_file.hpp"
#include "common/mapped_file.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

enum class Fate { unchanged, shrunk, left_out, refused };

struct Row {
  std::string name;
  Fate fate = Fate::unchanged;
  std::uint64_t before = 0, after = 0;
  std::string why;  ///< of a refused one
};

/// "gfx90a" of "TensileLibrary_lazy_gfx90a.dat"; empty for other names.
std::string gpu_of_name(const std::string& name) {
  static const std::regex pattern(R"(.*[_-](gfx[0-9a-f]+)(?:[-+_][a-z+-]*)?\.dat)");
  std::smatch parts;
  return std::regex_match(name, parts, pattern) ? parts[1].str() : "";
}

class Repacker {
 public:
  Repacker(const RepackOptions& options, Disk& disk)
      : options_(options),
        disk_(disk),
        table_(read_targets(disk, options.paths.targets)),
        binary_(options.folder) {
    Faults faults;
    kept_ = kept_targets(binary_, options.keep, table_, faults, options.folder.string());
    faults.throw_if_any();
    for (std::size_t i = 0; i < binary_.codes().size(); ++i) codes_[binary_.codes()[i].file].push_back(i);
  }

  std::vector<Row> run() {
    std::vector<Row> rows;
    for (std::size_t i = 0; i < binary_.files().size(); ++i) {
      const Binary::File& file = binary_.files()[i];
      Row row = {file.name, Fate::unchanged, file.bytes, file.bytes, {}};
      std::string shrunk;
      if (is_left_out(i)) {
        row.fate = Fate::left_out;
        row.after = 0;
      } else if (codes_.contains(i) && try_shrink(file, shrunk, row)) {
        row.fate = Fate::shrunk;
        row.after = shrunk.size();
      }
      write(file, row, shrunk);
      rows.push_back(std::move(row));
    }
    if (!options_.in_place) copy_links();
    return rows;
  }

 private:
  bool is_kept(std::string_view target) const { return std::ranges::find(kept_, target) != kept_.end(); }

  /// A code object by itself or data for a GPU that is not kept. Code for all of a library's GPUs goes with the library alone.
  bool is_left_out(std::size_t index) const {
    const Binary::File& file = binary_.files()[index];
    if (const std::string gpu = gpu_of_name(file.name); !gpu.empty())
      return std::ranges::none_of(kept_,
                                  [&](const std::string& target) { return processor_of(target) == gpu; });
    const auto codes = codes_.find(index);
    if (codes == codes_.end() || !file.damages.empty() || codes->second.size() != 1) return false;
    const Binary::Code& code = binary_.codes()[codes->second.front()];
    return code.kind == CodeKind::hsaco && code.steps.empty() && !is_kept(code.target);
  }

  bool try_shrink(const Binary::File& file, std::string& shrunk, Row& row) const {
    const std::vector<std::size_t>& codes =
        codes_.at(static_cast<std::size_t>(&file - binary_.files().data()));
    const bool is_smaller =
        std::ranges::any_of(codes, [&](std::size_t i) { return !is_kept(binary_.codes()[i].target); });
    const bool is_bare =
        std::ranges::all_of(codes, [&](std::size_t i) { return binary_.codes()[i].steps.empty(); });
    if ((!is_smaller && !options_.compress) || is_bare) return false;
    const MappedFile mapping(file.path);
    try {
      shrunk = shrink({reinterpret_cast<const char*>(mapping.bytes().data()), mapping.bytes().size()},
                      keep_only(kept_, options_.compress));
      return true;
    } catch (const std::runtime_error& error) {
      row.fate = Fate::refused;
      row.why = error.what();
      return false;
    }
  }

  void write(const Binary::File& file, const Row& row, std::string_view shrunk) {
    const fs::path to = options_.in_place ? file.path : options_.out / file.name;
    if (row.fate == Fate::left_out) {
      if (options_.in_place) disk_.remove_tree(file.path);
      return;
    }
    if (!options_.in_place) disk_.make_dirs(to.parent_path());
    if (row.fate == Fate::shrunk)
      write_like(file.path, to, shrunk, disk_);
    else if (!options_.in_place)
      fs::copy_file(file.path, to);
  }

  /// Links to files that were left out are left out too.
  void copy_links() {
    for (const auto& entry : fs::recursive_directory_iterator(options_.folder)) {
      if (!entry.is_symlink()) continue;
      const fs::path to = options_.out / entry.path().lexically_relative(options_.folder);
      disk_.make_dirs(to.parent_path());
      if (fs::exists(to.parent_path() / fs::read_symlink(entry.path())) || !fs::exists(entry.path()))
        fs::copy_symlink(entry.path(), to);
    }
  }

  const RepackOptions& options_;
  Disk& disk_;
  TargetTable table_;
  Binary binary_;
  std::vector<std::string> kept_;
  std::map<std::size_t, std::vector<std::size_t>> codes_;  ///< by file
};

void print(const std::vector<Row>& rows, const std::string& folder, std::FILE* out) {
  Table table({"file", "before", "after"});
  std::uint64_t before = 0, after = 0;
  std::size_t counts[4] = {};
  for (const Row& row : rows) {
    before += row.before;
    after += row.after;
    ++counts[static_cast<std::size_t>(row.fate)];
    if (row.fate == Fate::shrunk) table.add({row.name, spell_bytes(row.before), spell_bytes(row.after)});
  }
  if (counts[static_cast<std::size_t>(Fate::shrunk)] != 0) table.print(out);
  fmt::print(
      out, "{}: {}, before {}: {} shrunk, {} left out, {} as before\n", printable(folder), spell_bytes(after),
      spell_bytes(before), counts[static_cast<std::size_t>(Fate::shrunk)],
      counts[static_cast<std::size_t>(Fate::left_out)],
      counts[static_cast<std::size_t>(Fate::unchanged)] + counts[static_cast<std::size_t>(Fate::refused)]);
}

}  // namespace

int run_repack(const RepackOptions& options, Disk& disk, std::FILE* out) {
  const auto refuse = [](const fs::path& path, const char* what) {
    throw BadInput(Fault{path.string(), "", what, {}});
  };
  if (!disk.is_directory(options.folder))
    refuse(options.folder, "is not a folder; 'kernel-gen prune' shrinks a file");
  if (options.in_place != options.out.empty())
    refuse(options.folder, "repack: name the folder to write with --out, or say --in-place");
  if (!options.out.empty() && disk.exists(options.out)) refuse(options.out, "--out: is there already");
  const std::vector<Row> rows = Repacker(options, disk).run();
  print(rows, (options.in_place ? options.folder : options.out).string(), out);
  std::vector<Fault> faults;
  for (const Row& row : rows)
    if (row.fate == Fate::refused)
      faults.push_back({(options.folder / row.name).string(), "", "is left as it is: " + row.why, {}});
  print_faults(faults);
  return faults.empty() ? exit_ok : exit_failure;
}

}  // namespace kernelgen::tool
