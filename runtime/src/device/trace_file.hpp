#pragma once
#include <cstdio>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace kernelgen {

/// The file that KERNELGEN_TRACE names, one a process: a Chrome trace (an array of events in JSON), which Perfetto and
/// chrome://tracing open. Devices are processes in it, streams their threads. Thread-safe.
class TraceFile {
 public:
  /// Null where the variable says nothing. Throws Error(io).
  static TraceFile* of_environment();

  /// Microseconds of the host since the file was opened, which all times in it are.
  double now() const;
  /// `arguments` is an object of JSON.
  void add(std::string_view device, const void* stream, std::string_view name, double start, double duration,
           std::string_view arguments);

 private:
  explicit TraceFile(const char* path);
  void write(std::string_view event);
  void close();
  int thread_of(std::string_view device, const void* stream);
  int process_of(std::string_view device);

  std::FILE* file_;
  const double opened_;
  std::mutex mutex_;
  bool is_empty_ = true;
  std::map<std::string, int, std::less<>> processes_;
  std::map<std::pair<int, const void*>, int> threads_;
};

/// As a string of JSON.
std::string json_string(std::string_view text);

}  // namespace kernelgen
