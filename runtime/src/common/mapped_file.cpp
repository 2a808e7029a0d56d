#include "common/mapped_file.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "common/format.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {

MappedFile::MappedFile(const std::filesystem::path& file) : file_(file) {
  if (file_->size() == 0) return;
  // Copy-on-write without reserved swap space.
  void* data = ::mmap(nullptr, file_->size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE,
                      file_->descriptor(), 0);
  if (data == MAP_FAILED)
    throw Error(Code::io, formatted("cannot map {}: {}", file.string(), std::strerror(errno)));
  bytes_ = {static_cast<std::byte*>(data), file_->size()};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
}

}  // namespace kernelgen
