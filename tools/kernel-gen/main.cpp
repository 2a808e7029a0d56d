#include "cli.hpp"

int main(int argc, char** argv) { return kernelgen::tool::run_command_line(argc, argv); }
