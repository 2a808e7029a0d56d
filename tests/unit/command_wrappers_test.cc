// Wrappers of packages that builds would not make, and of none. integration.imported compiles and calls those of a build.
#include "commands/wrappers.hpp"

#include <gtest/gtest.h>

#include "base/fault.hpp"
#include "support/package_builder.hpp"
#include "support/temporary_file.hpp"

namespace kernelgen::tool {
namespace {

class Wrappers : public testing::Test {
 protected:
  /// The C++ and the Rust wrappers of a kernel with such arguments.
  std::pair<std::string, std::string> wrap(std::string_view kernel,
                                           std::initializer_list<test::Argument> arguments) {
    test::PackageBuilder builder;
    builder.add_target("gfx90a", 1, 64);
    builder.add_module("module");
    builder.add_kernel(kernel, arguments);
    const test::TemporaryFile file("odd.kgpkg", builder.finish());
    const std::vector<EmittedFile> files = wrapper_files(file.path(), "odd", disk_);
    EXPECT_EQ(files.at(0).path, "odd.hpp");
    EXPECT_EQ(files.at(1).path, "odd.rs");
    return {files.at(0).text, files.at(1).text};
  }
  void refused(const std::filesystem::path& package, const std::string& name, const std::string& text) {
    try {
      wrapper_files(package, name, disk_);
      ADD_FAILURE() << "no error: " << text;
    } catch (const BadInput& error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  }

  RealDisk disk_;
};

void expect_parts(const std::string& text, std::initializer_list<std::string_view> parts) {
  for (const std::string_view part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
}

TEST_F(Wrappers, TypesThatAreNoNumbers) {
  const auto [cpp, rust] =
      wrap("k", {{"shape", "Strided<2>", 40}, {"half", "f16", 2}, {"y", "q4_0*", 8, true, true}});
  expect_parts(cpp, {"const kernelgen::ByValue<40>& shape", "const kernelgen::ByValue<2>& half",
                     "const kernelgen::Pointer<void>& y", "\"Strided<2>, f16, q4_0*\""});
  expect_parts(
      rust, {"use std::os::raw::c_void;", "shape_: [u8; 40],", "half: [u8; 2],", "y: impl Pointer<c_void>,"});
}

TEST_F(Wrappers, NoArguments) {
  const auto [cpp, rust] = wrap("none", {});
  expect_parts(cpp, {"            std::uint32_t shared_bytes = 0) const {",
                     "launch(stream, grid, block, shared_bytes);", "{device, \"none\", \"\"}"});
  expect_parts(rust, {"shape.into(), &[\n        ])"});
}

TEST_F(Wrappers, NamesThatAreTaken) {
  const auto [cpp, rust] = wrap("Kernels", {{"block", "u32", 4}, {"block_", "u32", 4}, {"self", "u32", 4}});
  expect_parts(cpp,
               {"void Kernels_(", "std::uint32_t block_,", "std::uint32_t block__,", "std::uint32_t self,"});
  expect_parts(rust, {"fn Kernels(", "block: u32,", "block_: u32,", "self_: u32,", "&self,"});
}

TEST_F(Wrappers, WhatCannotBeWrapped) {
  refused("/nonexistent.kgpkg", "", "there is no package; 'kernel-gen build' writes one");
  refused(KERNELGEN_TEST_PACKAGE, "", "its kernels belong to operations");
  test::PackageBuilder builder;
  builder.add_target("gfx90a", 1, 64);
  builder.add_module("module");
  builder.add_kernel("k", {});
  const test::TemporaryFile file("no-name.kgpkg", builder.finish());
  refused(file.path(), "", "the wrappers' name '");
  refused(file.path(), "class",
          "the wrappers' name 'class' is a keyword of C or C++; give another with --name");
}

}  // namespace
}  // namespace kernelgen::tool
