#include "manifest/filter.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <set>

#include "common/suggest.hpp"
#include "kernelgen/dtype.hpp"
#include "manifest/part.hpp"
#include "manifest/types.hpp"

namespace kernelgen::tool {
namespace {

bool matches(const std::vector<std::string>& globs, const std::string& name) {
  return globs.empty() || std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
           return fnmatch(glob.c_str(), name.c_str(), 0) == 0;
         });
}

/// The dtype patterns, each followed by the raw type of its width.
std::vector<std::string> with_raw_types(const std::vector<std::string>& globs) {
  std::vector<std::string> all = globs;
  for (std::size_t code = 0; code < dtype_count && !globs.empty(); ++code)
    if (!is_quantized(static_cast<DType>(code)) && matches(globs, std::string(element_name(code))))
      all.emplace_back(element_name(width_code(element_size(code))));
  return all;
}

void refuse_unknown(const std::vector<std::string>& globs, std::span<const std::string> names,
                    std::string_view key, std::string_view what, Faults& faults) {
  for (const std::string& glob : globs)
    if (std::none_of(names.begin(), names.end(),
                     [&](const std::string& name) { return matches({glob}, name); }))
      faults.add_unknown("", "", fmt::format("--only {}={}: there is no such {}", key, glob, what), glob,
                         names);
}

/// The kernels of some operations for some dtypes, those of other operations that they launch included.
class Choice {
 public:
  Choice(const KernelSet& set, const std::vector<std::string>& dtypes)
      : set_(set), dtypes_(dtypes), rows_(set.operations.size()), kernels_(set.kernels.size()) {}

  /// An operation, and as a whole those whose kernels it launches.
  void add_operation(std::uint32_t index) {
    if (!rows_[index].empty()) return;
    const Operation& operation = set_.operations[index];
    for (const auto& row : combinations(operation.variables)) rows_[index].push_back(is_of(row));
    for (std::size_t v = 0; v < operation.variants.size(); ++v) {
      const std::uint32_t kernel = operation.variants[v];
      if (kernel == KERNELGEN_NO_KERNEL || !rows_[index][v / operation.forms.size()]) continue;
      kernels_[kernel] = true;
      const std::uint32_t owner = *set_.kernels[kernel].operation;
      if (owner == index) continue;
      add_operation(owner);
      const auto its = std::ranges::find(set_.operations[owner].variants, kernel);
      rows_[owner][static_cast<std::size_t>(its - set_.operations[owner].variants.begin()) /
                   set_.operations[owner].forms.size()] = true;
    }
  }
  /// A kernel by name.
  void add_kernel(std::uint32_t index) {
    kernels_[index] = std::ranges::all_of(set_.kernels[index].types,
                                          [&](const std::string& type) { return matches(dtypes_, type); });
  }

  bool has_kernel(std::uint32_t index) const { return kernels_[index]; }
  bool has_row(std::uint32_t operation, std::size_t row) const {
    return !rows_[operation].empty() && rows_[operation][row];
  }

 private:
  bool is_of(const std::vector<ElementCode>& row) const {
    return std::ranges::all_of(
        row, [&](ElementCode code) { return matches(dtypes_, std::string(element_name(code))); });
  }

  const KernelSet& set_;
  const std::vector<std::string>& dtypes_;
  std::vector<std::vector<bool>>
      rows_;  ///< of each operation, which combinations; empty: the operation is not in
  std::vector<bool> kernels_;
};

/// Takes the kernels chosen into a new set, with all indices following.
class Selection {
 public:
  Selection(const KernelSet& set, const Choice& kept) : set_(set), kept_(kept) {}

  KernelSet run() {
    std::vector<std::uint32_t> operation_ids = number_operations();
    for (const Module& module : set_.modules) add_module(module, operation_ids);
    for (std::size_t i = 0; i < set_.operations.size(); ++i)
      if (operation_ids[i] != KERNELGEN_NO_KERNEL) add_operation(static_cast<std::uint32_t>(i));
    return std::move(out_);
  }

 private:
  std::vector<std::uint32_t> number_operations() const {
    std::vector<std::uint32_t> ids(set_.operations.size(), KERNELGEN_NO_KERNEL);
    for (std::uint32_t i = 0; i < ids.size(); ++i) {
      const Operation& operation = set_.operations[i];
      for (std::size_t v = 0; v < operation.variants.size(); ++v)
        if (operation.variants[v] != KERNELGEN_NO_KERNEL && kept_.has_row(i, v / operation.forms.size()))
          ids[i] = 0;
    }
    std::uint32_t next = 0;
    for (std::uint32_t& id : ids)
      if (id == 0) id = next++;
    return ids;
  }

  void add_module(const Module& module, const std::vector<std::uint32_t>& operation_ids) {
    const auto first = static_cast<std::uint32_t>(out_.kernels.size());
    for (std::uint32_t i = module.first_kernel; i < module.first_kernel + module.kernel_count; ++i) {
      if (!kept_.has_kernel(i)) continue;
      kernel_ids_[i] = static_cast<std::uint32_t>(out_.kernels.size());
      Kernel& kernel = out_.kernels.emplace_back(set_.kernels[i]);
      kernel.module = static_cast<std::uint32_t>(out_.modules.size());
      if (kernel.operation) kernel.operation = operation_ids[*kernel.operation];
    }
    const auto count = static_cast<std::uint32_t>(out_.kernels.size()) - first;
    module_ids_.push_back(count == 0 ? KERNELGEN_NO_KERNEL : static_cast<std::uint32_t>(out_.modules.size()));
    if (count == 0) return;
    Module& copy = out_.modules.emplace_back(module);
    copy.first_kernel = first;
    copy.kernel_count = count;
  }

  /// Values of type variables that no kernel is left for go too.
  void add_operation(std::uint32_t index) {
    const Operation& operation = set_.operations[index];
    Operation& copy = out_.operations.emplace_back(operation);
    copy.module = module_ids_[operation.module];
    copy.variants.clear();
    const std::size_t forms = operation.forms.size();
    const auto rows = combinations(operation.variables);
    std::vector<std::set<ElementCode>> taken(operation.variables.size());
    for (std::size_t r = 0; r < rows.size(); ++r)
      for (std::size_t f = 0; kept_.has_row(index, r) && f < forms; ++f)
        if (operation.variants[r * forms + f] != KERNELGEN_NO_KERNEL)
          for (std::size_t v = 0; v < taken.size(); ++v) taken[v].insert(rows[r][v]);
    const auto stays = [&](std::size_t v, ElementCode code) { return taken[v].contains(code); };
    for (std::size_t v = 0; v < taken.size(); ++v)
      std::erase_if(copy.variables[v].values, [&](ElementCode code) { return !stays(v, code); });
    for (std::size_t r = 0; r < rows.size(); ++r) {
      bool is_left = true;
      for (std::size_t v = 0; v < taken.size(); ++v) is_left = is_left && stays(v, rows[r][v]);
      for (std::size_t f = 0; is_left && f < forms; ++f)
        copy.variants.push_back(kernel_ids_[operation.variants[r * forms + f]]);
    }
    if (copy.module == KERNELGEN_NO_KERNEL) copy.module = module_of_kernels(out_, copy);
  }

  const KernelSet& set_;
  const Choice& kept_;
  KernelSet out_;
  std::vector<std::uint32_t> module_ids_;
  std::vector<std::uint32_t> kernel_ids_ =
      std::vector<std::uint32_t>(set_.kernels.size(), KERNELGEN_NO_KERNEL);
};

}  // namespace

Filter Filter::parse(std::span<const std::string> texts) {
  Filter filter;
  Faults faults;
  for (const std::string& text : texts) {
    std::vector<std::string>* list = nullptr;
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      std::string word = text.substr(begin, end - begin);
      begin = end + 1;
      if (const std::size_t equals = word.find('='); equals != std::string::npos) {
        const std::string key = word.substr(0, equals);
        word = word.substr(equals + 1);
        const std::string keys[] = {"op", "dtype"};
        list = key == "op" ? &filter.operations : key == "dtype" ? &filter.dtypes : nullptr;
        if (!list)
          faults.add_unknown("", "", fmt::format("--only {}: unknown key '{}'", text, key), key, keys);
      } else if (!list) {
        faults.add("", "", fmt::format("--only {}: expected op=NAMES or dtype=NAMES", text));
      }
      if (!list) break;
      if (word.empty())
        faults.add("", "", fmt::format("--only {}: an empty name", text));
      else
        list->push_back(std::move(word));
    }
  }
  faults.throw_if_any();
  return filter;
}

KernelSet apply(const Filter& filter, const KernelSet& set) {
  if (filter.empty()) return set;
  Faults faults;
  std::vector<std::string> operations;
  for (const Operation& operation : set.operations) operations.push_back(operation.name);
  for (const Kernel& kernel : set.kernels)
    if (!kernel.operation) operations.push_back(kernel.name);
  refuse_unknown(filter.operations, operations, "op", "operation", faults);
  refuse_unknown(filter.dtypes, element_names(), "dtype", "element type", faults);
  faults.throw_if_any();
  const std::vector<std::string> dtypes = with_raw_types(filter.dtypes);
  Choice kept(set, dtypes);
  for (std::uint32_t i = 0; i < set.operations.size(); ++i)
    if (matches(filter.operations, set.operations[i].name)) kept.add_operation(i);
  for (std::uint32_t i = 0; i < set.kernels.size(); ++i)
    if (!set.kernels[i].operation && matches(filter.operations, set.kernels[i].name)) kept.add_kernel(i);
  KernelSet selected = Selection(set, kept).run();
  if (selected.kernels.empty())
    throw BadInput(Fault{"", "", "--only: no kernel is both of these operations and dtypes", {}});
  return selected;
}

}  // namespace kernelgen::tool
