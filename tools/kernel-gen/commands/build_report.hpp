#pragma once
#include <cstdio>
#include <span>
#include <vector>

#include "build/build.hpp"
#include "manifest/node.hpp"

namespace kernelgen::tool {

/// What a build tells of a package: kernels, modules, bytes, and a row for each target.
Json summarize(const KernelSet& set, std::span<const BuiltTarget> targets, std::span<const TargetTools> tools,
               std::size_t package_bytes);

/// A line, then a table of the targets.
void print_summary(const std::string& package, const Json& summary, std::FILE* out);

/// A line for each object: "gfx90a reduce.sum: up to date", or why it is compiled.
void print_reasons(std::span<const CompileJob> jobs, std::span<const ObjectRow> rows, std::FILE* out);

/// The command line of each object that is not there yet.
void print_commands(std::span<const CompileJob> jobs, std::span<const ObjectRow> rows, std::FILE* out);

/// An object each: target, module, state ("cached", "pending", "compiled"), why, seconds.
Json objects_json(std::span<const CompileJob> jobs, std::span<const ObjectRow> rows);

}  // namespace kernelgen::tool
