#pragma once
#include <map>

#include "base/process.hpp"

namespace kernelgen::tool {

/// Programs asked about themselves: each command runs once, and its answer is kept.
class Questions {
 public:
  explicit Questions(ProcessRunner& runner) : runner_(runner) {}

  const ProcessResult& ask(const CommandLine& command) {
    const auto known = answers_.find(command);
    if (known != answers_.end()) return known->second;
    return answers_.emplace(command, run_process(runner_, command)).first->second;
  }

 private:
  ProcessRunner& runner_;
  std::map<CommandLine, ProcessResult> answers_;
};

}  // namespace kernelgen::tool
