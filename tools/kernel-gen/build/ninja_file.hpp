#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/process.hpp"

namespace kernelgen::tool {

/// A command that makes files of files, for executors that read build.ninja.
struct NinjaStep {
  enum class Kind {
    compile,  ///< writes a depfile
    work,
    plan  ///< writes the build.ninja itself
  };
  Kind kind = Kind::work;
  std::vector<std::filesystem::path> outputs;
  std::vector<std::filesystem::path> inputs;
  std::vector<std::filesystem::path> tools;  ///< what it also depends on: programs, bitcode
  std::vector<std::string> variables;        ///< of its environment: "NAME=VALUE"
  CommandLine command;
  std::filesystem::path depfile;
  std::string description;
};

/// The text of a build.ninja. No name in it may hold a line end; throws BadInput where one does.
std::string write_ninja(const std::vector<NinjaStep>& steps);

}  // namespace kernelgen::tool
