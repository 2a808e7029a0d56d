#pragma once
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "binary/binary.hpp"
#include "commands/inspect.hpp"
#include "kernelgen/package.hpp"

namespace kernelgen::tool {

/// Bytes of a package and what they are.
struct ByteRange {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::string what;
};

/// All bytes of a package, first to last, in ranges that leave nothing out; compressed tables are one. What is neither the header, nor a table's, nor
/// a blob's is padding where it is zeros up to an alignment, else "bytes of nothing"; a range that begins before the
/// one before it has ended says so. No package that a build wrote has either.
std::vector<ByteRange> annotate(const Package& package);

/// The same of a file of others: its code objects, and what is none. Packed code objects that share bytes share a range.
std::vector<ByteRange> annotate(const Binary& binary);

/// `kernel-gen inspect --annotate`. Throws BadInput, Error(bad_package), DiskError.
int run_inspect_annotate(const InspectOptions& options, const Disk& disk, std::FILE* out);

}  // namespace kernelgen::tool
