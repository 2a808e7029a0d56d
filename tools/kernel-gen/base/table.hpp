#pragma once
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace kernelgen::tool {

/// Columns for people: each as wide as its widest cell, numbers to the right, control characters spelled out.
class Table {
 public:
  explicit Table(std::vector<std::string> head) { add(std::move(head)); }
  void add(std::vector<std::string> row);
  void print(std::FILE* out) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// "812 B", "3.1 KiB", "12.0 MiB"
std::string spell_bytes(std::uint64_t bytes);

/// "1 kernel", "2 kernels"
std::string spell_count(std::size_t count, const char* thing);

}  // namespace kernelgen::tool
