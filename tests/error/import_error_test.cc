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
    options_.sources = {folder_ / "my.hip"};
    options_.out = folder_ / "out";
    options_.paths.shipped_kernels = KERNELGEN_SOURCE_DIR "/kernels";
  }

  /// The complaints about a file after its name; nothing may be left of the import.
  std::string import(const std::string& text) {
    disk_.write_atomically(options_.sources[0], text);
    const std::string refused = run();
    EXPECT_EQ(disk_.exists(options_.out), refused.empty());
    fs::remove_all(options_.out);
    std::string all;
    const std::string start = "kernel-gen: error: " + options_.sources[0].string() + ":";
    for (std::size_t at = 0; at < refused.size();) {
      const std::size_t end = std::min(refused.find('\n', at), refused.size());
      std::string line = refused.substr(at, end - at);
      if (line.starts_with(start)) line.erase(0, start.size() + (line[start.size()] == ' '));
      all += (all.empty() ? "" : "\n") + line;
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

TEST_F(ImportError, AProgramWithoutItsHeaders) {
  options_.paths.shipped_kernels = folder_ / "kernels";
  disk_.write_atomically(options_.sources[0], "__global__ void fill(float* x) { *x = 1; }\n");
  EXPECT_EQ(
      run(),
      "kernel-gen: error: " + (folder_ / "kernels/imported/api.hpp").string() +
          ": is missing: a program that was copied alone lacks HIP's device API; run the installed one, "
          "or the one in its build folder");
}

TEST_F(ImportError, NoneForWhatHostCodeLaunches) {
  disk_.write_atomically(folder_ / "other.hpp",
                         "template <class T> __global__ void unused(T* x) { *x = 0; }\n");
  EXPECT_EQ(import(R"(#include <hip/hip_runtime.h>
#include "other.hpp"
template <class T> __device__ void twice(const T* x, T* y) { *y = *x + *x; }
template <class T, void (*F)(const T*, T*)> __global__ void apply(const T* x, T* y) { F(x, y); }
template <class T, int n> __global__ void fill(T* x) { x[threadIdx.x] = n; }
__global__ void both(float* x) { *x = 1; }
void both(float* x, int blocks) { both<<<blocks, 1>>>(x); }
struct Three { static constexpr int value = 3; };
template <class T> void run(T* x) {
  apply<T, twice<T>><<<1, 1, 0, hipStreamDefault>>>(x, x);
  auto error = hipMemcpyAsync(x, x, 4, hipMemcpyDefault, nullptr);
  auto launch = [&](auto n) { fill<T, decltype(n)::value><<<1, 64>>>(x); };
  launch(Three{});
}
template void run(float*);
struct Context { missing_handle_t handles[2] = {nullptr}; };
)"),
            "");
}

TEST_F(ImportError, KernelsThatCannotBeLaunched) {
  EXPECT_EQ(import("template <class T> __global__ void k(T* x) { *x = 1; }\n"
                   "__global__ void o(int* x) { *x = 1; }\n"
                   "__global__ void o(float* x) { *x = 1; }\n"
                   "__global__ void v(int* x, ...) { *x = 1; }\n"
                   "__global__ void a__b(int* x) { *x = 1; }\n"),
            "1:36: kernel 'k' is a template that nothing in the file instantiates; add --instantiate "
            "'k<float>', with "
            "its own arguments\n"
            "3:17: kernel 'o' is overloaded; give each its own name\n"
            "4:17: kernel 'v' takes '...', which no launch can pass; name each argument\n"
            "5:17: kernel 'a__b' cannot keep its name, which is reserved for the compiler, as all names with "
            "'__', or "
            "'_' and a capital in front");
  EXPECT_EQ(import("__global__ void n() {}\n__global__ void r(int& x) { x = 1; }\n"),
            "1:17: kernel 'n' takes nothing; what would it write?\n"
            "2:17: kernel 'r' takes 'x' by reference, which no launch can pass; take a pointer");
}

/// All at once, at their lines; what is wrong with host code does not matter.
TEST_F(ImportError, EverythingThatKernelsMiss) {
  EXPECT_EQ(import("#include <vendor/matrix.h>\n"
                   "__device__ int f(int x) { return vendor_f(x); }\n"
                   "__global__ void k(int* x) { *x = f(y); }\n"
                   "__global__ void j(vendor_type* x) {}\n"
                   "int main() { vendor_main(); }\n"),
            "2:34: use of undeclared identifier 'vendor_f'\n"
            "3:36: use of undeclared identifier 'y'\n"
            "4:19: unknown type name 'vendor_type'\n"
            "found no header vendor/matrix.h; name their folders by -I if kernels need them");
  EXPECT_EQ(import("__device__ void f() {}\n"), "holds no __global__ function");
}

TEST_F(ImportError, KernelsThatAreChosen) {
  options_.kernels = {"scales"};
  EXPECT_EQ(import("__global__ void scale(int* x) { *x = 1; }\n"),
            "--kernel scales: there is no such kernel (did you mean 'scale'?)");
  options_.kernels = {"fine"};
  EXPECT_EQ(
      import("template <class T> __global__ void k(T* x) { *x = 1; }\n__global__ void fine(int* x) {}\n"),
      "");
  options_.kernels.clear();
  options_.instances = {"scales<int>"};
  EXPECT_EQ(
      import("template <class T> __global__ void scale(T* x) { *x = 1; }\n__global__ void fine(int* x) {}\n"),
      "--instantiate 'scales<int>': there is no such template of a kernel (did you mean 'scale'?)\n"
      "1:36: kernel 'scale' is a template that nothing in the file instantiates; add --instantiate "
      "'scale<float>', with "
      "its own arguments");
  options_.instances = {"k<nowhere>"};
  EXPECT_NE(import("template <class T> __global__ void k(T* x) { *x = 1; }\n").find("'nowhere'"),
            std::string::npos);
  options_.instances = {"k<int>; }"};
  EXPECT_NE(import("template <class T> __global__ void k(T* x) { *x = 1; }\n").find("no such template"),
            std::string::npos);
  options_.instances.clear();
  options_.leaves_out = true;
  EXPECT_EQ(
      import("template <class T> __global__ void k(T* x) { *x = 1; }\n__global__ void fine(int* x) {}\n"),
      "");
}

TEST_F(ImportError, FilesAndNames) {
  options_.module = "2d";
  EXPECT_TRUE(import("").starts_with("the module's name '2d' ")) << import("");
  options_.module.clear();
  disk_.make_dirs(folder_ / "below");
  disk_.write_atomically(folder_ / "secret.hpp", "");
  options_.sources[0] = folder_ / "below" / "my.hip";
  EXPECT_EQ(import("#include \"../secret.hpp\"\n__global__ void k(int* x) {}\n"),
            fmt::format(
                "kernel-gen: error: {0}/below/../secret.hpp: is included from outside of the imported file's "
                "folder; name its folder: -I {0}/below/..",
                folder_.string()));
  options_.sources[0] = folder_ / "nowhere.hip";
  EXPECT_EQ(run(), fmt::format("kernel-gen: error: {}: there is no such file", options_.sources[0].string()));
  options_.sources = {folder_ / "my.hip", folder_ / "my.cu"};
  for (const fs::path& source : options_.sources) disk_.write_atomically(source, "");
  EXPECT_NE(run().find("another file makes module 'my' as well"), std::string::npos);
  options_.sources = {folder_ / "my.hip"};
  options_.defines = {"A=1\n#include \"/etc/passwd\"", "2=3"};
  EXPECT_EQ(run(),
            "kernel-gen: error: -D A=1\\n#include \"/etc/passwd\": a macro's value is one line\n"
            "kernel-gen: error: -D 2=3: '2' is not the name of a macro; write -D NAME or -D NAME=VALUE");
  options_.defines.clear();
  environment_ = [](const char*) { return std::string(); };
  EXPECT_EQ(run(),
            "kernel-gen: error: import: no clang++ from version 15 on is in PATH; apt install clang-19");
}

}  // namespace
}  // namespace kernelgen::tool
