#pragma once
#include <algorithm>
#include <csignal>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/process.hpp"

namespace kernelgen::tool {

/// Runs no program: a test says what each would have answered.
class FakeProcessRunner final : public ProcessRunner {
 public:
  using Answer = std::function<ProcessResult(const CommandLine&)>;
  explicit FakeProcessRunner(Answer answer) : answer_(std::move(answer)) {}

  std::uint64_t start(const CommandLine& command) override {
    commands.push_back(command);
    waiting_.push_back(answer_(command));
    waiting_.back().id = commands.size();
    most_at_once = std::max(most_at_once, waiting_.size());
    return waiting_.back().id;
  }
  /// The last one started ends first, so that nothing can lean on the order.
  std::optional<ProcessResult> wait_any(int /*descriptor*/ = -1) override {
    if (waiting_.empty() || interrupted() != 0) return std::nullopt;
    ProcessResult result = std::move(waiting_.back());
    waiting_.pop_back();
    return result;
  }
  void cancel() override { waiting_.clear(); }
  int interrupted() const override {
    return interrupt_after != 0 && commands.size() >= interrupt_after ? SIGINT : 0;
  }
  void pause(std::chrono::milliseconds /*time*/) override {}
  void set_variable(const std::string& name, const std::string& value) override { variables[name] = value; }

  std::vector<CommandLine> commands;
  std::map<std::string, std::string> variables;
  std::size_t most_at_once = 0;
  std::size_t interrupt_after = 0;  ///< 0: never

 private:
  Answer answer_;
  std::vector<ProcessResult> waiting_;
};

inline ProcessResult success(std::string out = "") {
  ProcessResult result;
  result.exit_code = 0;
  result.out = std::move(out);
  return result;
}

inline ProcessResult failure(std::string err) {
  ProcessResult result;
  result.exit_code = 1;
  result.err = std::move(err);
  return result;
}

/// The value after `flag` ("-o") in a command.
inline std::string value_of(const CommandLine& command, const std::string& flag) {
  for (std::size_t i = 0; i + 1 < command.size(); ++i)
    if (command[i] == flag) return command[i + 1];
  return {};
}

}  // namespace kernelgen::tool
