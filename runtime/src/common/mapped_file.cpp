#include "common/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "common/format.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {
namespace {

[[noreturn]] void fail(const char* what, const std::filesystem::path& file, int error) {
  throw Error(Code::io, formatted("cannot {} {}: {}", what, file.string(), std::strerror(error)));
}

struct Descriptor {
  int fd;
  ~Descriptor() { ::close(fd); }
};

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& file, Writes writes) {
  const Descriptor descriptor{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
  if (descriptor.fd < 0) fail("open", file, errno);
  struct stat status{};
  if (::fstat(descriptor.fd, &status) != 0) fail("read the size of", file, errno);
  if (!S_ISREG(status.st_mode)) fail("map", file, S_ISDIR(status.st_mode) ? EISDIR : ENODEV);
  if (status.st_size == 0) return;
  const auto size = static_cast<std::size_t>(status.st_size);
  // A page that is written becomes this process's own; none is set aside before that.
  const int protection = writes == Writes::kept_here ? PROT_READ | PROT_WRITE : PROT_READ;
  void* data = ::mmap(nullptr, size, protection, MAP_PRIVATE | MAP_NORESERVE, descriptor.fd, 0);
  if (data == MAP_FAILED) fail("map", file, errno);
  bytes_ = {static_cast<const std::byte*>(data), size};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace kernelgen
