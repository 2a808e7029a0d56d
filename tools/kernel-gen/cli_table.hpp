#pragma once
#include "commands/command_table.hpp"

namespace CLI {
class App;
}

namespace kernelgen::tool {

/// What the parser knows of itself. Call it when all commands are there.
CommandTable command_table(const CLI::App& app);

}  // namespace kernelgen::tool
