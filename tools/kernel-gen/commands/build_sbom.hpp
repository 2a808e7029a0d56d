#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "base/environment.hpp"
#include "build/plan.hpp"
#include "build/read_files.hpp"
#include "commands/build_inputs.hpp"

namespace kernelgen::tool {

/// The time that documents are dated with: SOURCE_DATE_EPOCH, else now; seconds since 1970. Throws BadInput.
std::int64_t document_time(const Environment& environment, const Disk& disk);

/// The inputs of the package in options.out; `reads` are the names of all files that compiles read. Throws DiskError.
Json build_sbom(const BuildOptions& options, const BuildInputs& inputs, const PlannedJobs& planned,
                const ReadFiles& files, const std::vector<std::string>& reads, std::int64_t time,
                const Disk& disk);

}  // namespace kernelgen::tool
