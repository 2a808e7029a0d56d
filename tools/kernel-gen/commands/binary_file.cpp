#include "commands/binary_file.hpp"

#include <fmt/format.h>
#include <llvm/Demangle/Demangle.h>

#include <fstream>

#include "build/package_folder.hpp"
#include "commands/progress_line.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

bool may_hold_code(const fs::path& file) {
  constexpr std::size_t enough = 4096;
  std::string head(enough, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(stream.gcount()));
  return tool::may_hold_code(head);
}

std::string why_no_code(const Binary& binary) {
  if (binary.files().size() == 1) return "is a program or library without code for GPUs";
  return fmt::format("none of its {} files holds code for GPUs", binary.files().size());
}

}  // namespace

bool is_binary(const Disk& disk, const fs::path& path) {
  if (!disk.is_directory(path)) return disk.type(disk.resolve(path)) == FileType::file && may_hold_code(path);
  if (disk.exists(path / package_file)) return false;
  std::error_code error;
  for (fs::recursive_directory_iterator it(path, error), end; !error && it != end; it.increment(error))
    if (it->is_regular_file(error) && may_hold_code(it->path())) return true;
  return false;
}

Binary open_binary(const fs::path& path) {
  ProgressLine line(path.filename().string(), "read");
  Binary binary(path, [&](double share) { line.show(share); });
  if (binary.codes().empty() && binary.damages() == 0)
    throw BadInput(Fault{path.string(), "", why_no_code(binary), {}});
  return binary;
}

std::vector<Fault> damages_of(const Binary& binary) {
  std::vector<Fault> faults;
  for (const Binary::File& file : binary.files())
    for (const Damage& damage : file.damages)
      faults.push_back({file.path.string(),
                        fmt::format("offset {:#x}", damage.offset),
                        "cannot be read: " + damage.what,
                        {}});
  return faults;
}

int report_damages(const Binary& binary) {
  const std::vector<Fault> faults = damages_of(binary);
  print_faults(faults);
  return faults.empty() ? exit_ok : exit_failure;
}

std::string demangled(const std::string& name) {
  std::string text = llvm::demangle(name);
  if (text == name) return name;
  // "void f<int>(float*, …)": the arguments are the last parentheses.
  if (text.ends_with(')')) {
    int depth = 0;
    for (std::size_t i = text.size(); i-- > 0;) {
      depth += text[i] == ')' ? 1 : text[i] == '(' ? -1 : 0;
      if (depth != 0) continue;
      text.resize(i);
      break;
    }
  }
  if (text.starts_with("void ")) text.erase(0, 5);
  return text;
}

}  // namespace kernelgen::tool
