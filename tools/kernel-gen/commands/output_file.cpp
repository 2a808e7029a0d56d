#include "commands/output_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/fault.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse(std::string_view option, const fs::path& output, std::string_view why) {
  throw BadInput(Fault{"", "", fmt::format("{} {}: {}", option, output.string(), why), {}});
}

}  // namespace

void refuse_inputs(const Disk& disk, std::string_view option, const fs::path& output,
                   const std::vector<fs::path>& inputs) {
  if (output.empty()) return;
  const fs::path file = disk.resolve(output);
  const auto is_it = [&](const fs::path& input) { return !input.empty() && disk.resolve(input) == file; };
  if (std::ranges::any_of(inputs, is_it))
    refuse(option, output, "it is read by this command; name another file");
}

void refuse_package_folder(const Disk& disk, std::string_view option, const fs::path& output,
                           const fs::path& folder) {
  if (!output.empty() && disk.resolve(output).parent_path() == disk.resolve(folder))
    refuse(option, output,
           "the package's folder holds what builds write and nothing else; name a file outside it");
}

void refuse_other_files(const Disk& disk, std::string_view option, const fs::path& output,
                        std::string_view kind, bool (*is_former)(std::string_view text)) {
  if (output.empty() || !disk.exists(output)) return;
  const std::string text = disk.read(output);
  if (!text.empty() && !is_former(text))
    refuse(option, output, fmt::format("the file that is there is not {}; name another or remove it", kind));
}

}  // namespace kernelgen::tool
