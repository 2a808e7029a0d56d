#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

/// The command line of a program in this folder: options ("--name value", "--name" alone for flags) and other words.
/// The program reads each once; finish() then refuses those that it did not read.
class CommandLine {
 public:
  CommandLine(int argc, char** argv, const std::vector<std::string>& flags);

  bool flag(const std::string& name);
  std::string text(const std::string& name, const std::string& absent);
  /// Throws std::invalid_argument for what is not a number from `least` to `most`.
  std::int64_t integer(const std::string& name, std::int64_t absent, std::int64_t least, std::int64_t most);
  double real(const std::string& name, double absent, double least, double most);
  /// The words that are no options.
  std::vector<std::string> words();
  /// Throws std::invalid_argument naming an option that is not known.
  void finish() const;

 private:
  std::map<std::string, std::string> options_;
  std::vector<std::string> words_;
};
