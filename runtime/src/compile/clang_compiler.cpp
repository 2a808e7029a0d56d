#include "compile/clang_compiler.hpp"

#include "common/environment.hpp"
#include "common/format.hpp"
#include "common/regular_file.hpp"
#include "compile/kernel_headers.hpp"
#include "compile/program.hpp"
#include "compile/scratch_folder.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {
namespace {

namespace fs = std::filesystem;

/// Best first: the one that the shipped kernels are tested with, newer ones, older ones.
constexpr const char* programs[] = {"clang++-19", "clang++-20", "clang++-21", "clang++-22", "clang++-18",
                                    "clang++-17", "clang++-16", "clang++-15", "clang++"};

void write_headers(const fs::path& folder) {
  for (const auto& [name, text] : kernel_headers()) {
    const fs::path file = folder / name;
    fs::create_directories(file.parent_path());
    write_file(file, text);
  }
}

/// Without the folder's name before those of its files, which is another each time.
std::string without_folder(std::string text, const fs::path& folder) {
  const std::string name = folder.string() + '/';
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;) text.erase(at, name.size());
  return text;
}

}  // namespace

ClangCompiler::ClangCompiler() {
  const char* named = environment_variable("KERNELGEN_CLANG");
  if (named != nullptr && *named != '\0') {
    clang_ = find_program(named);
    if (clang_.empty())
      throw Error(Code::unsupported,
                  formatted("KERNELGEN_CLANG names {}, which is not a program here", named));
    return;
  }
  for (const char* program : programs)
    if (clang_ = find_program(program); !clang_.empty()) return;
  throw Error(
      Code::unsupported,
      formatted("there is no compiler for the CPU: none of {} is in PATH; apt install clang-19 lld-19, "
                "or set KERNELGEN_CLANG to a clang++",
                joined(programs, ", ")));
}

CompiledCode ClangCompiler::compile(const CompileRequest& request) const {
  const ScratchFolder scratch;
  const fs::path source = scratch.path() / "source.cpp", code = scratch.path() / "code.so";
  const fs::path headers = scratch.path() / "kernels";
  write_headers(headers);
  write_file(source, formatted("#line 1 \"{}\"\n{}\n", request.name, request.source));

  std::vector<std::string> command = {clang_.string(), "-x", "c++"};
  for (std::string& flag : flags_of(request)) command.push_back(std::move(flag));
  command.insert(command.end(), {"-I", headers.string(), source.string(), "-o", code.string(), "-lm"});
  const ProgramEnd end = run_program(command);
  const std::string log = without_folder(end.output, headers);
  if (end.status.value_or(0) != 0 || !fs::exists(code))
    throw Error(Code::invalid_argument,
                formatted("{}{} of {}\n{}", compile_of(request), end.outcome(), clang_.string(), log));
  return {RegularFile(code).read_all(), log, clang_.string()};
}

}  // namespace kernelgen
