#pragma once
#include <cstddef>

#include "kernelgen/call.hpp"
#include "ops/arguments.hpp"

namespace kernelgen {

/// A number in the encoding a kernel takes.
class ScalarElement {
 public:
  ScalarElement() = default;
  /// Throws as Scalar::store.
  ScalarElement(const Scalar& scalar, DType dtype) : size_(size_of(dtype)) { scalar.store(dtype, bytes_); }

  void add_to(Arguments& arguments) const { arguments.add(bytes_, size_, size_); }

 private:
  std::byte bytes_[8] = {};
  std::size_t size_ = 0;
};

}  // namespace kernelgen
