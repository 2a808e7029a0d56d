#include "ops/matmul_choice.hpp"

#include <algorithm>

#include "device/device_state.hpp"
#include "library/blas.hpp"
#include "library/gpu_matrices.hpp"
#include "ops/operation.hpp"
#include "ops/product_shapes.hpp"
#include "ops/traits.hpp"

namespace kernelgen {
namespace {

/// A CPU library is called from so many multiplications of a slice on, if rows, columns and terms are at least `least_side`.
/// It is called once for each slice; each call splits the work among the library's own threads, which spin between calls. If a
/// side is short, packing the operands costs as much as multiplying them. On two shared cores OpenBLAS took 0.6 to 0.9 of our
/// kernel's time for 512 rows, columns and terms, 10 times as long for 318 slices of [811, 32] by [32, 32], and 30 times as
/// long for 4 of [3, 4096] by [4096, 102].
constexpr double worth_a_cpu_call = 512.0 * 512 * 512;
constexpr std::int64_t least_side = 64;
/// Multiplications from which a copy of an operand for a GPU library is worth its launch.
constexpr double copied_work = 64.0 * 64 * 64;
/// Multiplications of a call from which a GPU library is called that needs many where our kernel needs one launch.
constexpr double worth_one_of_many_calls = 256.0 * 256 * 256;
/// Minimum results per slice. Our kernel computes each result with a wave or part of one, for any number of
/// slices: on an H100 the library takes 2.7 times as long for 695958 slices of [2, 64] by [64, 1] and 1.9
/// times for 78593 dot products of 15, but 0.44 of the time for 16384 slices of [7, 69] by [69, 1].
constexpr std::int64_t worth_a_gpu_call = 4;
/// Minimum results computed from each copied element.
constexpr std::int64_t worth_a_copy = 16;
/// Multiplications above which a library makes up for a pass over the product, bytes of terms above which more blocks do,
/// and columns below which that pass leaves threads idle.
constexpr double worth_a_pass = 1024.0 * 1024 * 1024;
constexpr std::int64_t worth_a_pass_bytes = 16384, pass_columns = 128;

bool fits(const MatrixProduct& product, const MatrixProduct::Side& side) {
  return BlasOperand::of(side, product.terms).has_value();
}

const MatrixLibrary* cpu_library(const MatrixProduct& product) {
  const std::int64_t side = std::min({product.a.rows, product.b.rows, product.terms});
  if (side < least_side || product.slice_work() < worth_a_cpu_call) return nullptr;
  return Blas::takes(product.dtype) ? Blas::find() : nullptr;
}

const MatrixLibrary* gpu_library(const Device& device, const MatrixProduct& product,
                                 const Iteration<2>& batch) {
  if (product.slice_elements() < worth_a_gpu_call) return nullptr;
  if (batch.rank > 1 && product.slice_work() * static_cast<double>(batch.extent[0]) < worth_one_of_many_calls)
    return nullptr;
  return GpuMatrices::of(state_of(device), product.dtype);
}

/// Whether the device's packages have what matmul() calls to add parts; packages may hold some operations only.
bool can_add_parts(const Device& device, DType result) {
  return Operation::find(device, Builtin::sum) &&
         (!is_16bit(result) ||
          (Operation::find(device, Builtin::matmul_wide) && Operation::find(device, Builtin::cast)));
}

}  // namespace

const MatrixLibrary* library_for(const Device& device, const MatrixProduct& product,
                                 const Iteration<2>& batch) {
  if (!fits(product, product.a) || !fits(product, product.b)) return nullptr;
  if (device.kind() != DeviceKind::cpu) return gpu_library(device, product, batch);
  // The CPU library runs synchronously, so its calls cannot be captured in a graph.
  return state_of(device).capture() != nullptr ? nullptr : cpu_library(product);
}

bool is_worth_a_copy(const Device& device, const MatrixProduct& product, const MatrixProduct::Side& side) {
  const std::int64_t uses = &side == &product.a ? product.b.rows : product.a.rows;
  return !fits(product, side) && uses >= worth_a_copy && product.slice_work() >= copied_work &&
         GpuMatrices::of(state_of(device), product.dtype) != nullptr;
}

std::int64_t parts_of(const Device& device, const MatrixProduct& product, std::int64_t slices,
                      std::size_t rank, const MatrixLibrary* library) {
  if (size_of(product.dtype) == 1 || product.a.rows == 1 || product.b.rows == 1 || rank == max_rank) return 1;
  // Of fewer terms or more results, splitting a library's product gains little.
  constexpr std::int64_t many_terms = 2048, few_results = 512 * 512;
  if (library != nullptr &&
      (slices > 1 || product.terms < many_terms || product.slice_elements() > few_results))
    return 1;
  const std::int64_t parts = matmul_parts(problem_of(product, slices), traits_of(device));
  return parts > 1 && can_add_parts(device, product.result) &&
                 (library == nullptr || library->leaves_idle(product))
             ? parts
             : 1;
}

bool is_worth_mapping_apart(const Device& device, const MatrixProduct& product, const Iteration<2>& batch,
                            std::size_t rank) {
  if (size_of(product.dtype) == 1 || product.b.rows < pass_columns ||
      !Operation::find(device, is_16bit(product.dtype) ? Builtin::matmul_wide : Builtin::matmul))
    return false;
  const std::int64_t slices = batch.elements();
  if (product.slice_work() * static_cast<double>(slices) >= worth_a_pass &&
      library_for(device, product, batch) != nullptr)
    return true;
  return product.terms * static_cast<std::int64_t>(size_of(product.dtype)) >= worth_a_pass_bytes &&
         parts_of(device, product, slices, rank, nullptr) > 1;
}

}  // namespace kernelgen
