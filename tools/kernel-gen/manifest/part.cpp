#include "manifest/part.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kernelgen::tool {

namespace {

class Cutter {
 public:
  explicit Cutter(const KernelSet& set) : set_(set), out_(set) { out_.modules.clear(); }

  KernelSet run() {
    for (const Module& module : set_.modules) {
      const std::uint32_t end = module.first_kernel + module.kernel_count;
      for (std::uint32_t first = module.first_kernel; first < end;) {
        std::uint32_t next = first + 1;
        while (next < end && set_.kernels[next].operation == set_.kernels[first].operation) ++next;
        cut(module, first, next);
        first = next;
      }
    }
    for (std::size_t i = 0; i < out_.operations.size(); ++i)
      if (!has_kernels_[i]) out_.operations[i].module = module_of_kernels(out_, out_.operations[i]);
    return std::move(out_);
  }

 private:
  /// The kernels of one operation, or of none.
  void cut(const Module& module, std::uint32_t first, std::uint32_t end) {
    const std::uint32_t count = end - first;
    std::string name = module.name;
    const auto operation = set_.kernels[first].operation;
    const std::uint32_t parts = operation ? (count + max_part_kernels - 1) / max_part_kernels : 1;
    if (count != module.kernel_count) {
      if (!operation)
        name += ".by-name";  // which no operation can be called
      else if (set_.operations[*operation].name != module.name)
        name += '.' + set_.operations[*operation].name;
    }
    for (std::uint32_t i = 0; i < parts; ++i)
      add(module, parts == 1 ? name : fmt::format("{}.{}", name, i + 1), first + count * i / parts,
          first + count * (i + 1) / parts);
    if (!operation) return;
    out_.operations[*operation].module = out_.kernels[first].module;
    has_kernels_[*operation] = true;
  }

  void add(const Module& module, std::string name, std::uint32_t first, std::uint32_t end) {
    for (std::uint32_t i = first; i < end; ++i)
      out_.kernels[i].module = static_cast<std::uint32_t>(out_.modules.size());
    Module& part = out_.modules.emplace_back(module);
    part.name = std::move(name);
    part.first_kernel = first;
    part.kernel_count = end - first;
  }

  const KernelSet& set_;
  KernelSet out_;
  std::vector<bool> has_kernels_ = std::vector<bool>(set_.operations.size());  ///< of their own
};

}  // namespace

KernelSet in_parts(const KernelSet& set) { return Cutter(set).run(); }

std::uint32_t module_of_kernels(const KernelSet& set, const Operation& operation) {
  const auto kernel =
      std::ranges::find_if(operation.variants, [](std::uint32_t id) { return id != KERNELGEN_NO_KERNEL; });
  return kernel == operation.variants.end() ? operation.module : set.kernels[*kernel].module;
}

bool is_part_of(std::string_view part, std::string_view module) {
  return part.starts_with(module) && (part.size() == module.size() || part[module.size()] == '.');
}

}  // namespace kernelgen::tool
