#include "build/clangs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <tuple>

#include "base/fault.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

constexpr unsigned oldest_clang = 15;
constexpr unsigned newest_clang = 99;

constexpr const char* unversioned_libraries[] = {
    "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode",
    "/usr/lib/aarch64-linux-gnu/amdgcn/bitcode",
};

}  // namespace

std::vector<Clang> find_clangs(const Disk& disk, const Environment& environment, Questions& questions) {
  std::vector<Clang> clangs;
  for (unsigned major = oldest_clang; major <= newest_clang; ++major)
    if (fs::path path = find_program(disk, environment, fmt::format("clang++-{}", major)); !path.empty())
      clangs.push_back({std::move(path), major});
  const fs::path plain = find_program(disk, environment, "clang++");
  if (plain.empty()) return clangs;
  const unsigned major = clang_major(questions.ask({plain.string(), "--version"}).out);
  const auto at = std::ranges::lower_bound(clangs, major, {}, &Clang::major);
  if (major >= oldest_clang && (at == clangs.end() || at->major != major)) clangs.insert(at, {plain, major});
  return clangs;
}

std::vector<Clang> nearest_first(std::vector<Clang> clangs, unsigned wanted) {
  std::ranges::stable_sort(clangs, {}, [&](const Clang& clang) {
    const bool older = clang.major < wanted;
    return std::tuple(older, older ? wanted - clang.major : clang.major - wanted);
  });
  return clangs;
}

fs::path need_clang(std::string_view command, const Disk& disk, ProcessRunner& runner,
                    const Environment& environment) {
  Questions questions(disk, runner, environment, nullptr);
  const std::vector<Clang> clangs = nearest_first(find_clangs(disk, environment, questions), tested_clang);
  if (clangs.empty())
    throw BadInput(
        Fault{"",
              "",
              fmt::format("{}: no clang++ from version 15 on is in PATH; apt install clang-19", command),
              {}});
  return clangs.front().path;
}

std::string first_error(const ProcessResult& result) {
  std::istringstream lines(result.err);
  for (std::string line; std::getline(lines, line);)
    if (line.find("error:") != std::string::npos) return line;
  return result.outcome();
}

unsigned clang_major(const std::string& version) {
  constexpr std::string_view mark = "clang version ";
  const std::size_t at = version.find(mark);
  unsigned major = 0;
  if (at != std::string::npos)
    std::from_chars(version.data() + at + mark.size(), version.data() + version.size(), major);
  return major;
}

bool knows(Questions& questions, const fs::path& clang, const Target& target) {
  CommandLine command = {clang.string(), "--print-supported-cpus"};
  // -nogpulib: clang would look for a device library even to print a list.
  if (target.kind == TargetKind::hip)
    command.insert(command.end(), {"--target=amdgcn-amd-amdhsa", "-nogpulib"});
  const ProcessResult& answer = questions.ask(command);
  const std::string& wanted = target.kind == TargetKind::hip ? target.name : target.march;
  // Versions differ in which stream gets the list.
  std::istringstream words(answer.out + "\n" + answer.err);
  for (std::string word; words >> word;)
    if (word == wanted) return answer.ok();
  return false;
}

bool reads(Questions& questions, const fs::path& clang, const fs::path& bitcode) {
  return questions
      .ask({clang.string(), "--target=amdgcn-amd-amdhsa", "-nogpulib", "-Xclang", "-mlink-builtin-bitcode",
            "-Xclang", bitcode.string(), "-x", "c", "/dev/null", "-c", "-emit-llvm", "-o", "/dev/null"})
      .ok();
}

std::vector<DeviceLibrary> find_device_libraries(const Disk& disk) {
  std::vector<DeviceLibrary> libraries;
  const auto add = [&](const fs::path& folder, unsigned major) {
    if (disk.exists(folder / "ocml.bc")) libraries.push_back({folder, major});
  };
  for (unsigned major = newest_clang; major >= oldest_clang; --major)
    add(fmt::format("/usr/lib/llvm-{0}/lib/clang/{0}/amdgcn/bitcode", major), major);
  for (const char* folder : unversioned_libraries) add(folder, 0);
  return libraries;
}

}  // namespace kernelgen::tool
