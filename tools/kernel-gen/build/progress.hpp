#pragma once
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace kernelgen::tool {

/// "[n/N] target module": one line that changes on a terminal, with the time left; a line each elsewhere.
/// What does not go out (a full disk, a reader that is gone) is thrown as std::system_error.
class Progress {
 public:
  /// `out` may be null: nothing is printed. `terminal` is false for pipes, files and -v.
  Progress(std::FILE* out, bool terminal) : out_(out), terminal_(terminal) {}
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `cached` of them are done, which tells nothing about the time left.
  void begin(std::size_t total, std::size_t cached);
  /// One more is done.
  void done(std::string_view what);
  /// Prints a permanent line above the changing one.
  void note(std::string_view line);
  /// Removes the changing line.
  void clear();

 private:
  std::string time_left() const;

  std::FILE* out_;
  bool terminal_;
  bool line_open_ = false;
  std::size_t total_ = 0;
  std::size_t done_ = 0;
  std::size_t compiled_ = 0;
  std::chrono::steady_clock::time_point start_{};
};

/// "12 s", "3 min 20 s"
std::string spell_seconds(double seconds);

}  // namespace kernelgen::tool
