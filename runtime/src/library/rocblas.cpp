#include "library/rocblas.hpp"

#include <algorithm>
#include <optional>

#include "driver/device_memory.hpp"
#include "library/rocblas_api.hpp"
#include "library/vendor_library.hpp"

namespace kernelgen {
namespace {

constexpr std::size_t workspace_limit = std::size_t{32} << 20;
/// Exceeds the number of shapes in a typical program; the cache is cleared when full.
constexpr std::size_t most_plans = 4096;

/// The workspace for problems that need none: smaller than any used, so it need not exist. With null the
/// library allocates its own, which synchronizes the device.
constexpr std::size_t no_bytes = 16;
void* const no_workspace = reinterpret_cast<void*>(no_bytes);

/// rocblas_datatype of a dtype, or nothing.
std::optional<int> type_of(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return rocblas::type_f16;
    case DType::bf16:
      return rocblas::type_bf16;
    case DType::f32:
      return rocblas::type_f32;
    case DType::f64:
      return rocblas::type_f64;
    default:
      return std::nullopt;
  }
}

int operation_of(bool transposes) {
  return transposes ? rocblas::operation_transpose : rocblas::operation_none;
}

bool is_refusal(int status) {
  using namespace rocblas;
  return status == status_not_implemented || status == status_invalid_size ||
         status == status_invalid_value || status == status_excluded_from_build ||
         status == status_arch_mismatch;
}

}  // namespace

class RocblasLibrary : public VendorLibrary {
 public:
  explicit RocblasLibrary(DynamicLibrary library)
      : VendorLibrary(std::move(library), "matmul", "rocblas_status_to_string") {
#define KERNELGEN_LOAD(function, arguments) \
  function = {reinterpret_cast<int(*) arguments>(required(#function)), #function};
    KERNELGEN_ROCBLAS_CALLS(KERNELGEN_LOAD)
#undef KERNELGEN_LOAD
  }

#define KERNELGEN_MEMBER(function, arguments) detail::GpuCallOf<int arguments>::type function;
  KERNELGEN_ROCBLAS_CALLS(KERNELGEN_MEMBER)
#undef KERNELGEN_MEMBER
};

/// The library is column-major: it computes yᵀ = b · aᵀ, so its first operand is b.
struct Rocblas::Problem {
  BlasProblem blas;
  int type, result;

  /// The library's status.
  int call(const RocblasLibrary& library, void* handle) const {
    const auto& [p, a, b] = blas;
    const auto i = [](std::int64_t value) { return static_cast<std::int32_t>(value); };
    const BlasFactors factors(p.dtype);
    const std::int32_t y_leading = i(p.b.rows);
    const std::int64_t y_stride = p.slice_elements();
    return library.rocblas_gemm_strided_batched_ex.function(
        handle, operation_of(b.terms_together), operation_of(!a.terms_together), i(p.b.rows), i(p.a.rows),
        i(p.terms), factors.one(), p.b.data, type, i(b.leading), p.b.slice_stride, p.a.data, type,
        i(a.leading), p.a.slice_stride, factors.zero(), p.y, result, y_leading, y_stride, p.y, result,
        y_leading, y_stride, i(p.slices), p.dtype == DType::f64 ? rocblas::type_f64 : rocblas::type_f32,
        rocblas::algorithm_standard, 0, 0u);
  }
};

Rocblas::Rocblas(std::unique_ptr<const RocblasLibrary> library, GpuDriver& driver)
    : library_(std::move(library)), driver_(driver), plans_(most_plans) {
  const Current current = driver_.make_current();
  current.require();
  library_->invoke(library_->rocblas_create_handle, &handle_);
  library_->invoke(library_->rocblas_set_atomics_mode, handle_, rocblas::atomics_not_allowed);
  // The handle may own initial memory; it is freed here, not during a capture.
  set_workspace(no_workspace, no_bytes);
}

const std::string& Rocblas::path() const { return library_->path(); }

std::unique_ptr<Rocblas> Rocblas::open(DeviceState& device) {
  auto& driver = dynamic_cast<GpuDriver&>(device.driver());
  return open_vendor_library(rocblas_library.variable, note_of(device), [&] {
    auto library = std::make_unique<const RocblasLibrary>(open_rocm_library(rocblas_library));
    require_kernels(rocblas_library, *library, driver.info().architecture);
    return std::unique_ptr<Rocblas>(new Rocblas(std::move(library), driver));
  });
}

Rocblas::~Rocblas() {
  if (driver_is_exiting()) return;
  const Current current = driver_.make_current();
  if (current.status() == 0) library_->rocblas_destroy_handle.function(handle_);
}

void Rocblas::set_workspace(void* workspace, std::size_t bytes) const {
  library_->invoke(library_->rocblas_set_workspace, handle_, workspace, bytes);
}

std::shared_ptr<const Rocblas::Plan> Rocblas::make_plan(const Problem& problem) const {
  library_->invoke(library_->rocblas_start_device_memory_size_query, handle_);
  const int status = problem.call(*library_, handle_);
  std::size_t bytes = 0;
  library_->invoke(library_->rocblas_stop_device_memory_size_query, handle_, &bytes);
  if (is_refusal(status)) return nullptr;
  if (status != 0 && status != rocblas::status_size_increased && status != rocblas::status_size_unchanged)
    library_->fail(library_->rocblas_gemm_strided_batched_ex.name, status);
  return std::make_shared<const Plan>(Plan{std::min(bytes, workspace_limit)});
}

bool Rocblas::multiply(const MatrixProduct& product, void* stream) const {
  const std::optional<int> type = type_of(product.dtype), result = type_of(product.result);
  const std::optional<BlasProblem> blas = BlasProblem::of(product);
  if (!type || !result || !blas) return false;
  const Current current = driver_.make_current();
  current.require();
  const Problem problem{*blas, *type, *result};
  const std::lock_guard lock(mutex_);
  const std::shared_ptr<const Plan> plan = plans_.get(blas->numbers(), [&] { return make_plan(problem); });
  if (plan == nullptr) return false;
  const std::size_t bytes = plan->workspace_bytes;
  const DeviceMemory workspace(driver_, bytes, stream);
  library_->invoke(library_->rocblas_set_stream, handle_, stream);
  set_workspace(bytes != 0 ? workspace.data() : no_workspace, std::max(bytes, no_bytes));
  const int status = problem.call(*library_, handle_);
  if (status != 0 && !is_refusal(status))
    library_->fail(library_->rocblas_gemm_strided_batched_ex.name, status);
  return status == 0;
}

}  // namespace kernelgen
