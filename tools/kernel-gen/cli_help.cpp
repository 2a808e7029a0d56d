/// The commands about kernel-gen itself.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>

#include "base/fault.hpp"
#include "cli_session.hpp"
#include "cli_table.hpp"
#include "cli_values.hpp"
#include "commands/completion.hpp"
#include "commands/manual.hpp"
#include "commands/schema.hpp"
#include "commands/version.hpp"
#include "common/suggest.hpp"

namespace kernelgen::tool {

namespace {

constexpr const char* group = "Help";

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

/// The command of that name. Throws BadInput.
const CLI::App& find_command(const CLI::App& app, const std::string& name) {
  const std::vector<std::string> names = command_names(app);
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw BadInput(Fault{"", "", unknown_command(name), nearest(name, names)});
  return *app.get_subcommand(name);
}

void add_help(CLI::App& app, Session& session) {
  auto* command =
      app.add_subcommand("help", "List the commands, or show the options and examples of one")->group(group);
  command->footer("Examples:\n  kernel-gen help\n  kernel-gen help build");
  auto name = std::make_shared<std::string>();
  command->add_option("command", *name, "The command; without it all commands are listed");
  command->callback([&app, &session, name] {
    session.command = [&app, name] {
      // CLI::App::help() would show the parsed command, which is this one.
      fmt::print("{}", name->empty()
                           ? app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal)
                           : find_command(app, *name).help(app.get_name()));
      return exit_ok;
    };
  });
}

void add_man(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("man", "Print the manual page of a command")->group(group);
  command->footer(
      "Without a command it prints the page of kernel-gen itself.\n"
      "Examples:\n"
      "  kernel-gen man build | man -l -\n"
      "  kernel-gen man --all --out share/man/man1");
  struct Options {
    std::string command;
    bool all = false;
    std::string out;
  };
  auto options = std::make_shared<Options>();
  command->add_option("command", options->command, "The command; without it kernel-gen itself");
  auto* all = command->add_flag("--all", options->all, "Write all pages into the folder given with --out");
  command->add_option("--out,-o", options->out, "Folder for all pages")->type_name("DIR")->needs(all);
  command->callback([&app, &session, options] {
    session.command = [&app, &session, options] {
      const CommandTable table = command_table(app);
      if (options->all) {
        if (options->out.empty())
          throw BadInput(Fault{"", "", "man: --all needs --out with the folder to write", {}});
        write_manual(table, options->out, session.disk);
      } else if (options->command.empty()) {
        fmt::print("{}", manual_page(table));
      } else {
        find_command(app, options->command);
        const auto entry = std::ranges::find(table.commands, options->command, &CommandEntry::name);
        fmt::print("{}", manual_page(table, *entry));
      }
      return exit_ok;
    };
  });
}

void add_completion(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("completion", "Print the completion script of a shell")->group(group);
  command->footer(
      "Examples:\n"
      "  source <(kernel-gen completion bash)\n"
      "  kernel-gen completion fish > ~/.config/fish/completions/kernel-gen.fish");
  auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "The shell; without it all shells are listed")
      ->check(one_of({"bash", "zsh", "fish"}));
  command->callback([&app, &session, shell] {
    session.command = [&app, shell] {
      if (shell->empty()) {
        list_shells(stdout);
        return exit_ok;
      }
      const CommandTable table = command_table(app);
      fmt::print("{}", *shell == "bash"  ? bash_completion(table)
                       : *shell == "zsh" ? zsh_completion(table)
                                         : fish_completion(table));
      return exit_ok;
    };
  });
}

void add_schema(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("schema", "Print the JSON Schema of a kind of file")->group(group);
  command->footer(
      "An editor checks a manifest against the file that its \"$schema\" names.\n"
      "Example: kernel-gen schema module > module.schema.json");
  auto name = std::make_shared<std::string>();
  command->add_option("name", *name, "The kind of file; without it all kinds are listed")
      ->check(one_of({"module", "targets", "registry"}));
  command->callback([&session, name] {
    session.command = [&session, name] {
      if (!name->empty()) return run_schema(*name, session.paths, session.disk, stdout);
      list_schemas(stdout);
      return exit_ok;
    };
  });
}

void add_version(CLI::App& app, Session& session) {
  auto* command =
      app.add_subcommand("version", "Print the versions of the tool, of packages and of LLVM")->group(group);
  command->footer("Example: kernel-gen version --json");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print JSON");
  command->callback([&session, json] { session.command = [json] { return run_version(*json, stdout); }; });
}

}  // namespace

std::string unknown_command(const std::string& name) {
  return fmt::format("unknown command '{}'; 'kernel-gen --help' lists the commands", name);
}

void add_help_commands(CLI::App& app, Session& session) {
  add_help(app, session);
  add_man(app, session);
  add_completion(app, session);
  add_schema(app, session);
  add_version(app, session);
}

}  // namespace kernelgen::tool
