#include "device/trace_file.hpp"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "common/environment.hpp"
#include "common/format.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {
namespace {

constexpr const char* variable = "KERNELGEN_TRACE";

double microseconds() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char letter : text) {
    if (static_cast<unsigned char>(letter) < 0x20)
      quoted += formatted("\\u{:04x}", static_cast<int>(letter));
    else if (letter == '"' || letter == '\\')
      quoted += {'\\', letter};
    else
      quoted += letter;
  }
  return quoted + '"';
}

TraceFile* TraceFile::of_environment() {
  const char* const path = environment_variable(variable);
  if (path == nullptr || *path == '\0') return nullptr;
  // Never destroyed: devices may be used while the process exits.
  static TraceFile* const file = [path] {
    auto* const opened = new TraceFile(path);
    std::atexit([] { of_environment()->close(); });
    return opened;
  }();
  return file;
}

TraceFile::TraceFile(const char* path) : file_(std::fopen(path, "w")), opened_(microseconds()) {
  if (file_ == nullptr)
    throw Error(Code::io,
                formatted("{} is {}, which cannot be written: {}", variable, path, std::strerror(errno)));
  std::fputs("[", file_);
}

double TraceFile::now() const { return microseconds() - opened_; }

void TraceFile::write(std::string_view event) {
  if (file_ == nullptr) return;
  std::fprintf(file_, "%s\n%.*s", is_empty_ ? "" : ",", static_cast<int>(event.size()), event.data());
  is_empty_ = false;
}

void TraceFile::close() {
  const std::lock_guard lock(mutex_);
  if (file_ == nullptr) return;
  std::fputs("\n]\n", file_);
  std::fclose(file_);
  file_ = nullptr;
}

int TraceFile::process_of(std::string_view device) {
  const auto [found, is_new] =
      processes_.try_emplace(std::string(device), static_cast<int>(processes_.size()) + 1);
  if (is_new)
    write(formatted(R"({{"ph": "M", "name": "process_name", "pid": {}, "args": {{"name": {}}}}})",
                    found->second, json_string(device)));
  return found->second;
}

int TraceFile::thread_of(std::string_view device, const void* stream) {
  const int process = process_of(device);
  const auto [found, is_new] = threads_.try_emplace({process, stream}, static_cast<int>(threads_.size()) + 1);
  if (is_new)
    write(formatted(R"({{"ph": "M", "name": "thread_name", "pid": {}, "tid": {}, "args": {{"name": "{}"}}}})",
                    process, found->second,
                    stream == nullptr ? "default queue" : formatted("stream {}", stream)));
  return found->second;
}

void TraceFile::add(std::string_view device, const void* stream, std::string_view name, double start,
                    double duration, std::string_view arguments) {
  const std::lock_guard lock(mutex_);
  const int thread = thread_of(device, stream);
  write(
      formatted(R"({{"ph": "X", "name": {}, "pid": {}, "tid": {}, "ts": {:.3f}, "dur": {:.3f}, "args": {}}})",
                json_string(name), process_of(device), thread, start, duration, arguments));
  if (file_ != nullptr) std::fflush(file_);
}

}  // namespace kernelgen
