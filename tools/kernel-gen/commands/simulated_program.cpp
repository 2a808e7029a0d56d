#include "commands/simulated_program.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>

#include "base/fault.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

JsonLines::JsonLines(Disk& disk)
    : disk_(disk), path_(fs::temp_directory_path() / fmt::format("kernel-gen-{}.jsonl", ::getpid())) {
  disk_.write_atomically(path_, "");
}

JsonLines::~JsonLines() {
  std::error_code ignored;
  fs::remove(path_, ignored);
}

nlohmann::ordered_json JsonLines::read() const {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  std::istringstream lines(disk_.read(path_));
  for (std::string line; std::getline(lines, line);) list.push_back(nlohmann::ordered_json::parse(line));
  return list;
}

void simulate(const Paths& paths, const Disk& disk, ProcessRunner& runner, const std::string& gpu,
              const std::vector<std::pair<std::string, std::string>>& variables) {
  const fs::path& library = paths.simulated_hip;
  if (!disk.exists(library))
    throw BadInput(
        Fault{"",
              "",
              fmt::format("{} is not there; build the target kernelgen_simulated_hip", library.string()),
              {}});
  const auto set = [&](const std::string& name, const std::string& value) {
    runner.set_variable(name, value);
    ::setenv(name.c_str(), value.c_str(), 1);
  };
  // Programs that are linked with libamdhip64 find it by the names of that in this folder.
  const char* const before = std::getenv("LD_LIBRARY_PATH");
  const std::string folder = (library.parent_path() / "simulated-hip").string();
  set("LD_LIBRARY_PATH",
      before == nullptr || *before == '\0' ? folder : fmt::format("{}:{}", folder, before));
  set("KERNELGEN_HIP_LIBRARY", library.string());
  set("KERNELGEN_SIMULATED_GPU", gpu);
  for (const auto& [name, value] : variables) set(name, value);
}

std::string run_program(const CommandLine& words, ProcessRunner& runner, std::FILE* out) {
  const ProcessResult result = run_process(runner, words);
  if (!result.start_error.empty())
    throw BadInput(Fault{"", "", fmt::format("'{}' {}", words.front(), result.outcome()), {}});
  std::fwrite(result.out.data(), 1, result.out.size(), out);
  std::fwrite(result.err.data(), 1, result.err.size(), stderr);
  return result.ok() ? "" : fmt::format("{}: {}", words.front(), result.outcome());
}

}  // namespace kernelgen::tool
