#pragma once
#include <cstring>
#include <string>
#include <vector>

#include "kernelgen/tensor.hpp"
#include "reference/element.hpp"

/// Kernels launched as a program does that knows candle's names and signatures and nothing else.
namespace kernelgen::candle {

using reference::Elements;

/// The package under test: KERNELGEN_CANDLE_PACKAGE where that variable is set, else that of this build.
const Package& package();
/// KERNELGEN_DEVICE, or `cpu`, with that package.
const Device& device();

/// Arguments in order, each at its natural alignment.
class Block {
 public:
  template <class T>
  Block& add(const T& value) {
    return add(&value, sizeof value);
  }
  Block& add(const Tensor& tensor) { return add<void*>(tensor ? tensor.data() : nullptr); }
  /// One element, as a scalar of its dtype.
  Block& add(const Elements& scalar) { return add(scalar.at(0), scalar.bytes().size()); }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  Block& add(const void* value, std::size_t size);
  std::vector<std::byte> bytes_;
};

/// How a launch is cut: on the CPU, whose blocks have one thread, only the grid counts. Shared memory is for kernels of which
/// CUDA's launches set its size.
struct Cut {
  std::uint32_t grid, block, block_y = 1, grid_y = 1, grid_z = 1, shared_bytes = 0;
  std::string text() const;
};
/// Every block size a caller may use, with a grid that covers `n` elements and one that does not.
std::vector<Cut> element_cuts(std::int64_t n);
/// A block an item.
std::vector<Cut> row_cuts(std::int64_t rows);

void launch(const std::string& kernel, const Cut& cut, const Block& arguments);

Tensor upload(const Elements& elements);
Elements download(const Tensor& tensor);
/// dims and strides in device memory, as candle passes them.
Tensor upload_info(const std::vector<std::int64_t>& numbers);

/// candle's spelling of a dtype; of f8e4m3 it has two.
std::string suffix(DType dtype, const char* f8 = "f8_e4m3");

}  // namespace kernelgen::candle
