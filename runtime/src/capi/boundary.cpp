#include "boundary.hpp"

#include <exception>
#include <filesystem>
#include <new>

namespace kernelgen::capi {
namespace {

static_assert(KERNELGEN_OK == static_cast<int>(Code::ok));
static_assert(KERNELGEN_INVALID_ARGUMENT == static_cast<int>(Code::invalid_argument));
static_assert(KERNELGEN_NOT_FOUND == static_cast<int>(Code::not_found));
static_assert(KERNELGEN_UNSUPPORTED == static_cast<int>(Code::unsupported));
static_assert(KERNELGEN_OUT_OF_MEMORY == static_cast<int>(Code::out_of_memory));
static_assert(KERNELGEN_DEVICE_ERROR == static_cast<int>(Code::device));
static_assert(KERNELGEN_BAD_PACKAGE == static_cast<int>(Code::bad_package));
static_assert(KERNELGEN_INDEX_OUT_OF_RANGE == static_cast<int>(Code::index_out_of_range));
static_assert(KERNELGEN_IO == static_cast<int>(Code::io));

/// A thread's last error. `text` points into `owned`, or to a literal when there was no memory for a copy.
struct LastError {
  std::string owned;
  const char* text = "";
};

LastError& last_error() {
  thread_local LastError error;
  return error;
}

/// Composes a message and keeps it; when even that fails for memory, keeps `fallback`, which is static.
template <class Compose>
void keep(const Compose& compose, const char* fallback) noexcept {
  LastError& error = last_error();
  try {
    error.owned = compose();
    error.text = error.owned.c_str();
  } catch (...) {
    error.text = fallback;
  }
}

kernelgen_status report(kernelgen_status status, const char* function, const char* what) noexcept {
  keep([&] { return std::string(function) + ": " + what; }, "an error whose text did not fit into memory");
  return status;
}

}  // namespace

DType need_dtype(kernelgen_dtype value, const char* parameter) {
  if (value < 0 || static_cast<std::size_t>(value) >= dtype_count)
    fail(parameter, "is " + std::to_string(value) + ", which is not a kernelgen_dtype (0 to " +
                        std::to_string(dtype_count - 1) + ")");
  return static_cast<DType>(value);
}

void need_index(std::uint32_t index, std::size_t count, const char* parameter) {
  if (index >= count)
    fail(parameter,
         "is " + std::to_string(index) + ", but the package has " + std::to_string(count) + " of them");
}

void fail(const char* parameter, const std::string& problem) {
  throw Error(Code::invalid_argument, std::string(parameter) + " " + problem);
}

kernelgen_status report_exception(const char* function) noexcept {
  try {
    throw;
  } catch (const Error& error) {
    return report(static_cast<kernelgen_status>(error.code()), function, error.what());
  } catch (const std::bad_alloc&) {
    return report(KERNELGEN_OUT_OF_MEMORY, function, "the host has no memory left");
  } catch (const std::filesystem::filesystem_error& error) {
    return report(KERNELGEN_IO, function, error.what());
  } catch (const std::exception& error) {
    return report(KERNELGEN_INTERNAL, function, error.what());
  } catch (...) {
    return report(KERNELGEN_INTERNAL, function, "an exception of unknown type");
  }
}

}  // namespace kernelgen::capi

const char* kernelgen_last_error(void) { return kernelgen::capi::last_error().text; }
