#include "commands/completion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "base/table.hpp"

namespace kernelgen::tool {
namespace {

/// What the shell is to offer for a value.
enum class Offer { nothing, files, folders, words };

constexpr std::string_view list_targets =
    "kernel-gen targets 2>/dev/null | awk 'NF && $1 != \"target\" && $1 != \"group\" {print $1}'";
constexpr std::string_view list_operations = "kernel-gen ls 2>/dev/null | awk 'NR > 1 {print $1}'";

Offer offer_of(const OptionEntry& option) {
  if (!option.choices.empty() || option.value == "TARGETS" || option.value == "operation")
    return Offer::words;
  if (option.value == "DIR") return Offer::folders;
  if (option.value == "FILE" || option.value == "PATH" || (option.is_positional() && option.value != "name"))
    return Offer::files;
  return Offer::nothing;
}

/// A command of the shell that prints the words; of POSIX, so that all three take it.
std::string list_of(const OptionEntry& option) {
  if (option.value == "TARGETS") return std::string(list_targets);
  if (option.value == "operation") return std::string(list_operations);
  return fmt::format("printf '%s\\n' {}", fmt::join(option.choices, " "));
}

std::string heading(const CommandTable& table, std::string_view shell) {
  return fmt::format("# Completion of {} for {}, made by '{} completion {}'.\n", table.program, shell,
                     table.program, shell);
}

/// The text between single quotes.
std::string quoted(std::string_view text, std::string_view quote) {
  std::string result;
  for (const char c : text) {
    if (c == '\'')
      result += quote;
    else
      result += c;
  }
  return result;
}

std::vector<std::string> names_of(const std::vector<OptionEntry>& options) {
  std::vector<std::string> names;
  for (const OptionEntry& option : options)
    names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

std::vector<std::string> names_of(const std::vector<CommandEntry>& commands) {
  std::vector<std::string> names;
  for (const CommandEntry& command : commands) names.push_back(command.name);
  return names;
}

/// The lines of a case of bash that offer a value, "current" being what is there of it.
std::string bash_offer(const OptionEntry& option) {
  switch (offer_of(option)) {
    case Offer::words:
      return fmt::format(
          "mapfile -t COMPREPLY < <(compgen -P \"$before\" -W \"$({})\" -- \"${{current##*,}}\")",
          list_of(option));
    case Offer::folders:
      return "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- \"$current\")";
    case Offer::files:
      return "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$current\")";
    case Offer::nothing:
      break;
  }
  return ":";
}

/// "'(-t --target)'{-t,--target}'[Targets]:TARGETS:->…'", as _arguments takes it.
std::string zsh_argument(const OptionEntry& option, std::size_t position) {
  const auto plain = [](std::string_view text) {
    std::string result;
    for (const char c : quoted(text, "'\\''")) {
      if (c == '[' || c == ']' || c == ':') result += '\\';
      result += c;
    }
    return result;
  };
  std::string action = " ";
  switch (offer_of(option)) {
    case Offer::words:
      action = fmt::format("{{_kernel_gen_words \"$({})\"}}", quoted(list_of(option), "'\\''"));
      break;
    case Offer::folders:
      action = "_files -/";
      break;
    case Offer::files:
      action = "_files";
      break;
    case Offer::nothing:
      break;
  }
  if (option.is_positional())
    return fmt::format("'{}{}:{}'", option.is_list ? "*:" : fmt::format("{}:", position),
                       plain(option.description), action);
  const std::string value = option.value.empty() ? "" : fmt::format(":{}:{}", plain(option.value), action);
  std::string spec = option.is_list ? "'*'" : fmt::format("'({})'", fmt::join(option.names, " "));
  spec += option.names.size() == 1 ? option.names[0] : fmt::format("{{{}}}", fmt::join(option.names, ","));
  return fmt::format("{}'[{}]{}'", spec, plain(option.description), value);
}

}  // namespace

void list_shells(std::FILE* out) {
  Table table({"shell", "to install"});
  table.add({"bash", "source <(kernel-gen completion bash)"});
  table.add({"zsh", "source <(kernel-gen completion zsh)"});
  table.add({"fish", "kernel-gen completion fish > ~/.config/fish/completions/kernel-gen.fish"});
  table.print(out);
}

std::string bash_completion(const CommandTable& table) {
  std::string values, words;
  for (const CommandEntry& command : table.commands) {
    std::string positional = ":";
    for (const OptionEntry& option : command.options) {
      if (option.is_positional()) {
        if (positional == ":") positional = bash_offer(option);
        continue;
      }
      if (option.value.empty()) continue;
      std::vector<std::string> patterns;
      for (const std::string& name : option.names) patterns.push_back(command.name + ":" + name);
      values += fmt::format("    {}) {}; return ;;\n", fmt::join(patterns, " | "), bash_offer(option));
    }
    words += fmt::format("    {})\n      options='{}'\n      [[ $current == -* ]] || {{ {}; }}\n      ;;\n",
                         command.name, fmt::join(names_of(command.options), " "), positional);
  }
  return heading(table, "bash") + fmt::format(R"(_kernel_gen() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} options='' before=''
  # "--option=value" comes as three words.
  if [[ $current == = ]]; then
    current=''
  elif [[ $previous == = ]]; then
    previous=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  [[ $current == *,* ]] && before=${{current%,*}},
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W '{} {}' -- "$current")
    return
  fi
  case ${{COMP_WORDS[1]}}:$previous in
{}  esac
  case ${{COMP_WORDS[1]}} in
{}  esac
  [[ $current == -* ]] && mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
}}
complete -F _kernel_gen {}
)",
                                              fmt::join(names_of(table.commands), " "),
                                              fmt::join(names_of(table.options), " "), values, words,
                                              table.program);
}

std::string zsh_completion(const CommandTable& table) {
  std::string commands, cases;
  for (const CommandEntry& command : table.commands) {
    commands += fmt::format("      '{}:{}'\n", command.name, quoted(command.summary, "'\\''"));
    cases += fmt::format("    {})\n      _arguments", command.name);
    std::size_t position = 1;
    for (const OptionEntry& option : command.options)
      cases += fmt::format(" \\\n        {}", zsh_argument(option, option.is_positional() ? position++ : 0));
    cases += "\n      ;;\n";
  }
  return fmt::format("#compdef {}\n", table.program) + heading(table, "zsh") +
         fmt::format(R"(_kernel_gen_words() {{
  local -a words=(${{(f)1}})
  _sequence compadd - $words
}}
_kernel_gen() {{
  if ((CURRENT == 2)); then
    local -a commands=(
{}    )
    _describe command commands
    return
  fi
  shift words
  ((CURRENT--))
  case $words[1] in
{}  esac
}}
if [ "$funcstack[1]" = _kernel_gen ]; then _kernel_gen "$@"; else compdef _kernel_gen {}; fi
)",
                     commands, cases, table.program);
}

std::string fish_completion(const CommandTable& table) {
  std::string text =
      heading(table, "fish") + fmt::format("function _kernel_gen_targets\n  {}\nend\ncomplete -c {} -f\n",
                                           list_targets, table.program);
  for (const CommandEntry& command : table.commands)
    text += fmt::format("complete -c {} -n __fish_use_subcommand -a {} -d '{}'\n", table.program,
                        command.name, quoted(command.summary, "\\'"));
  for (const CommandEntry& command : table.commands)
    for (const OptionEntry& option : command.options) {
      text += fmt::format("complete -c {} -n '__fish_seen_subcommand_from {}'", table.program, command.name);
      for (const std::string& name : option.names)
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      switch (offer_of(option)) {
        case Offer::words:
          // Lists with commas are completed by a function of fish that takes a command.
          text += fmt::format(" -x -a '({}{})'", option.has_commas ? "__fish_complete_list , " : "",
                              quoted(option.has_commas ? "_kernel_gen_targets" : list_of(option), "\\'"));
          break;
        case Offer::folders:
          text += " -x -a '(__fish_complete_directories)'";
          break;
        case Offer::files:
          text += option.is_positional() ? " -F" : " -r -F";
          break;
        case Offer::nothing:
          if (!option.value.empty() && !option.is_positional()) text += " -x";
          break;
      }
      text += fmt::format(" -d '{}'\n", quoted(option.description, "\\'"));
    }
  return text;
}

}  // namespace kernelgen::tool
