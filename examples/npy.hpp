#pragma once
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernelgen/tensor.hpp"

/// The elements of a .npy file of version 1 in C order, as a tensor of that dtype and shape. Only what the files
/// of the examples need: a header that says otherwise is refused by its size.
inline kernelgen::Tensor load_npy(const kernelgen::Device& device, const std::string& path,
                                  kernelgen::DType dtype, const kernelgen::Shape& shape) {
  // Opening a pipe would wait for its other end.
  if (std::filesystem::exists(path) && !std::filesystem::is_regular_file(path))
    throw std::runtime_error(path + " is not a regular file");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + " cannot be opened: " + std::strerror(errno));
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (bytes.size() < 10 || bytes.compare(1, 5, "NUMPY") != 0)
    throw std::runtime_error(path + " is no .npy file");
  const std::size_t start = 10 + static_cast<unsigned char>(bytes[8]) +
                            256 * static_cast<std::size_t>(static_cast<unsigned char>(bytes[9]));
  if (start > bytes.size()) throw std::runtime_error(path + " ends inside its header");
  const std::span<const char> elements(bytes.data() + start, bytes.size() - start);
  return kernelgen::Tensor::from_host(device, std::as_bytes(elements), shape, dtype);
}
