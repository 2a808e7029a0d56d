#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/disk.hpp"
#include "base/environment.hpp"
#include "base/process.hpp"
#include "build/questions.hpp"
#include "manifest/target.hpp"

namespace kernelgen::tool {

/// The clang whose kernels are tested, unless a target's row names another.
constexpr unsigned tested_clang = 19;

struct Clang {
  std::filesystem::path path;
  unsigned major = 0;
};

/// clang++-N and clang++ in PATH from version 15 on, one of each version, oldest first. clang++ is queried for
/// its version; of the others the name tells.
std::vector<Clang> find_clangs(const Disk& disk, const Environment& environment, Questions& questions);

/// The order to try them in: the wanted version, newer ones upward, older ones downward.
std::vector<Clang> nearest_first(std::vector<Clang> clangs, unsigned wanted);

/// The clang for what any serves, nearest to the tested one. Throws BadInput, which names the command, if no clang is found.
std::filesystem::path need_clang(std::string_view command, const Disk& disk, ProcessRunner& runner,
                                 const Environment& environment);

/// The first line of what clang said that is an error; without one, how it ended.
std::string first_error(const ProcessResult& result);

/// "19" of "Debian clang version 19.1.7"; 0 if the text has no version.
unsigned clang_major(const std::string& version);

/// Whether the compiler itself lists the target's processor (a GPU, or a CPU of this machine's family).
bool knows(Questions& questions, const std::filesystem::path& clang, const Target& target);

/// Whether the compiler can link device bitcode, which may come from a newer LLVM than its own.
bool reads(Questions& questions, const std::filesystem::path& clang, const std::filesystem::path& bitcode);

/// A folder of ROCm's device library, and the LLVM it was made with where its path says so, else 0.
struct DeviceLibrary {
  std::filesystem::path folder;
  unsigned major = 0;
};

/// Those that the distribution's packages install, newest first.
std::vector<DeviceLibrary> find_device_libraries(const Disk& disk);

}  // namespace kernelgen::tool
