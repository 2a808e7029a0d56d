#pragma once
#include <string>

#include "host.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen::ggml {

/// Runs `work`, which may throw, for ggml, which must not see an exception: logs it, and returns the status.
template <class Work>
Status guarded(const char* what, Work work) {
  try {
    work();
    return Status::success;
  } catch (const Error& error) {
    host().log(LogLevel::error, std::string(what) + ": " + error.what());
    return error.code() == Code::out_of_memory ? Status::alloc_failed : Status::failed;
  } catch (const std::exception& error) {
    host().log(LogLevel::error, std::string(what) + ": " + error.what());
    return Status::failed;
  }
}

}  // namespace kernelgen::ggml
