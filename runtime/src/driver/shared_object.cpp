#include "driver/shared_object.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "common/environment.hpp"
#include "common/format.hpp"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "driver/shared_object_check.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {
namespace {

/// An anonymous file in memory, or -1. Systems that refuse executable ones by default want to be asked
/// (Linux 6.3).
int memory_file(const std::string& name) {
  constexpr unsigned executable = 0x10u;  // MFD_EXEC
  const int descriptor = ::memfd_create(name.c_str(), MFD_CLOEXEC | executable);
  return descriptor >= 0 ? descriptor : ::memfd_create(name.c_str(), MFD_CLOEXEC);
}

/// A new file in TMPDIR, whose path is stored, or -1. No two of a process have one name: the loader knows an object by its path
/// after the file is deleted, too.
int temporary_file(std::string& path) {
  static std::atomic<unsigned> files = 0;
  const char* directory = environment_variable("TMPDIR");
  path = formatted("{}/kernelgen-{}-XXXXXX", directory != nullptr && *directory != '\0' ? directory : "/tmp",
                   files++);
  return ::mkostemp(path.data(), O_CLOEXEC);
}

bool write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

SharedObject::SharedObject(std::span<const std::byte> bytes, std::string_view name) {
  if (const std::string defect = shared_object_defect(bytes); !defect.empty())
    throw Error(Code::device,
                formatted("cannot load module {} ({} bytes) on the CPU: {}", name, bytes.size(), defect));
  const std::string file_name = formatted("kernelgen:{}", name.substr(0, 200));
  std::string reasons;
  // A policy can forbid execution from the one source and allow it from the other, and /proc may not be mounted.
  for (const bool in_memory : {true, false}) {
    const char* source = in_memory ? "an anonymous file" : "a file in TMPDIR";
    std::string path;
    descriptor_ = in_memory ? memory_file(file_name) : temporary_file(path);
    if (in_memory) path = formatted("/proc/self/fd/{}", descriptor_);
    if (descriptor_ < 0 || !write_all(descriptor_, bytes)) {
      reasons += formatted("; from {}: {}", source, std::strerror(errno));
    } else {
      handle_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (handle_ == nullptr) reasons += formatted("; from {}: {}", source, ::dlerror());
    }
    if (!in_memory && descriptor_ >= 0) ::unlink(path.c_str());
    if (handle_ != nullptr) return;
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  throw Error(Code::device,
              formatted("cannot load module {} ({} bytes) on the CPU{}", name, bytes.size(), reasons));
}

SharedObject::~SharedObject() {
  ::dlclose(handle_);
  ::close(descriptor_);
}

void* SharedObject::symbol(const std::string& name) const { return ::dlsym(handle_, name.c_str()); }

}  // namespace kernelgen
