#pragma once
#include <cstdio>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "run/runnable.hpp"

/// The command line of an operation.
namespace kernelgen::tool {

/// "kernel-gen run matmul --in a.npy --in b.npy --out y.npy": a valid command line.
std::string example_line(const Runnable& runnable);

/// The inputs, parameters, outputs and an example of one operation, in several lines.
std::string usage_of(const Runnable& runnable);

/// One row for each operation.
void print_runnables(std::span<const Runnable> runnables, std::FILE* out);
nlohmann::ordered_json to_json(std::span<const Runnable> runnables);

}  // namespace kernelgen::tool
