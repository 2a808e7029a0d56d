#include "emit/kernel_tables.hpp"

#include <array>
#include <map>

namespace kernelgen::tool {
namespace {

std::uint32_t count_of(std::size_t n) { return static_cast<std::uint32_t>(n); }

class Maker {
 public:
  explicit Maker(const KernelSet& set) : set_(set) {}

  KernelTables run() {
    for (const Module& module : set_.modules)
      tables_.modules.push_back(
          {tables_.strings.add(module.name), module.first_kernel, module.kernel_count, 0});
    for (const Kernel& kernel : set_.kernels)
      tables_.kernels.push_back({tables_.strings.add(kernel.name), kernel.module, add_arguments(kernel),
                                 count_of(kernel.arguments.size()), kernel.kernarg_bytes, kernel.block});
    return std::move(tables_);
  }

 private:
  using Row = std::array<std::uint32_t, 6>;

  /// Adds the kernel's arguments, unless the same list exists. Returns the index of the first.
  std::uint32_t add_arguments(const Kernel& kernel) {
    std::vector<Row> rows;
    for (const Argument& argument : kernel.arguments)
      rows.push_back({tables_.strings.add(argument.name), tables_.strings.add(argument.type), argument.offset,
                      argument.size, argument.is_pointer ? 1u : 0u, argument.is_written ? 1u : 0u});
    const auto [entry, is_new] = lists_.try_emplace(rows, count_of(tables_.arguments.size()));
    if (is_new)
      for (const Row& row : rows)
        tables_.arguments.push_back({row[0], row[1], row[2], row[3], row[4], row[5]});
    return entry->second;
  }

  const KernelSet& set_;
  std::map<std::vector<Row>, std::uint32_t> lists_;
  KernelTables tables_;
};

}  // namespace

KernelTables make_kernel_tables(const KernelSet& set) { return Maker(set).run(); }

}  // namespace kernelgen::tool
