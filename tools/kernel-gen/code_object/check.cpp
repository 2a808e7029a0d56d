#include "code_object/check.hpp"

#include <fmt/format.h>

#include <map>

namespace kernelgen::tool {
namespace {

/// The checks of one code object, with the messages they give.
class Checker {
 public:
  Checker(const CodeObject& object, const Target& target, bool is_of_binary)
      : object_(object), target_(target), is_of_binary_(is_of_binary) {}

  void check_identity() {
    if (target_.kind != TargetKind::cpu && object_.processor != target_.name)
      complain("code object", "processor", target_.name, object_.processor);
    if (target_.kind == TargetKind::hip && object_.machine != target_.machine)
      complain("code object", "machine number", fmt::format("{:#05x}", target_.machine),
               fmt::format("{:#05x}", object_.machine));
    if (!is_of_binary_ && target_.kind == TargetKind::hip &&
        object_.code_object_version != int(target_.code_object_version))
      complain("code object", "code object version", target_.code_object_version,
               object_.code_object_version);
    if (const CodeKind wanted = wanted_kind(); object_.kind != wanted)
      complain("code object", "kind", name_of(wanted), name_of(object_.kind));
  }

  void check_kernels(const KernelSet& set, const Module& module) {
    std::map<std::string_view, const CodeKernel*> found;
    for (const CodeKernel& kernel : object_.kernels) found.emplace(kernel.name, &kernel);
    for (const Kernel& kernel : set.kernels_of(module)) {
      const auto it = found.find(kernel.name);
      if (it == found.end()) {
        messages_.push_back(
            fmt::format("{}: kernel {} of the manifest is not in the code object of module {}", target_.name,
                        kernel.name, module.name));
        continue;
      }
      check_kernel(kernel, *it->second);
      found.erase(it);
    }
    if (is_of_binary_) return;
    for (const auto& [name, kernel] : found)
      messages_.push_back(
          fmt::format("{}: kernel {} is in the code object of module {}, but not in its manifest",
                      target_.name, name, module.name));
  }

  std::vector<std::string> take() { return std::move(messages_); }

 private:
  template <class Wanted, class Found>
  void complain(std::string_view where, std::string_view what, const Wanted& wanted, const Found& found) {
    messages_.push_back(
        fmt::format("{}: {}: {}: wanted {}, found {}", target_.name, where, what, wanted, found));
  }

  CodeKind wanted_kind() const {
    if (target_.kind == TargetKind::hip) return CodeKind::hsaco;
    if (target_.kind == TargetKind::cpu) return CodeKind::host;
    return target_.is_ptx ? CodeKind::ptx : CodeKind::cubin;
  }

  void check_kernel(const Kernel& wanted, const CodeKernel& found) {
    const std::string where = "kernel " + wanted.name;
    check_arguments(wanted, found, where);
    if (target_.kind == TargetKind::cpu) return;
    if (found.max_block < wanted.block) complain(where, "largest block", wanted.block, found.max_block);
    if (is_of_binary_) return;
    if (found.wave_size != target_.wave_sizes.front())
      complain(where, "wave size", target_.wave_sizes.front(), found.wave_size);
    if (target_.kind == TargetKind::hip) check_budget(wanted.budget, found, where);
  }

  void check_arguments(const Kernel& wanted, const CodeKernel& found, const std::string& where) {
    if (wanted.arguments.size() != found.arguments.size())
      return complain(where, "arguments", wanted.arguments.size(), found.arguments.size());
    for (std::size_t i = 0; i < wanted.arguments.size(); ++i) {
      const Argument& manifest = wanted.arguments[i];
      const CodeArgument& code = found.arguments[i];
      const std::string argument = fmt::format("{}: argument {} ({})", where, manifest.name, manifest.type);
      if (manifest.offset != code.offset) complain(argument, "offset", manifest.offset, code.offset);
      if (manifest.size != code.size) complain(argument, "size", manifest.size, code.size);
      const std::string_view kind = manifest.is_pointer ? "global_buffer" : "by_value";
      if (!code.value_kind.empty() && code.value_kind != kind)
        complain(argument, "kind", kind, code.value_kind);
    }
    // GPU kernels may count padding or hidden arguments in.
    const bool fits = target_.kind == TargetKind::cpu ? found.kernarg_bytes == wanted.kernarg_bytes
                                                      : found.kernarg_bytes >= wanted.kernarg_bytes;
    if (!fits) complain(where, "bytes of arguments", wanted.kernarg_bytes, found.kernarg_bytes);
  }

  void check_budget(const Budget& budget, const CodeKernel& found, const std::string& where) {
    const auto at_most = [&](std::string_view what, std::uint32_t most, std::uint32_t used) {
      if (used > most) complain(where, what, fmt::format("at most {}", most), used);
    };
    at_most("VGPR spills", budget.spills, found.vgpr_spills);
    at_most("SGPR spills", budget.spills, found.sgpr_spills);
    at_most("bytes of scratch", budget.scratch, found.scratch_bytes);
    if (budget.vgprs) at_most("VGPRs", *budget.vgprs, found.vgprs);
    if (budget.lds) at_most("bytes of LDS", *budget.lds, found.lds_bytes);
  }

  const CodeObject& object_;
  const Target& target_;
  const bool is_of_binary_;
  std::vector<std::string> messages_;
};

}  // namespace

std::vector<std::string> check_code_object(const CodeObject& object, const Target& target,
                                           const KernelSet& set, const Module& module) {
  Checker checker(object, target, !module.binary.empty());
  checker.check_identity();
  checker.check_kernels(set, module);
  return checker.take();
}

}  // namespace kernelgen::tool
