#pragma once
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "kernelgen/ops.hpp"
#include "kernelgen/tensor.hpp"
#include "support/temporary_folder.hpp"

/// What tests of code that is compiled while the program runs share. A process finds its compilers once, so KERNELGEN_CLANG
/// and the stubs are the same for all tests.
namespace kernelgen::test {

inline constexpr const char* twice = R"(#include "device/dialect.hpp"
KG_KERNEL(64, twice, float* x, kg::u64 n) {
  kg::begin_kernel();
  for (kg::u64 i = kg::block_index(); i < n; i += kg::grid_size()) x[i] *= FACTOR;
}
)";

inline void write_text(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file) << text;
}

inline std::string read_text(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// A clang++ that writes down how often it was started, named by KERNELGEN_CLANG before any test opens a compiler.
class CountedClang {
 public:
  CountedClang() : folder_("clang") {
    write_text(clang(), "#!/bin/sh\necho >>" + log().string() + "\nexec " KERNELGEN_CLANGXX " \"$@\"\n");
    std::filesystem::permissions(clang(), std::filesystem::perms::owner_all);
    ::setenv("KERNELGEN_CLANG", clang().c_str(), 1);
    ::setenv("KERNELGEN_NVRTC_LIBRARY", KERNELGEN_STUB_NVRTC, 1);
    ::setenv("KERNELGEN_HIPRTC_LIBRARY", KERNELGEN_STUB_HIPRTC, 1);
  }
  std::filesystem::path clang() const { return folder_.path() / "clang++"; }
  /// Since the process began.
  long starts() const { return static_cast<long>(read_text(log()).size()); }
  static CountedClang& instance() {
    static CountedClang clang;
    return clang;
  }

 private:
  std::filesystem::path log() const { return folder_.path() / "starts"; }
  TemporaryFolder folder_;
};

/// Each test has a separate cache, and devices that know no expression yet.
class Compiling : public testing::Test {
 protected:
  Compiling() {
    CountedClang::instance();
    ::setenv("KERNELGEN_CACHE", cache_.path().c_str(), 1);
  }

  static Device cpu() {
    static const Package package = Package::embedded();
    return Device::open("cpu:2", package);
  }
  static Tensor tensor(const Device& device, const Shape& shape, DType dtype = DType::f32) {
    std::vector<float> values(static_cast<std::size_t>(shape_elements(shape)));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 13) - 6;
    const Tensor made = Tensor::from_host(device, std::as_bytes(std::span(values)), shape, DType::f32);
    return dtype == DType::f32 ? made : to_dtype(made, dtype);
  }
  static std::int64_t shape_elements(const Shape& shape) {
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
  }
  static std::vector<float> values(const Tensor& given) {
    const Tensor x = given.dtype() == DType::f32 ? given : to_dtype(given, DType::f32);
    std::vector<float> all(static_cast<std::size_t>(x.elements()));
    const std::vector<std::byte> bytes = x.to_host();
    std::memcpy(all.data(), bytes.data(), bytes.size());
    return all;
  }
  /// How often the compiler is started by it.
  template <class Work>
  static long starts_of(const Work& work) {
    const long before = CountedClang::instance().starts();
    work();
    return CountedClang::instance().starts() - before;
  }
  std::vector<std::filesystem::path> entries() const {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(cache_.path()))
      if (entry.is_regular_file() && entry.path().filename() != "CACHEDIR.TAG") files.push_back(entry.path());
    return files;
  }

  TemporaryFolder cache_{"modules"};
};

inline CompileOptions with_factor(const char* factor) {
  CompileOptions options;
  options.name = "twice.cu";
  options.flags = {std::string("-DFACTOR=") + factor};
  return options;
}

}  // namespace kernelgen::test
