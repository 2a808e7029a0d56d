#include "ops/blas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string_view>

#include "driver/dynamic_library.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {
namespace {

constexpr const char* variable = "KERNELGEN_BLAS_LIBRARY";
// The last two are links to whichever implementation the system prefers.
constexpr const char* library_names[] = {"libopenblas.so.0", "libcblas.so.3", "libblas.so.3"};
/// Exported by OpenBLAS, MKL and BLIS. The reference implementation has none of them, and is slower than our
/// own kernel.
constexpr const char* fast_markers[] = {"openblas_get_config", "MKL_Get_Version", "bli_info_get_version_str"};

constexpr int row_major = 101, no_transpose = 111, transpose = 112;

/// How one side is passed: whether transposed, and the distance between its rows (or columns).
struct Passed {
  int transposed;
  std::int64_t leading;
};

/// `rows` by `columns` with these strides.
std::optional<Passed> passed(std::int64_t rows, std::int64_t columns, std::int64_t row_stride,
                             std::int64_t column_stride) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  if (column_stride == 1 && row_stride >= columns && row_stride <= most)
    return Passed{no_transpose, row_stride};
  if (row_stride == 1 && column_stride >= rows && column_stride <= most)
    return Passed{transpose, column_stride};
  return std::nullopt;
}

std::optional<Passed> passed_a(const BlasProduct& p) { return passed(p.rows, p.terms, p.a_row, p.a_term); }
std::optional<Passed> passed_b(const BlasProduct& p) {
  return passed(p.terms, p.columns, p.b_term, p.b_column);
}

std::optional<DynamicLibrary> open_library(const char* name) {
  try {
    return DynamicLibrary("BLAS library", variable, {&name, 1});
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

const Blas* Blas::open() {
  const auto calls_of = [](const DynamicLibrary& library) -> const Blas* {
    const auto sgemm = reinterpret_cast<Gemm<float>>(library.symbol("cblas_sgemm"));
    const auto dgemm = reinterpret_cast<Gemm<double>>(library.symbol("cblas_dgemm"));
    return sgemm == nullptr || dgemm == nullptr ? nullptr : new Blas(sgemm, dgemm);
  };
  const char* named = std::getenv(variable);
  if (named != nullptr && *named != '\0') {
    if (std::string_view(named) == "none") return nullptr;
    const DynamicLibrary library("BLAS library", variable, {});
    if (const Blas* blas = calls_of(library)) return blas;
    throw Error(Code::unsupported, fmt::format("{}, which {} names, has no cblas_sgemm and cblas_dgemm",
                                               library.path(), variable));
  }
  for (const char* name : library_names) {
    const std::optional<DynamicLibrary> library = open_library(name);
    if (!library) continue;
    const bool fast = std::ranges::any_of(
        fast_markers, [&](const char* marker) { return library->symbol(marker) != nullptr; });
    if (!fast) continue;
    if (const Blas* blas = calls_of(*library)) return blas;
  }
  return nullptr;
}

const Blas* Blas::find() {
  static const Blas* const found = open();
  return found;
}

bool Blas::takes(const BlasProduct& product) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  return (product.dtype == DType::f32 || product.dtype == DType::f64) && product.rows <= most &&
         product.columns <= most && product.terms <= most && passed_a(product) && passed_b(product);
}

template <class F>
void Blas::run(Gemm<F> gemm, const BlasProduct& p) {
  const Passed a = *passed_a(p), b = *passed_b(p);
  gemm(row_major, a.transposed, b.transposed, static_cast<int>(p.rows), static_cast<int>(p.columns),
       static_cast<int>(p.terms), F(1), static_cast<const F*>(p.a), static_cast<int>(a.leading),
       static_cast<const F*>(p.b), static_cast<int>(b.leading), F(0), static_cast<F*>(p.y),
       static_cast<int>(p.columns));
}

void Blas::multiply(const BlasProduct& product) const {
  if (product.dtype == DType::f32)
    run(sgemm_, product);
  else
    run(dgemm_, product);
}

}  // namespace kernelgen
