#pragma once
#include <stdexcept>
#include <string>

namespace kernelgen {

/// Kind of an error. The numbers are those of the C ABI's `kernelgen_status`.
enum class Code : int {
  ok = 0,
  invalid_argument = 1,    ///< a value, shape, dtype or layout that the call does not accept
  not_found = 2,           ///< no such operation, kernel, file or device
  unsupported = 3,         ///< valid, but not possible here (no code for this device, missing driver)
  out_of_memory = 4,       ///< the device or the host refused an allocation
  device = 5,              ///< the driver reported an error
  bad_package = 6,         ///< a package, code object or file that is damaged or of another version
  index_out_of_range = 7,  ///< an index operand was outside its dimension
  io = 8,                  ///< the operating system refused a file operation
};

/// All errors thrown by the library. what() says what was wanted, what was given and what would work.
class Error : public std::runtime_error {
 public:
  Error(Code code, const std::string& message) : std::runtime_error(message), code_(code) {}
  Code code() const noexcept { return code_; }

 private:
  Code code_;
};

}  // namespace kernelgen
