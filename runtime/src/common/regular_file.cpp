#include "common/regular_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "common/format.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {
namespace {

[[noreturn]] void fail(const char* what, const std::string& file, std::string_view why) {
  throw Error(Code::io, formatted("cannot {} {}: {}", what, file, why));
}

}  // namespace

std::string_view read_objection(mode_t mode) {
  if (S_ISREG(mode)) return "";
  if (S_ISDIR(mode)) return "it is a folder";
  if (S_ISFIFO(mode)) return "it is a pipe, not a file";
  return "it is a device or a socket, not a file";
}

RegularFile::RegularFile(const std::filesystem::path& file) : name_(file.string()) {
  // Without O_NONBLOCK, opening a pipe would block until its other end is opened.
  descriptor_ = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor_ < 0) fail("open", name_, std::strerror(errno));
  struct stat status{};
  const bool is_known = ::fstat(descriptor_, &status) == 0;
  const std::string_view objection = is_known ? read_objection(status.st_mode) : std::strerror(errno);
  if (objection.empty()) {
    size_ = static_cast<std::uint64_t>(status.st_size);
    return;
  }
  ::close(descriptor_);
  fail("read", name_, objection);
}

RegularFile::~RegularFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void RegularFile::read(std::uint64_t offset, std::span<std::byte> to) const {
  while (!to.empty()) {
    const ssize_t count = ::pread(descriptor_, to.data(), to.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("read", name_, std::strerror(errno));
    if (count == 0) fail_cut_off();
    to = to.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
}

std::vector<std::byte> RegularFile::read_all() const {
  std::vector<std::byte> bytes(size_);
  read(0, bytes);
  return bytes;
}

void RegularFile::require_whole() const {
  struct stat status{};
  if (::fstat(descriptor_, &status) != 0) fail("read", name_, std::strerror(errno));
  if (static_cast<std::uint64_t>(status.st_size) < size_) fail_cut_off();
}

void RegularFile::fail_cut_off() const {
  fail("read", name_, formatted("it was cut off while it was open, and had {} bytes before", size_));
}

}  // namespace kernelgen
