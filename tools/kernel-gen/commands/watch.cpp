#include "commands/watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <map>

#include "base/fault.hpp"
#include "base/printable.hpp"
#include "build/schedule.hpp"
#include "commands/diff.hpp"
#include "commands/package_file.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

/// Ctrl-C.
struct Ended {};

using Stamps = std::map<fs::path, FileStamp>;

/// What editors write next to a file has such names.
bool is_source(const fs::path& path) {
  const std::string name = path.filename().string();
  return !name.starts_with('.') && !name.ends_with('~');
}

void add_files(const fs::path& folder, const fs::path& left_out, const Disk& disk, Stamps& stamps) {
  for (const fs::path& path : disk.list(folder)) {
    if (!is_source(path) || path.lexically_normal() == left_out.lexically_normal()) continue;
    try {
      if (disk.type(path) == FileType::folder)
        add_files(path, left_out, disk, stamps);
      else
        stamps.emplace(path, disk.stamp(path));
    } catch (const DiskError&) {
      // It was removed since the folder was listed.
    }
  }
}

class Watch {
 public:
  Watch(const WatchOptions& options, Disk& disk, ProcessRunner& runner, const Environment& environment,
        std::FILE* out)
      : options_(options), disk_(disk), runner_(runner), environment_(environment), out_(out) {
    difference_.json = options.json;
    difference_.machines = options.build.paths.machines;
  }

  int run() {
    Stamps seen = look();
    bool is_built = build(options_.json);
    for (unsigned round = 0; !options_.rounds || round < *options_.rounds; ++round) {
      if (!options_.json) fmt::print(out_, "watching {} files\n", seen.size());
      std::fflush(out_);
      const Stamps now = next_change(seen);
      if (!options_.json) print_changes(seen, now);
      seen = now;
      is_built = rebuild();
    }
    return is_built ? exit_ok : exit_failure;
  }

 private:
  Stamps look() const {
    Stamps stamps;
    const Paths& paths = options_.build.paths;
    for (const fs::path& folder : paths.manifests) add_files(folder, options_.build.out, disk_, stamps);
    for (const fs::path& folder : paths.includes())
      if ((folder == paths.kernels || folder != paths.shipped_kernels) && disk_.is_directory(folder))
        add_files(folder, options_.build.out, disk_, stamps);
    return stamps;
  }

  void pause() const {
    runner_.pause(std::chrono::milliseconds(options_.interval));
    if (const int signal = runner_.interrupted(); signal == SIGINT)
      throw Ended();
    else if (signal != 0)
      throw Interrupted(signal);
  }

  /// The files once they differ from `seen` and no longer change.
  Stamps next_change(const Stamps& seen) const {
    Stamps last = seen;
    while (true) {
      pause();
      Stamps now = look();
      if (is_same(now, last) && !is_same(now, seen)) return now;
      last = std::move(now);
    }
  }

  static bool is_same(const Stamps& one, const Stamps& other) {
    return std::ranges::equal(one, other, [](const auto& a, const auto& b) {
      return a.first == b.first && a.second.is_same_as(b.second);
    });
  }

  void print_changes(const Stamps& before, const Stamps& now) const {
    const auto print = [&](const fs::path& path, const char* what) {
      fmt::print(out_, "{} {}\n", printable(path.string()), what);
    };
    for (const auto& [path, stamp] : now)
      if (const auto old = before.find(path); old == before.end())
        print(path, "is new");
      else if (!old->second.is_same_as(stamp))
        print(path, "changed");
    for (const auto& [path, stamp] : before)
      if (!now.contains(path)) print(path, "is gone");
  }

  /// False if it failed; what failed is printed.
  bool build(bool is_quiet) {
    BuildOptions build = options_.build;
    build.quiet = is_quiet;
    try {
      run_build(build, disk_, runner_, environment_, out_);
      return true;
    } catch (const BadInput& error) {
      print_faults(error.faults());
    } catch (const BuildFailed& error) {
      for (const std::string& message : error.messages()) print_error(message);
    } catch (const DiskError& error) {
      print_error(fmt::format("kernel-gen: error: {}", error.what()));
    } catch (const Interrupted& interrupted) {
      if (interrupted.signal() == SIGINT) throw Ended();
      throw;
    }
    return false;
  }

  bool rebuild() {
    std::optional<Package> before;  // stays readable when the build replaces its file
    if (disk_.exists(options_.build.out / "kernelgen.kgpkg"))
      before = open_package(disk_, options_.build.out);
    if (!build(true)) return false;
    const Package after = open_package(disk_, options_.build.out);
    run_diff(before.value_or(after), after, difference_, disk_, out_);
    return true;
  }

  const WatchOptions& options_;
  Disk& disk_;
  ProcessRunner& runner_;
  const Environment& environment_;
  std::FILE* out_;
  DiffOptions difference_;
};

}  // namespace

int run_watch(const WatchOptions& options, Disk& disk, ProcessRunner& runner, const Environment& environment,
              std::FILE* out) {
  try {
    return Watch(options, disk, runner, environment, out).run();
  } catch (const Ended&) {
    return exit_ok;
  }
}

}  // namespace kernelgen::tool
