#include "cli_table.hpp"

#include <CLI/CLI.hpp>
#include <sstream>
#include <string_view>

namespace kernelgen::tool {
namespace {

/// CLI11 shows what an option takes as "TEXT:{clang,hipcc}".
std::vector<std::string> choices_of(const std::string& type) {
  std::vector<std::string> choices;
  const std::size_t open = type.find(":{");
  if (open == std::string::npos) return choices;
  std::istringstream words(type.substr(open + 2, type.find('}', open) - open - 2));
  for (std::string word; std::getline(words, word, ',');) choices.push_back(word);
  return choices;
}

OptionEntry entry_of(const CLI::Option& option) {
  OptionEntry entry;
  for (const std::string& name : option.get_snames()) entry.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) entry.names.push_back("--" + name);
  const std::string type = option.get_type_name();
  if (entry.is_positional())
    entry.value = option.get_single_name();
  else if (option.get_type_size() != 0)
    entry.value = type.substr(0, type.find(':'));
  entry.description = option.get_description();
  entry.otherwise = option.get_default_str();
  entry.choices = choices_of(type);
  if (!entry.is_positional() && !entry.choices.empty()) entry.value = CLI::detail::join(entry.choices, "|");
  entry.is_required = option.get_required();
  entry.is_list = option.get_items_expected_max() > 1;
  entry.has_commas = option.get_delimiter() != '\0';
  return entry;
}

std::vector<OptionEntry> options_of(const CLI::App& app) {
  std::vector<OptionEntry> entries;
  for (const CLI::Option* option : app.get_options()) entries.push_back(entry_of(*option));
  return entries;
}

/// A command's footer contains examples, one a line, and notes.
void read_footer(const std::string& footer, CommandEntry& entry) {
  constexpr std::string_view heading = "Examples:", single = "Example: ", indent = "  ";
  std::istringstream lines(footer);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(single))
      entry.examples.push_back(line.substr(single.size()));
    else if (line.starts_with(indent))
      entry.examples.push_back(line.substr(indent.size()));
    else if (!line.empty() && line != heading)
      entry.notes.push_back(line);
  }
}

}  // namespace

CommandTable command_table(const CLI::App& app) {
  CommandTable table{app.get_name(), app.get_description(), options_of(app), {}};
  for (const CLI::App* command : app.get_subcommands({})) {
    CommandEntry& entry = table.commands.emplace_back();
    entry.name = command->get_name();
    entry.group = command->get_group();
    entry.summary = command->get_description();
    entry.options = options_of(*command);
    read_footer(command->get_footer(), entry);
  }
  // Commands that tell about commands take those there are.
  for (CommandEntry& command : table.commands)
    for (OptionEntry& option : command.options)
      if (option.is_positional() && option.value == "command")
        for (const CommandEntry& other : table.commands) option.choices.push_back(other.name);
  return table;
}

}  // namespace kernelgen::tool
