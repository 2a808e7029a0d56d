#pragma once
#include <cstdio>
#include <string>

#include "commands/command_table.hpp"

namespace kernelgen::tool {

/// Prints the shells, with the command that installs the script of each.
void list_shells(std::FILE* out);

/// A script that completes commands, options and what they take, in the language of a shell. Targets and operations are
/// asked of the program itself when they are completed.
std::string bash_completion(const CommandTable& table);
std::string zsh_completion(const CommandTable& table);
std::string fish_completion(const CommandTable& table);

}  // namespace kernelgen::tool
