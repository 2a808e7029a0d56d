// Errors of `kernel-gen import` for files that it cannot import, read by the real clang.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/fault.hpp"
#include "commands/import.hpp"
#include "support/printed.hpp"
#include "support/temporary_folder.hpp"

namespace kernelgen::tool {
namespace {

namespace fs = std::filesystem;

class ImportError : public testing::Test {
 protected:
  ImportError() {
    options_.source = folder_ / "my.hip";
    options_.out = folder_ / "out";
    options_.places.shipped_kernels = KERNELGEN_SOURCE_DIR "/kernels";
  }

  /// The complaints about a file after its name; nothing may be left of the import.
  std::string import(const std::string& text) {
    disk_.write_atomically(options_.source, text);
    const std::string refused = run();
    EXPECT_EQ(disk_.exists(options_.out), refused.empty());
    fs::remove_all(options_.out);
    std::string all;
    const std::string start = "kernel-gen: error: " + options_.source.string() + ": ";
    for (std::size_t at = 0; at < refused.size();) {
      const std::size_t end = std::min(refused.find('\n', at), refused.size());
      const std::string line = refused.substr(at, end - at);
      all += (all.empty() ? "" : "\n") + (line.starts_with(start) ? line.substr(start.size()) : line);
      at = end + 1;
    }
    return all;
  }
  std::string run() {
    const auto runner = make_process_runner();
    std::string text;
    test::printed([&](std::FILE* out) {
      try {
        run_import(options_, disk_, *runner, environment_, out);
      } catch (const BadInput& error) {
        text = error.what();
      }
    });
    return text;
  }

  RealDisk disk_;
  Environment environment_ = process_environment();
  const test::TemporaryFolder temporary_{"import"};
  const fs::path folder_ = temporary_.path();
  ImportOptions options_;
};

constexpr const char* include = "#include <hip/hip_runtime.h>\n";

TEST_F(ImportError, KernelsThatNoManifestDescribes) {
  EXPECT_EQ(import(std::string(include) + "template <class T> __global__ void k(T* x) { *x = 1; }\n"),
            "line 2: kernel 'k' is a template; write a kernel that calls a device function with the types "
            "that are wanted");
  EXPECT_EQ(import(std::string(include) +
                   "__global__ void k(int* x) { *x = 1; }\n\n__global__ void k(float* x) { *x = 1; }\n"),
            "line 4: kernel 'k' is overloaded; give each its own name");
  EXPECT_EQ(import(std::string(include) + "namespace a::b {\n__global__ void k(int* x) { *x = 1; }\n}\n"),
            "line 3: kernel 'k' is in a::b; kernels have names of C");
  EXPECT_EQ(import(std::string(include) + "\n__global__ void k(int* x, ...) { *x = 1; }\n"),
            "line 3: kernel 'k' takes '...', which no launch can pass; name each argument");
  EXPECT_EQ(
      import(std::string(include) + "template <class... T> __global__ void k(int* x, T... y) { *x = 1; }\n"),
      "line 2: kernel 'k' is a template; write a kernel that calls a device function with the types "
      "that are wanted");
  EXPECT_EQ(import(std::string(include) + "template <class... T> __global__ void k(T*... x);\n"
                                          "template <> __global__ void k<int>(int* x) { *x = 1; }\n"),
            "line 3: kernel 'k' is a specialization of a template; write a kernel that calls a device "
            "function with "
            "the types that are wanted");
  EXPECT_EQ(import(std::string(include) + "__global__ void k() {}\n"),
            "line 2: kernel 'k' takes nothing; what would it write?");
  const char* const advice =
      ", which no argument is; numbers and pointers are, so pass a struct's fields, or a pointer to it";
  EXPECT_EQ(
      import(std::string(include) + "struct P { int a; };\n__global__ void k(int* x, P p) { *x = p.a; }\n"),
      std::string("line 3: kernel 'k' takes 'p' as P") + advice);
  EXPECT_EQ(
      import(std::string(include) +
             "enum class E { a };\n__global__ void k(int* x, E e) {}\n__global__ void j(int& r) {}\n"),
      fmt::format("line 3: kernel 'k' takes 'e' as E{0}\nline 4: kernel 'j' takes 'r' as int &{0}", advice));
}

TEST_F(ImportError, FilesWithoutWhatIsWanted) {
  EXPECT_EQ(import(std::string(include) + "__device__ void f() {}\n"), "holds no __global__ function");
  EXPECT_TRUE(import("__global__ void k(int* x) { *x = 1; }\n").starts_with("clang cannot read it: "));
  EXPECT_NE(import(std::string(include) + "__global__ void k(int* x) { *x = y; }\n")
                .find("use of undeclared identifier 'y'"),
            std::string::npos);
  options_.kernels = {"scales"};
  EXPECT_EQ(import(std::string(include) + "__global__ void scale(int* x) { *x = 1; }\n"),
            "--kernel scales: there is no such kernel (did you mean 'scale'?)");
  options_.kernels = {"fine"};
  EXPECT_EQ(
      import(std::string(include) +
             "template <class T> __global__ void k(T* x) { *x = 1; }\n__global__ void fine(int* x) {}\n"),
      "");
}

TEST_F(ImportError, Names) {
  options_.module = "2d";
  EXPECT_TRUE(import("").starts_with("the module's name '2d' ")) << import("");
  options_.module.clear();
  EXPECT_EQ(import("#include \"../other.hpp\"\n"),
            fmt::format("includes \"../other.hpp\", outside of the folder of {}", options_.source.string()));
  options_.source = folder_ / "nowhere.hip";
  EXPECT_EQ(run(), "kernel-gen: error: " + options_.source.string() + ": there is no such file");
  options_.source = folder_ / "my.hip";
  environment_ = [](const char*) { return std::string(); };
  EXPECT_EQ(run(),
            "kernel-gen: error: import: no clang++ from version 15 on is in PATH; apt install clang-19");
}

}  // namespace
}  // namespace kernelgen::tool
