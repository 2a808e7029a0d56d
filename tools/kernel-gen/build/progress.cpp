#include "build/progress.hpp"

#include <fmt/format.h>

#include <system_error>

#include "base/printable.hpp"

namespace kernelgen::tool {

std::string spell_seconds(double seconds) {
  const auto whole = static_cast<long>(seconds + 0.5);
  return whole < 60 ? fmt::format("{} s", whole) : fmt::format("{} min {} s", whole / 60, whole % 60);
}

Progress::~Progress() {
  try {
    clear();
  } catch (const std::system_error&) {
    // Nobody sees the line any more.
  }
}

void Progress::begin(std::size_t total, std::size_t cached) {
  total_ = total;
  done_ = cached;
  compiled_ = 0;
  start_ = std::chrono::steady_clock::now();
  if (!out_ || terminal_ || cached == 0) return;
  fmt::print(out_, "[{}/{}] from the cache\n", done_, total_);
  flush(out_);
}

void Progress::done(std::string_view what) {
  ++done_;
  ++compiled_;
  if (!out_) return;
  if (!terminal_) {
    fmt::print(out_, "[{}/{}] {}\n", done_, total_, printable(what));
    flush(out_);  // a log should show what a build is at
    return;
  }
  // Carriage return and "erase to the end of the line".
  fmt::print(out_, "\r[{}/{}] {}{}\x1b[K", done_, total_, printable(what), time_left());
  line_open_ = true;
  flush(out_);
}

std::string Progress::time_left() const {
  if (compiled_ == 0 || done_ == total_) return "";
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  const double left = elapsed.count() / static_cast<double>(compiled_) * static_cast<double>(total_ - done_);
  return fmt::format(" · {} left", spell_seconds(left));
}

void Progress::note(std::string_view line) {
  if (!out_) return;
  clear();
  fmt::print(out_, "{}\n", printable(line, Lines::many));
}

void Progress::clear() {
  if (!line_open_) return;
  line_open_ = false;
  fmt::print(out_, "\r\x1b[K");
  flush(out_);
}

}  // namespace kernelgen::tool
