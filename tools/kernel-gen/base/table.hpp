#pragma once
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace kernelgen::tool {

/// Columns for people: each as wide as its widest cell, numbers to the right.
class Table {
 public:
  explicit Table(std::vector<std::string> head) : rows_{std::move(head)} {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  void print(std::FILE* out) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// "812 B", "3.1 KiB", "12.0 MiB"
std::string spell_bytes(std::uint64_t bytes);

/// "1 kernel", "2 kernels"
std::string spell_count(std::size_t count, const char* thing);

}  // namespace kernelgen::tool
