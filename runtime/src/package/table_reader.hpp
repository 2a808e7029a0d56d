#pragma once
#include "common/format.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "kernelgen/error.hpp"
#include "kernelgen/package_format.h"

namespace kernelgen {

/// Turns (offset, count) pairs of untrusted bytes into spans, or throws Error(bad_package) naming the package
/// and the table.
class TableReader {
 public:
  explicit TableReader(std::string_view origin) : origin_(origin) {}

  /// Sets the bytes that tables are read from; empty before.
  void set_bytes(std::span<const std::byte> bytes) { bytes_ = bytes; }

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw Error(Code::bad_package, formatted("{}: {}; build the package again with `kernel-gen build`",
                                             origin_, formatted(format, std::forward<Args>(args)...)));
  }

  template <class... Args>
  void require(bool holds, fmt::format_string<Args...> format, Args&&... args) const {
    if (!holds) fail(format, std::forward<Args>(args)...);
  }

  /// True if [first, first + count) is within [0, size); never overflows.
  static bool in_range(std::uint64_t first, std::uint64_t count, std::uint64_t size) {
    return first <= size && count <= size - first;
  }

  template <class Record>
  std::span<const Record> read(const kernelgen_table& table, std::string_view name) const {
    if (table.count == 0) return {};
    // Ids are 32 bits and KERNELGEN_NO_KERNEL is taken; this also keeps count * sizeof(Record) from
    // overflowing.
    require(table.count < KERNELGEN_NO_KERNEL, "table {} claims {} records", name, table.count);
    require(table.offset % 8 == 0, "table {} starts at offset {}, which is not a multiple of 8", name,
            table.offset);
    require(in_range(table.offset, table.count * sizeof(Record), bytes_.size()),
            "table {} ({} records of {} bytes at offset {}) is outside the tables' {} bytes", name,
            table.count, sizeof(Record), table.offset, bytes_.size());
    return {reinterpret_cast<const Record*>(bytes_.data() + table.offset), table.count};
  }

 private:
  std::span<const std::byte> bytes_;
  std::string_view origin_;
};

}  // namespace kernelgen
