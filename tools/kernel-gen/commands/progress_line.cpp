#include "commands/progress_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "base/printable.hpp"

namespace kernelgen::tool {

ProgressLine::ProgressLine(const std::string& name, std::string what)
    : name_(printable(name)), what_(std::move(what)), is_terminal_(::isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() {
  if (is_shown_) std::fputs("\r\x1b[K", stderr);
}

void ProgressLine::show(double share) {
  if (!is_terminal_) return;
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  fmt::print(stderr, "\r{}: {:.0f} % {}", name_, 100 * share, what_);
  is_shown_ = true;
}

}  // namespace kernelgen::tool
