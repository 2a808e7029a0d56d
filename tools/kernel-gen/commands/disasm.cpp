#include "commands/disasm.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "base/fault.hpp"
#include "base/json_text.hpp"
#include "base/printable.hpp"
#include "code_object/cubin.hpp"
#include "code_object/source_lines.hpp"
#include "commands/inspection.hpp"
#include "manifest/node.hpp"

namespace kernelgen::tool {
namespace {

/// The text of source lines, of files that are there.
class SourceText {
 public:
  explicit SourceText(const Disk& disk) : disk_(disk) {}

  std::string line(const SourceLine& location) {
    const auto [entry, is_new] = files_.try_emplace(location.file);
    if (is_new && disk_.exists(location.file) && !disk_.is_directory(location.file)) {
      std::istringstream text(disk_.read(location.file));
      for (std::string line; std::getline(text, line);) entry->second.push_back(line);
    }
    const std::vector<std::string>& lines = entry->second;
    return location.line <= lines.size() ? lines[location.line - 1] : "";
  }

 private:
  const Disk& disk_;
  std::map<std::string, std::vector<std::string>> files_;
};

const Inspected& one_object(const Inspection& inspection, const DisasmOptions& options) {
  std::vector<const Inspected*> objects;
  for (const Inspected& object : inspection.objects)
    if (options.from.empty() || object.module == options.from) objects.push_back(&object);
  if (objects.size() == 1) return *objects.front();
  std::vector<std::string> names;
  std::set<std::string> targets;
  // Where none is of that module, all that there are.
  for (const Inspected& object : inspection.objects) {
    names.push_back(inspection.package ? object.target
                                       : fmt::format("{} ({})", object.code.target_id, object.module));
    targets.insert(object.target);
  }
  throw BadInput(Fault{inspection.file,
                       "",
                       fmt::format("has {} for {}; choose one with --{}", options.kernel,
                                   fmt::join(names, ", "), targets.size() > 1 ? "target" : "from"),
                       {}});
}

std::string spell(const Instruction& instruction) {
  return instruction.operands.empty() ? instruction.mnemonic
                                      : fmt::format("{:<24} {}", instruction.mnemonic, instruction.operands);
}

void print_instructions(const std::vector<Instruction>& instructions, const SourceLines& lines,
                        const Disk& disk, std::FILE* out) {
  std::set<std::uint64_t> marks;
  for (const Instruction& instruction : instructions)
    if (instruction.goes_to) marks.insert(*instruction.goes_to);
  SourceText source(disk);
  std::optional<SourceLine> last;
  for (const Instruction& instruction : instructions) {
    if (marks.contains(instruction.address)) fmt::print(out, "{:x}:\n", instruction.address);
    if (const auto location = lines.at(instruction.address); location && location != last) {
      fmt::print(out, "; {}\n",
                 printable(fmt::format("{}:{}: {}", location->file, location->line, source.line(*location))));
      last = location;
    }
    const std::string branch = instruction.goes_to ? fmt::format("  -> {:x}", *instruction.goes_to) : "";
    fmt::print(out, "  {:6x}  {}{}\n", instruction.address, spell(instruction), branch);
  }
}

Json to_json(const Inspected& object, const std::string& kernel, const std::vector<Instruction>& instructions,
             const SourceLines& lines) {
  Json rows = Json::array();
  for (const Instruction& instruction : instructions) {
    Json row = {{"address", instruction.address},
                {"size", instruction.size},
                {"mnemonic", instruction.mnemonic},
                {"operands", instruction.operands}};
    if (instruction.goes_to) row["goes_to"] = *instruction.goes_to;
    if (const auto location = lines.at(instruction.address)) {
      row["file"] = location->file;
      row["line"] = location->line;
    }
    rows.push_back(std::move(row));
  }
  return {{"target", object.target},
          {"module", object.module},
          {"kernel", kernel},
          {"instructions", std::move(rows)}};
}

}  // namespace

int run_disasm(const DisasmOptions& options, const Disk& disk, std::FILE* out) {
  InspectOptions inspect;
  inspect.file = options.file;
  inspect.target = options.target;
  inspect.name = options.kernel;
  const Inspection inspection = read_inspection(inspect, disk);
  const Inspected& object = one_object(inspection, options);
  const PackageCode code = inspection.code(object);
  const std::span<const std::byte> bytes = code;
  const std::string where = inspection.where(object);
  const auto refuse = [&](const char* why) { throw BadInput(Fault{where, "", why, {}}); };
  const auto kernel = std::ranges::find_if(object.code.kernels, [&](const CodeKernel& one) {
    return one.name == options.kernel || inspection.name_of(one) == options.kernel;
  });
  if (kernel == object.code.kernels.end())
    refuse("is a module; name one of its kernels, 'kernel-gen inspect' lists them");
  if (object.code.kind == CodeKind::cubin)
    refuse("LLVM does not read cubins; 'kernel-gen extract' writes it to a file for nvdisasm");
  if (object.code.kind == CodeKind::ptx) {
    if (options.json) refuse("PTX is text; --json does not apply");
    fmt::print(out, "{}\n",
               ptx_entry({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, kernel->name));
    return exit_ok;
  }
  const Functions functions = inspection.disassembled(object);
  const auto function = functions.find(kernel->name);
  if (function == functions.end()) refuse("has no code of that kernel");
  const SourceLines lines(bytes);
  if (options.json) {
    fmt::print(out, "{}", json_text(to_json(object, kernel->name, function->second, lines)));
  } else {
    fmt::print(out, "{} {} {}\n", object.target, object.module, inspection.name_of(*kernel));
    print_instructions(function->second, lines, disk, out);
  }
  return exit_ok;
}

}  // namespace kernelgen::tool
