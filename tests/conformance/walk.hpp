#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bounds.hpp"
#include "kernelgen/ops.hpp"
#include "layouts.hpp"

namespace kernelgen::conformance {

/// An operation with its dtypes and scalars: how it is called and what it should give.
struct Subject {
  std::string operation;
  std::vector<DType> inputs;
  DType output;
  std::string scalars;  ///< as printed, "mul = 2, add = 1"
  std::function<Tensor(std::span<const Tensor>, const CallOptions&)> run;
  /// From the inputs' elements, in row-major order of the common shape.
  std::function<Wanted(std::span<const Elements>)> reference;
  Bound bound;
  /// What each input's storage is filled from; the dtype's own pool when left empty.
  std::vector<Elements> pools;
};

/// A subject that is called by name through kernelgen::call.
Subject called_by_name(std::string operation, std::vector<DType> inputs, DType output,
                       std::vector<Scalar> scalars = {});

/// Where the result goes.
enum class Output {
  fresh,    ///< a new tensor
  guarded,  ///< options.out inside a larger storage, whose other elements must stay
  in_place  ///< options.out is one of the inputs
};

/// Runs one subject through cases and reports every element that is wrong, with all it takes to see why.
/// Stops at the third failing case: the rest would say the same.
class Walk {
 public:
  explicit Walk(Subject subject);

  /// Every layout class.
  void layouts();
  /// Contiguous, through the whole pools; for two inputs or more, each special with each special too.
  void values();
  /// options.out = input, for every input of the output's dtype.
  void in_place();
  /// values, layouts and in_place.
  void everything();
  /// Each input in turn steps by one along another dim than the innermost; shapes around the sides of tiles. Where
  /// the dtypes allow, options.out is the input next to it.
  void tiles();
  /// Results that are written past the CPU's caches.
  void beyond_caches();
  /// One call with given storages.
  void check(const LayoutCase& layouts, std::vector<Elements> storages, Output output,
             std::size_t in_place = 0);

 private:
  void check_pooled(const LayoutCase& layouts, Output output, std::size_t in_place = 0);
  const Elements& pool_of(std::size_t input) const;
  /// An operation of one input is evaluated once over its pool; what a case wants is picked from there.
  Wanted pick_wanted(const View& view, std::int64_t shift);
  void compare(const LayoutCase& layouts, const std::vector<Elements>& storages, const Wanted& wanted,
               Output output, std::size_t in_place);
  bool tired() const { return failures_ >= 3; }
  void fail(const std::string& message);

  Subject subject_;
  std::optional<Wanted> wanted_of_pool_;
  std::uint64_t calls_ = 0;
  int failures_ = 0;
};

/// The elements of `storage` on the device under test, as one flat tensor.
Tensor upload(const Elements& storage);
/// All elements of a tensor, in row-major order.
Elements download(const Tensor& tensor);
/// Elements of a storage whose every byte is 0xa5.
Elements poison(DType dtype, std::int64_t count);

}  // namespace kernelgen::conformance
