#pragma once
#include <cstdio>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "run/runnable.hpp"

/// How an operation is written behind `kernel-gen run`.
namespace kernelgen::tool {

/// "kernel-gen run matmul --in a.npy --in b.npy --out y.npy": a line that would be taken.
std::string example_line(const Runnable& runnable);

/// All about one operation, in several lines.
std::string usage_of(const Runnable& runnable);

/// A row an operation.
void print_runnables(std::span<const Runnable> runnables, std::FILE* out);
nlohmann::ordered_json to_json(std::span<const Runnable> runnables);

}  // namespace kernelgen::tool
