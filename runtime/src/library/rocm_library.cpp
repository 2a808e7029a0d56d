#include "library/rocm_library.hpp"

#include <cctype>
#include <filesystem>

#include "common/environment.hpp"
#include "common/format.hpp"
#include "driver/gpu_api.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {
namespace fs = std::filesystem;
namespace {

/// In every version of HIP, and in nothing else.
constexpr const char* hip_function = "hipGetDevice";

/// Subfolders of the one next to the library: Debian's has one a version, some of ROCm's one a processor.
constexpr int most_depth = 3;

/// Whether the name has the processor in it, and not another that begins so.
bool names_processor(const std::string& name, const std::string& processor) {
  for (std::size_t at = name.find(processor); at != std::string::npos; at = name.find(processor, at + 1)) {
    const std::size_t end = at + processor.size();
    if (end == name.size() || std::isalnum(static_cast<unsigned char>(name[end])) == 0) return true;
  }
  return false;
}

fs::path kernels_of(const RocmLibrary& library, const std::string& file) {
  const char* named = environment_variable(library.kernel_variable);
  if (named != nullptr && *named != '\0') return named;
  return fs::path(file).parent_path() / library.kernel_folder;
}

}  // namespace

std::vector<std::string> rocm_library_names(const RocmLibrary& library, int hip_version,
                                            const std::string& hip_folder) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (!hip_folder.empty()) names.push_back(formatted("{}/{}", hip_folder, name));
    names.push_back(name);
  };
  for (const RocmLibrary::Version& version : library.versions)
    if (version.hip != 0 && (version.hip == hip_version || hip_version == 0))
      add(formatted("{}.{}", library.name, version.library));
  add(library.name);
  return names;
}

DynamicLibrary open_rocm_library(const RocmLibrary& library) {
  const GpuApi& hip = hip_api();
  const std::vector<std::string> names = rocm_library_names(
      library, hip.version() / 100, fs::path(hip.library().file_of(hip_function)).parent_path().string());
  std::vector<const char*> texts;
  for (const std::string& name : names) texts.push_back(name.c_str());
  DynamicLibrary opened(library.what, library.variable, texts);
  const void* const other = opened.symbol(hip_function);
  if (other != nullptr && other != hip.library().symbol(hip_function))
    throw Error(
        Code::unsupported,
        formatted("{} works over {}, but {} is open in this process; install the one of the same ROCm, "
                  "or name it by {}",
                  opened.path(), opened.file_of(hip_function), hip.library().file_of(hip_function),
                  library.variable));
  return opened;
}

bool has_rocm_kernels(const RocmLibrary& library, const std::string& file, const std::string& architecture) {
  const std::string processor = architecture.substr(0, architecture.find(':'));
  std::error_code failure;
  fs::recursive_directory_iterator entries(kernels_of(library, file), failure), end;
  for (; !failure && entries != end; entries.increment(failure)) {
    if (entries.depth() >= most_depth) entries.disable_recursion_pending();
    if (names_processor(entries->path().filename().string(), processor)) return true;
  }
  return false;
}

void require_kernels(const RocmLibrary& library, const VendorLibrary& opened,
                     const std::string& architecture) {
  const std::string file = opened.file_of(library.function);
  if (has_rocm_kernels(library, file, architecture)) return;
  throw Error(Code::unsupported, formatted("{} has no kernels for {}: {} has no file of that name; {} names "
                                           "another folder",
                                           opened.path(), architecture, kernels_of(library, file).string(),
                                           library.kernel_variable));
}

}  // namespace kernelgen
