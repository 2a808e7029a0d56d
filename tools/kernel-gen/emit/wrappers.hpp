#pragma once
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kernelgen::tool {

/// A kernel of a package, called by a wrapper function.
struct WrappedKernel {
  struct Argument {
    std::string name;
    std::string type;  ///< "const f32*", "u64"; that of a struct by its name
    std::uint32_t size;
  };

  std::string name;
  std::uint32_t block;  ///< most threads
  std::vector<Argument> arguments;

  /// "f32*, const f32*, u64", as kernelgen::find_kernel() compares it.
  std::string spell_types() const;
};

/// What a wrapper's parameter takes: a number of this C++ and Rust type, an address of such numbers, or bytes.
struct WrappedType {
  enum class Kind { number, pointer, bytes };

  Kind kind;
  bool is_const;         ///< pointers: not written through
  std::string_view cpp;  ///< "std::uint64_t"; "void" for a pointer to what is not a number
  std::string_view rust;
};
WrappedType wrapped_type(const WrappedKernel::Argument& argument);

/// Names that differ from each other and from those that are taken, by '_' at their ends.
class UniqueNames {
 public:
  explicit UniqueNames(std::set<std::string, std::less<>> taken) : taken_(std::move(taken)) {}
  std::string add(std::string name);

 private:
  std::set<std::string, std::less<>> taken_;
};

/// A header with the class NAME::Kernels, a member function for each kernel, over kernelgen/launch.hpp.
std::string emit_cpp_wrappers(std::string_view name, std::span<const WrappedKernel> kernels);
/// A Rust file with the struct Kernels, the same over the crate's module `launch`.
std::string emit_rust_wrappers(std::string_view name, std::span<const WrappedKernel> kernels);

}  // namespace kernelgen::tool
