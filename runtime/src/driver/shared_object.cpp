#include "driver/shared_object.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "common/environment.hpp"
#include "common/format.hpp"

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

/// A file in TMPDIR that has no name any more, or -1.
int unlinked_file() {
  const char* directory = environment_variable("TMPDIR");
  std::string path =
      formatted("{}/kernelgen-XXXXXX", directory != nullptr && *directory != '\0' ? directory : "/tmp");
  const int descriptor = ::mkostemp(path.data(), O_CLOEXEC);
  if (descriptor >= 0) ::unlink(path.c_str());
  return descriptor;
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
  // A policy can forbid execution from the one place and allow it from the other.
  for (const bool in_memory : {true, false}) {
    const char* place = in_memory ? "an anonymous file" : "a file in TMPDIR";
    descriptor_ = in_memory ? memory_file(file_name) : unlinked_file();
    if (descriptor_ < 0 || !write_all(descriptor_, bytes)) {
      reasons += formatted("; from {}: {}", place, std::strerror(errno));
    } else {
      handle_ = ::dlopen(formatted("/proc/self/fd/{}", descriptor_).c_str(), RTLD_NOW | RTLD_LOCAL);
      if (handle_ != nullptr) return;
      reasons += formatted("; from {}: {}", place, ::dlerror());
    }
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
