#pragma once
#include <string>
#include <vector>

namespace kernelgen::tool {

/// An option of a command, or one of its positional arguments.
struct OptionEntry {
  std::vector<std::string> names;  ///< "-t", "--target"; empty: positional
  std::string value;               ///< what it takes: "DIR", a positional's name; empty: a flag
  std::string description;
  std::string otherwise;             ///< what holds where it is not given; empty: nothing to say
  std::vector<std::string> choices;  ///< all it takes; empty: anything
  bool is_required = false;
  bool is_list = false;  ///< may be given again
  bool has_commas = false;

  bool is_positional() const { return names.empty(); }
};

struct CommandEntry {
  std::string name;
  std::string group;
  std::string summary;
  std::vector<std::string> notes;     ///< lines about it
  std::vector<std::string> examples;  ///< command lines
  std::vector<OptionEntry> options;
};

/// The command line as data: what completions and manual pages are made from.
struct CommandTable {
  std::string program;
  std::string summary;
  std::vector<OptionEntry> options;
  std::vector<CommandEntry> commands;
};

}  // namespace kernelgen::tool
