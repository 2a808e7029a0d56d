#pragma once
#include <stdexcept>
#include <string>

namespace kernelgen {

/// What kind of thing went wrong; the numbers are the C ABI's `kernelgen_status`.
enum class Code : int {
  ok = 0,
  invalid_argument = 1,  ///< a value, shape, dtype or layout the call does not take
  not_found = 2,         ///< no such operation, kernel, file or device
  unsupported = 3,       ///< understood, but nothing here can do it (no code for this device, missing driver)
  out_of_memory = 4,     ///< the device or the host refused an allocation
  device = 5,            ///< the driver reported an error
  bad_package = 6,       ///< a package, code object or file that is damaged or of another version
  index_out_of_range = 7,  ///< an index operand pointed outside its dimension
  io = 8,                  ///< the operating system refused a file operation
};

/// Every error of the library. what() says what was wanted, what was given and what would work.
class Error : public std::runtime_error {
 public:
  Error(Code code, const std::string& message) : std::runtime_error(message), code_(code) {}
  Code code() const noexcept { return code_; }

 private:
  Code code_;
};

}  // namespace kernelgen
