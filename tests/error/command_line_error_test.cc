// The tool as a process: its stderr and exit codes.
#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/disk.hpp"
#include "base/process.hpp"
#include "support/temporary_folder.hpp"

namespace kernelgen::tool {
namespace {

struct Case {
  const char* name;
  CommandLine arguments;
  std::string error;  ///< after "kernel-gen: error: "
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

const std::vector<Case> cases = {
    {"NoCommand", {}, "name a command; 'kernel-gen --help' lists them"},
    {"UnknownCommand",
     {"bild"},
     "unknown command 'bild'; 'kernel-gen --help' lists the commands (did you mean 'build'?)"},
    {"UnknownOptionOfNoCommand",
     {"--verbos"},
     "unknown option '--verbos'; 'kernel-gen --help' lists the options"},
    {"MissingFile", {"diff", "package"}, "diff: after is required; see 'kernel-gen diff --help'"},
    {"MissingOption", {"plan"}, "plan: --ninja is required; see 'kernel-gen plan --help'"},
    {"MissingValue", {"emit", "--out"}, "emit: --out needs a value; see 'kernel-gen emit --help'"},
    {"UnexpectedArgument",
     {"targets", "gfx90a"},
     "targets: unexpected argument 'gfx90a'; see 'kernel-gen targets --help'"},
    {"OptionWithoutAnother",
     {"man", "--out", "folder"},
     "man: --out requires --all; see 'kernel-gen man --help'"},
    {"UnknownToolchain",
     {"doctor", "--toolchain", "nvcc"},
     "doctor: --toolchain: 'nvcc' is not one of clang, hipcc; see 'kernel-gen doctor --help'"},
    {"UnknownOption", {"build", "--jbos", "3"}, "build: unknown option '--jbos' (did you mean '--jobs'?)"},
    {"NoJobs",
     {"build", "-j", "0"},
     "build: --jobs: '0' is not a whole number from 1 to 1024; see 'kernel-gen build --help'"},
    {"UnknownCodec",
     {"build", "--compress", "zstd:23"},
     "build: --compress: 'zstd:23' is not none, zstd, solid or either with a level: zstd:1 to zstd:22; see "
     "'kernel-gen build --help'"},
    {"UnknownTarget",
     {"build", "--target", "gfx91a"},
     "unknown target 'gfx91a'; 'kernel-gen targets' lists all (did you mean 'gfx90a'?)"},
    {"UnknownOperation",
     {"build", "--target", "cpu", "--only", "op=afine"},
     "--only op=afine: there is no such operation (did you mean 'affine'?)"},
    {"UnknownDtype",
     {"build", "--target", "cpu", "--only", "dtype=bf61"},
     "--only dtype=bf61: there is no such element type (did you mean 'bf16'?)"},
    {"NoSuchFile", {"inspect", "nowhere.hsaco"}, "nowhere.hsaco: there is no such file"},
    {"NoSuchPackage", {"ls", "nowhere"}, "nowhere: there is no package; 'kernel-gen build' writes one"},
    {"UnknownOperationToList",
     {"ls", "--kernels-of", "afine"},
     "--kernels-of afine: there is no such operation (did you mean 'affine'?)"},
    {"UnknownCommandToTellAbout",
     {"help", "bild"},
     "unknown command 'bild'; 'kernel-gen --help' lists the commands (did you mean 'build'?)"},
    {"UnknownCommandOfAPage",
     {"man", "verifi"},
     "unknown command 'verifi'; 'kernel-gen --help' lists the commands (did you mean 'verify'?)"},
    {"PagesWithoutAFolder", {"man", "--all"}, "man: --all needs --out with the folder to write"},
    {"HelpOfNoOperation",
     {"run", "softmx", "--help"},
     "there is no operation 'softmx'; 'kernel-gen run --list' lists all (did you mean 'softmax'?)"},
    {"UnknownShell",
     {"completion", "tcsh"},
     "completion: shell: 'tcsh' is not one of bash, zsh, fish; see 'kernel-gen completion --help'"},
    {"UnknownSchema",
     {"schema", "modul"},
     "schema: name: 'modul' is not one of module, targets, registry; see 'kernel-gen schema --help'"},
};

class CommandLineError : public testing::TestWithParam<Case> {};

TEST_P(CommandLineError, OneLineAndExitCodeTwo) {
  const auto runner = make_process_runner();
  CommandLine command = {KERNELGEN_TOOL};
  command.insert(command.end(), GetParam().arguments.begin(), GetParam().arguments.end());
  const ProcessResult result = run_process(*runner, command);
  EXPECT_EQ(result.exit_code, 2) << result.outcome();
  EXPECT_EQ(result.err, "kernel-gen: error: " + GetParam().error + "\n");
  EXPECT_EQ(result.out, "");
}

INSTANTIATE_TEST_SUITE_P(Cases, CommandLineError, testing::ValuesIn(cases),
                         [](const auto& info) { return info.param.name; });

TEST(CommandLine, AMissingCompilerIsNamedWithItsPackage) {
  const auto runner = make_process_runner();
  const ProcessResult result = run_process(*runner, {"/usr/bin/env", "PATH=/nowhere", KERNELGEN_TOOL, "build",
                                                     "--target", "cpu-x86-64-v3", "--out", "never"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err,
            "kernel-gen: error: cpu-x86-64-v3 cannot be built: no clang++ from version 15 on is in PATH; apt "
            "install clang-19 lld-19\n");
}

TEST(CommandLine, AnOutFolderThatCannotBeMade) {
  const auto runner = make_process_runner();
  const ProcessResult result =
      run_process(*runner, {KERNELGEN_TOOL, "build", "--target", "cpu", "--out", "/proc/never"});
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_EQ(result.err.rfind("kernel-gen: error: --out /proc/never: cannot make directory ", 0), 0u)
      << result.err;
}

TEST(CommandLine, ACompilersErrorNamesThePlaceInTheManifest) {
  RealDisk disk;
  const test::TemporaryFolder temporary("place");
  const std::string folder = temporary.path().string();
  disk.write_atomically(folder + "/wrong.json", R"json({
  "module": "wrong", "header": "elementwise/map.hpp",
  "operations": [
    {"op": "one", "inputs": ["x: f32"], "output": "f32",
     "expr": "~x"},
    {"op": "two", "inputs": ["x: f32"], "output": "f32",
     "forms": {"any": {
       "args": ["x: const f32*", "y: f32*", "a_long_name: u64", "another_long_name: u64", "a_third_long_name: u64"],
       "body": "no_such_form(x, y)"}}}],
  "symbols": [
    {"name": "three", "args": ["y: f32*"], "body": "no_such_symbol(y)"}]
})json");
  const auto runner = make_process_runner();
  const ProcessResult result =
      run_process(*runner, {KERNELGEN_TOOL, "build", "--manifests", folder, "--target", "cpu-x86-64-v3",
                            "--out", folder + "/package"});
  EXPECT_EQ(result.exit_code, 1);
  for (const char* place : {"wrong.json:5:50: error: invalid argument type 'float'",
                            "wrong.json:9:3: error: use of undeclared identifier 'no_such_form'",
                            "wrong.json:11:49: error: use of undeclared identifier 'no_such_symbol'"})
    EXPECT_NE(result.err.find(place), std::string::npos) << place << "\nin\n" << result.err;
}

/// All that `kernel-gen --help` lists.
std::vector<std::string> all_commands(ProcessRunner& runner) {
  std::vector<std::string> names;
  std::istringstream lines(run_process(runner, {KERNELGEN_TOOL, "--help"}).out);
  for (std::string line; std::getline(lines, line);)
    if (line.size() > 2 && line.starts_with("  ") && std::islower(static_cast<unsigned char>(line[2])))
      names.push_back(line.substr(2, line.find(' ', 2) - 2));
  return names;
}

TEST(CommandLine, HelpTeachesByExample) {
  const auto runner = make_process_runner();
  const std::vector<std::string> commands = all_commands(*runner);
  EXPECT_GT(commands.size(), 12u);
  for (const std::string& command : commands) {
    const ProcessResult result = run_process(*runner, {KERNELGEN_TOOL, command, "--help"});
    EXPECT_TRUE(result.ok()) << command;
    EXPECT_NE(result.out.find("kernel-gen " + command), std::string::npos) << command;
    EXPECT_NE(result.out.find("Example"), std::string::npos) << command;
    EXPECT_EQ(run_process(*runner, {KERNELGEN_TOOL, "help", command}).out, result.out) << command;
  }
  EXPECT_EQ(run_process(*runner, {KERNELGEN_TOOL, "help"}).out,
            run_process(*runner, {KERNELGEN_TOOL, "--help"}).out);
}

TEST(CommandLine, HelpOfAnOperationNeedsNoPackage) {
  const auto runner = make_process_runner();
  for (const auto& [operation, part] :
       {std::pair{"attention", "alibi_slopes"}, {"affine", "mul"}, {"sum", "keep_dims=false"}}) {
    const ProcessResult result = run_process(*runner, {KERNELGEN_TOOL, "run", operation, "--help"});
    EXPECT_TRUE(result.ok()) << result.err;
    EXPECT_NE(result.out.find(part), std::string::npos) << result.out;
  }
}

TEST(CommandLine, SchemaAndCompletionListTheirNames) {
  const auto runner = make_process_runner();
  for (const auto& [command, names] : {std::pair{"schema", std::vector{"module", "targets", "registry"}},
                                       {"completion", {"bash", "zsh", "fish"}}}) {
    const ProcessResult result = run_process(*runner, {KERNELGEN_TOOL, command});
    EXPECT_TRUE(result.ok()) << result.err;
    for (const char* name : names) EXPECT_NE(result.out.find(name), std::string::npos) << result.out;
  }
}

TEST(CommandLine, TellsItsVersion) {
  const auto runner = make_process_runner();
  const ProcessResult result = run_process(*runner, {KERNELGEN_TOOL, "--version"});
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.out.rfind("kernel-gen ", 0), 0u);
  const ProcessResult more = run_process(*runner, {KERNELGEN_TOOL, "version"});
  EXPECT_EQ(more.out.rfind(result.out + "package format ", 0), 0u) << more.out;
  const auto json = nlohmann::json::parse(run_process(*runner, {KERNELGEN_TOOL, "version", "--json"}).out);
  EXPECT_EQ("kernel-gen " + json["kernel-gen"].get<std::string>() + "\n", result.out);
  EXPECT_TRUE(json["package_format"].is_number_unsigned());
}

}  // namespace
}  // namespace kernelgen::tool
