#include "commands/manual.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "base/fault.hpp"
#include "base/version.hpp"

namespace kernelgen::tool {
namespace {

/// Text as it stands between requests: none may begin with what begins one, and hyphens of options are no dashes.
std::string plain(std::string_view text) {
  std::string result = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (const char c : text) {
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
  }
  return result;
}

std::string bold(std::string_view text) { return fmt::format("\\fB{}\\fR", plain(text)); }
std::string italic(std::string_view text) { return fmt::format("\\fI{}\\fR", plain(text)); }

/// Without a date: the same program writes the same bytes every day.
std::string begin(std::string_view page, std::string_view summary) {
  std::string title(page);
  std::transform(title.begin(), title.end(), title.begin(), [](unsigned char c) { return std::toupper(c); });
  return fmt::format(".TH {} 1 \"\" \"kernel\\-gen {}\" \"kernel\\-gen\"\n.SH NAME\n{} \\- {}\n",
                     plain(title), version, plain(page), plain(summary));
}

std::string section(std::string_view name) { return fmt::format(".SH {}\n", name); }

std::string paragraphs(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines)
    text += fmt::format("{}{}\n", text.empty() ? "" : ".PP\n", plain(line));
  return text;
}

std::string options(const std::vector<OptionEntry>& entries) {
  std::string text = section("OPTIONS");
  for (const OptionEntry& option : entries) {
    std::vector<std::string> names;
    for (const std::string& name : option.names) names.push_back(bold(name));
    if (option.is_positional()) names.push_back(italic(option.value));
    text += fmt::format(".TP\n{}", fmt::join(names, ", "));
    if (!option.is_positional() && !option.value.empty()) text += " " + italic(option.value);
    text += fmt::format("\n{}", plain(option.description));
    if (option.is_positional() && !option.choices.empty())
      text += plain(fmt::format("; one of {}", fmt::join(option.choices, ", ")));
    if (!option.otherwise.empty()) text += plain(fmt::format(" (default: {})", option.otherwise));
    text += ".\n";
  }
  return text;
}

std::string exit_status() {
  std::string text = section("EXIT STATUS");
  constexpr std::pair<const char*, const char*> codes[] = {
      {"0", "All went well."},
      {"1",
       "The work was understood but failed: a kernel that does not compile, a check that finds something, "
       "output "
       "that cannot be written."},
      {"2", "Bad input or usage; the message says where and what would work."},
      {"128+N", "Ended by signal N."}};
  for (const auto& [code, meaning] : codes) text += fmt::format(".TP\n{}\n{}\n", bold(code), meaning);
  return text;
}

std::string page_of(const CommandTable& table, const CommandEntry& command) {
  return table.program + "-" + command.name;
}

std::string synopsis(const CommandTable& table, const CommandEntry& command) {
  std::string text =
      section("SYNOPSIS") + bold(table.program + " " + command.name) + " [" + italic("options") + "]";
  for (const OptionEntry& option : command.options) {
    if (!option.is_positional()) continue;
    const std::string name = italic(option.value) + (option.is_list ? "..." : "");
    text += option.is_required ? " " + name : fmt::format(" [{}]", name);
  }
  return text + "\n";
}

}  // namespace

std::string manual_page(const CommandTable& table, const CommandEntry& command) {
  std::string text = begin(page_of(table, command), command.summary) + synopsis(table, command);
  if (!command.notes.empty()) text += section("DESCRIPTION") + paragraphs(command.notes);
  text += options(command.options);
  if (!command.examples.empty()) {
    text += section("EXAMPLES") + ".nf\n";
    for (const std::string& example : command.examples) text += plain(example) + "\n";
    text += ".fi\n";
  }
  return text + exit_status() + section("SEE ALSO") + fmt::format(".BR {} (1)\n", plain(table.program));
}

std::string manual_page(const CommandTable& table) {
  std::string text = begin(table.program, table.summary);
  text += section("SYNOPSIS") + bold(table.program) + " " + italic("command") + " [" + italic("options") +
          "]\n" + options(table.options) + section("COMMANDS");
  std::vector<std::string> pages;
  for (const CommandEntry& command : table.commands) {
    text += fmt::format(".TP\n{}\n{}.\n", bold(command.name), plain(command.summary));
    pages.push_back(fmt::format(".BR {} (1)", plain(page_of(table, command))));
  }
  return text + exit_status() + section("SEE ALSO") + fmt::format("{}\n", fmt::join(pages, " ,\n"));
}

void write_manual(const CommandTable& table, const std::filesystem::path& folder, Disk& disk) {
  disk.make_dirs(folder);
  disk.write_atomically(folder / (table.program + ".1"), manual_page(table));
  for (const CommandEntry& command : table.commands)
    disk.write_atomically(folder / (page_of(table, command) + ".1"), manual_page(table, command));
}

}  // namespace kernelgen::tool
