#include "library/blas.hpp"

#include "common/environment.hpp"
#include "common/format.hpp"

#include <algorithm>
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
  const char* named = environment_variable(variable);
  if (named != nullptr && *named != '\0') {
    if (std::string_view(named) == "none") return nullptr;
    const DynamicLibrary library("BLAS library", variable, {});
    if (const Blas* blas = calls_of(library)) return blas;
    throw Error(Code::unsupported, formatted("{}, which {} names, has no cblas_sgemm and cblas_dgemm",
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

template <class F>
void Blas::run(Gemm<F> gemm, const MatrixProduct& p, const BlasOperand& a, const BlasOperand& b) {
  const auto n = static_cast<int>(p.b.rows);
  using namespace cblas;
  gemm(row_major, a.terms_together ? no_transpose : transpose, b.terms_together ? transpose : no_transpose,
       static_cast<int>(p.a.rows), n, static_cast<int>(p.terms), F(1), reinterpret_cast<const F*>(p.a.data),
       static_cast<int>(a.leading), reinterpret_cast<const F*>(p.b.data), static_cast<int>(b.leading), F(0),
       reinterpret_cast<F*>(p.y), n);
}

bool Blas::multiply(const MatrixProduct& product, void*) const {
  const std::optional<BlasOperand> a = BlasOperand::of(product.a, product.terms),
                                   b = BlasOperand::of(product.b, product.terms);
  if (!takes(product.dtype) || !a || !b) return false;
  for (std::int64_t i = 0; i < product.slices; ++i) {
    const MatrixProduct slice =
        product.at(i * product.a.slice_stride, i * product.b.slice_stride, i * product.slice_elements());
    if (product.dtype == DType::f32)
      run(sgemm_, slice, *a, *b);
    else
      run(dgemm_, slice, *a, *b);
  }
  return true;
}

}  // namespace kernelgen
