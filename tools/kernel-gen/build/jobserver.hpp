#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/environment.hpp"

namespace kernelgen::tool {

/// Where a make (or a ninja) that started this process keeps its tokens, by its MAKEFLAGS.
struct JobserverAuth {
  std::string fifo;  ///< its path; empty: the two descriptors
  int read = -1, write = -1;

  bool operator==(const JobserverAuth&) const = default;
};

/// Nothing where the flags name none, or have `-j` without one.
std::optional<JobserverAuth> find_jobserver(std::string_view makeflags);

/// A client of GNU make's jobserver: one job may run without asking, each further one for a token, which is given back
/// when it ends. What is still held is given back by the destructor.
class Jobserver {
 public:
  /// Nothing without one, or if it may not be used (make passes descriptors only to rules with a '+').
  static std::unique_ptr<Jobserver> connect(const Environment& environment);
  ~Jobserver();
  Jobserver(const Jobserver&) = delete;
  Jobserver& operator=(const Jobserver&) = delete;

  /// Takes a token if there is one; does not wait.
  bool acquire();
  void release();
  std::size_t held() const { return tokens_.size(); }
  /// Can be read when there may be a token.
  int descriptor() const { return read_; }

 private:
  Jobserver(int read, int write) : read_(read), write_(write) {}

  int read_;   ///< our own, which does not block
  int write_;  ///< our own
  std::string tokens_;
};

}  // namespace kernelgen::tool
