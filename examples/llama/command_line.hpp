#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

/// What a program of this folder was called with: options ("--name value", "--name" alone for flags) and other words.
/// Each is asked for once; finish() then refuses what nobody asked for.
class CommandLine {
 public:
  CommandLine(int argc, char** argv, const std::vector<std::string>& flags);

  bool flag(const std::string& name);
  std::string text(const std::string& name, const std::string& absent);
  /// Throws std::invalid_argument for what is no number from `least` to `most`.
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
