// Packages: everything in a file that opens can be read; all other files are refused.
#include <algorithm>
#include <cstring>

#include "kernelgen/error.hpp"
#include "kernelgen/package.hpp"
#include "seeds.hpp"
#include "support/sample_package.hpp"

using kernelgen::Package;

namespace {

std::uint64_t follow(const Package& package) {
  std::uint64_t sum = package.provenance().size();
  for (std::uint32_t k = 0; k < package.kernels().size(); ++k) {
    sum += package.find_kernel(package.text(package.kernels()[k].name)).value();
    for (const auto& argument : package.arguments(k)) sum += package.text(argument.name).size();
  }
  for (std::uint32_t t = 0; t < package.targets().size(); ++t)
    for (std::uint32_t m = 0; m < package.modules().size(); ++m)
      for (const std::byte byte : package.code(t, m)) sum += static_cast<std::uint8_t>(byte);
  for (const auto& operation : package.operations()) {
    for (const auto& operand : package.operands(operation)) sum += package.text(operand.name).size();
    for (const auto& variable : package.variables(operation)) sum += package.digits()[variable.first_digit];
    for (const std::uint32_t variant : package.variants(operation)) sum += variant;
  }
  package.check_blobs();
  return sum;
}

}  // namespace

std::vector<std::string> kernelgen::fuzz::seeds() {
  const std::string one = std::string(3000, 'c') + "1", other = std::string(3000, 'c') + "2";
  const test::SampleTarget targets[] = {{"cpu-x86-64-v3", 0, 1, test::bytes_of(one)},
                                        {"gfx90a", 1, 64, test::bytes_of(other)}};
  std::vector<std::string> seeds;
  for (const auto compressed : {test::Compressed::no, test::Compressed::yes}) {
    const std::vector<std::byte> bytes = test::sample_package(targets, compressed);
    seeds.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::vector<std::byte> smaller = test::with_compressed_tables(bytes);
    seeds.emplace_back(reinterpret_cast<const char*>(smaller.data()), smaller.size());
  }
  test::PackageBuilder builder;
  builder.add_target("gfx90a", 1, 64);
  builder.add_target("gfx942", 1, 64);
  builder.add_module("module");
  builder.add_kernel("kernel", {});
  builder.add_compressed(1, 0, test::bytes_of(other), builder.add_compressed(0, 0, test::bytes_of(one)));
  const std::vector<std::byte> referring = builder.finish();
  seeds.emplace_back(reinterpret_cast<const char*>(referring.data()), referring.size());
  return seeds;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Aligned as a file that is mapped, with the size and checksum that let a reader go on.
  std::vector<std::uint64_t> memory((size + 7) / 8);
  std::copy(data, data + size, reinterpret_cast<std::uint8_t*>(memory.data()));
  const std::span<std::byte> bytes(reinterpret_cast<std::byte*>(memory.data()), size);
  if (size >= sizeof(kernelgen_package_header))
    std::memcpy(bytes.data() + offsetof(kernelgen_package_header, package_bytes), &size, sizeof size);
  kernelgen::test::reseal(bytes);
  try {
    follow(Package::from_memory(bytes));
  } catch (const kernelgen::Error& error) {
    if (error.code() != kernelgen::Code::bad_package) throw;
  }
  return 0;
}
