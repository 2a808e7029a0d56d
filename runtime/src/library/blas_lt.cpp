#include "library/blas_lt.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "common/format.hpp"
#include "driver/device_memory.hpp"
#include "library/rocm_library.hpp"
#include "library/vendor_library.hpp"

namespace kernelgen {
namespace {

constexpr const char* cuda_variable = "KERNELGEN_CUBLASLT_LIBRARY";
constexpr const char* cuda_names[] = {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"};
constexpr RocmLibrary hip_library{.what = "hipBLASLt library",
                                  .variable = "KERNELGEN_HIPBLASLT_LIBRARY",
                                  .name = "libhipblaslt.so",
                                  .versions = {{{7, 1}, {6, 0}}},
                                  .function = "hipblasLtCreate",
                                  .kernel_folder = "hipblaslt",
                                  .kernel_variable = "HIPBLASLT_TENSILE_LIBPATH"};

constexpr std::uint64_t workspace_limit = std::uint64_t{32} << 20;
/// Exceeds the number of shapes in a typical program; the cache is cleared when full.
constexpr std::size_t most_plans = 4096;
/// Exceeds the number of active streams in a typical program; products in further streams are declined.
constexpr std::size_t most_handles = 32;

/// The library's constant for a dtype, or nothing.
struct Types {
  int data, compute, scale;
};
std::optional<Types> types_of(DType dtype, const BlasLtNumbers& numbers) {
  switch (dtype) {
    case DType::f16:
      return Types{BlasLtType::f16, numbers.compute_f32, BlasLtType::f32};
    case DType::bf16:
      return Types{BlasLtType::bf16, numbers.compute_f32, BlasLtType::f32};
    case DType::f32:
      return Types{BlasLtType::f32, numbers.compute_f32, BlasLtType::f32};
    case DType::f64:
      return Types{BlasLtType::f64, numbers.compute_f64, BlasLtType::f64};
    default:
      return std::nullopt;
  }
}

/// The largest power of two that divides every slice's address, capped at the maximum a library requires.
std::uint32_t alignment_of(const void* address, std::int64_t slice_stride, DType dtype) {
  const std::uint64_t bits = reinterpret_cast<std::uintptr_t>(address) |
                             static_cast<std::uint64_t>(slice_stride) * size_of(dtype) | 256;
  return static_cast<std::uint32_t>(bits & (~bits + 1));
}

/// hipblasStatus_t; hipBLASLt has no function that names it.
const char* name_of_hipblas_status(int status) {
  constexpr std::array<const char*, 12> names = {
      "HIPBLAS_STATUS_SUCCESS",           "HIPBLAS_STATUS_NOT_INITIALIZED", "HIPBLAS_STATUS_ALLOC_FAILED",
      "HIPBLAS_STATUS_INVALID_VALUE",     "HIPBLAS_STATUS_MAPPING_ERROR",   "HIPBLAS_STATUS_EXECUTION_FAILED",
      "HIPBLAS_STATUS_INTERNAL_ERROR",    "HIPBLAS_STATUS_NOT_SUPPORTED",   "HIPBLAS_STATUS_ARCH_MISMATCH",
      "HIPBLAS_STATUS_HANDLE_IS_NULLPTR", "HIPBLAS_STATUS_INVALID_ENUM",    "HIPBLAS_STATUS_UNKNOWN"};
  return status >= 0 && status < static_cast<int>(names.size()) ? names[static_cast<std::size_t>(status)]
                                                                : "no status of hipBLAS";
}

}  // namespace

class BlasLtLibrary : public VendorLibrary {
 public:
  static std::unique_ptr<const BlasLtLibrary> of_cuda() {
    return std::unique_ptr<const BlasLtLibrary>(
        new BlasLtLibrary(DynamicLibrary("cuBLASLt library", cuda_variable, cuda_names)));
  }
  static std::unique_ptr<const BlasLtLibrary> of_hip(const std::string& architecture) {
    std::unique_ptr<BlasLtLibrary> library(new BlasLtLibrary(hip_library, open_rocm_library(hip_library)));
    require_kernels(hip_library, *library, architecture);
    return library;
  }

  /// Whether the library does what is asked of it. Throws Error(device) for any failure that is not about that.
  template <class... Parameters, class... Arguments>
  bool does(const GpuCall<Parameters...>& call, Arguments... arguments) const {
    const int status = call.function(arguments...);
    if (status != 0 && std::ranges::find(numbers.refusals, status) == numbers.refusals.end())
      fail(call.name, status);
    return status == 0;
  }

  /// Throws Error(unsupported) for a library that is older than its numbers here.
  void* create_handle() const {
    void* handle = nullptr;
    invoke(calls.create, &handle);
    if (version_ == nullptr) return handle;
    int version = 0;
    if (version_(handle, &version) == 0 && version >= hipblaslt_least_version) return handle;
    calls.destroy.function(handle);
    throw Error(Code::unsupported,
                formatted("matmul: {} is of version {}.{}; hipBLASLt is used from version 0.6 on, ROCm 6.0's",
                          path(), version / 100000, version / 100 % 1000));
  }

  BlasLtCalls calls;
  const BlasLtNumbers& numbers;

 private:
  explicit BlasLtLibrary(DynamicLibrary library)
      : VendorLibrary(std::move(library), "matmul", "cublasLtGetStatusString"),
        numbers(cublaslt_numbers){
#define KERNELGEN_LOAD(member, hip, cuda, arguments) \
  calls.member = {reinterpret_cast<int(*) arguments>(required(#cuda)), #cuda};
            KERNELGEN_BLAS_LT_CALLS(KERNELGEN_LOAD)
#undef KERNELGEN_LOAD
        } BlasLtLibrary(const RocmLibrary&, DynamicLibrary library)
      : VendorLibrary(std::move(library), "matmul", name_of_hipblas_status), numbers(hipblaslt_numbers) {
#define KERNELGEN_LOAD(member, hip, cuda, arguments) \
  calls.member = {reinterpret_cast<int(*) arguments>(required(#hip)), #hip};
    KERNELGEN_BLAS_LT_CALLS(KERNELGEN_LOAD)
#undef KERNELGEN_LOAD
    version_ = reinterpret_cast<HipblasLtVersion>(required("hipblasLtGetVersion"));
  }

  HipblasLtVersion version_ = nullptr;
};

/// The library's matrices are column-major: it computes yᵀ = bᵀ · aᵀ, so its first operand is b.
struct BlasLt::Problem {
  BlasProblem blas;
  Types types;
  int result;  ///< type

  std::uint32_t alignment_a() const {
    const MatrixProduct& product = blas.product;
    return alignment_of(product.a.data, product.a.slice_stride, product.dtype);
  }
  std::uint32_t alignment_b() const {
    const MatrixProduct& product = blas.product;
    return alignment_of(product.b.data, product.b.slice_stride, product.dtype);
  }
  std::uint32_t alignment_y() const {
    return alignment_of(blas.product.y, blas.product.slice_elements(), blas.product.result);
  }

  /// Without the alignments where the library does not ask for them.
  Plans::Key key(const BlasLtNumbers& numbers) const {
    Plans::Key key{};
    auto* const rest = std::ranges::copy(blas.numbers(), key.begin()).out;
    if (numbers.preference_alignment_a != 0)
      std::ranges::copy(std::array<std::int64_t, 3>{alignment_a(), alignment_b(), alignment_y()}, rest);
    return key;
  }
};

namespace {

/// What is asked of an algorithm.
struct Preference {
  const BlasLtLibrary& library;
  void* handle = nullptr;

  ~Preference() {
    if (handle != nullptr) library.calls.destroy_preference.function(handle);
  }
  template <class Value>
  void set(int attribute, Value value) const {
    library.invoke(library.calls.set_preference, handle, attribute, &value, sizeof value);
  }
};

}  // namespace

/// Descriptors of a problem and the algorithm the library chose for it.
struct BlasLt::Plan {
  explicit Plan(const BlasLtLibrary& of) : library(of) {}
  ~Plan() {
    for (void* layout : {a, b, y})
      if (layout != nullptr) library.calls.destroy_layout.function(layout);
    if (description != nullptr) library.calls.destroy_description.function(description);
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  /// False where the library does not know the types.
  bool describe(const Problem& problem) {
    const auto& [p, of_a, of_b] = problem.blas;
    const BlasLtNumbers& numbers = library.numbers;
    if (!library.does(library.calls.create_description, &description, problem.types.compute,
                      problem.types.scale))
      return false;
    const auto transpose = [&](int attribute) {
      const std::int32_t operation = numbers.transpose;
      library.invoke(library.calls.set_description, description, attribute, &operation, sizeof operation);
    };
    // If the terms of a column are contiguous, b is column-major: b's transpose.
    if (of_b.terms_together) transpose(numbers.description_transpose_a);
    if (!of_a.terms_together) transpose(numbers.description_transpose_b);
    const auto lay = [&, slices = p.slices](void** layout, int type, std::int64_t rows, std::int64_t columns,
                                            std::int64_t leading, std::int64_t slice_stride) {
      library.invoke(library.calls.create_layout, layout, type, static_cast<std::uint64_t>(rows),
                     static_cast<std::uint64_t>(columns), leading);
      if (slices == 1) return;
      const auto count = static_cast<std::int32_t>(slices);
      library.invoke(library.calls.set_layout, *layout, numbers.layout_batch_count, &count, sizeof count);
      library.invoke(library.calls.set_layout, *layout, numbers.layout_batch_stride, &slice_stride,
                     sizeof slice_stride);
    };
    const auto lay_operand = [&, terms = p.terms](void** layout, const MatrixProduct::Side& side,
                                                  const BlasOperand& operand) {
      if (operand.terms_together)
        lay(layout, problem.types.data, terms, side.rows, operand.leading, side.slice_stride);
      else
        lay(layout, problem.types.data, side.rows, terms, operand.leading, side.slice_stride);
    };
    lay_operand(&a, p.a, of_a);
    lay_operand(&b, p.b, of_b);
    lay(&y, problem.result, p.b.rows, p.a.rows, p.b.rows, p.slice_elements());
    return true;
  }

  /// False where the library has none.
  bool choose_algorithm(void* handle, const Problem& problem) {
    const BlasLtNumbers& numbers = library.numbers;
    Preference preference{library};
    library.invoke(library.calls.create_preference, &preference.handle);
    preference.set(numbers.preference_workspace_bytes, workspace_limit);
    for (const BlasLtWish& wish : numbers.wishes) preference.set(wish.attribute, wish.value);
    if (int alignment = numbers.preference_alignment_a; alignment != 0)
      for (const std::uint32_t bytes :
           {problem.alignment_b(), problem.alignment_a(), problem.alignment_y(), problem.alignment_y()})
        preference.set(alignment++, bytes);
    alignas(8) std::array<std::byte, most_algorithm_bytes + sizeof(BlasLtEstimate)> result{};
    int count = 0;
    if (!library.does(library.calls.find_algorithm, handle, description, b, a, y, y, preference.handle, 1,
                      static_cast<void*>(result.data()), &count))
      return false;
    BlasLtEstimate estimate;
    std::memcpy(&estimate, result.data() + numbers.algorithm_bytes, sizeof estimate);
    if (count == 0 || estimate.state != 0) return false;
    std::memcpy(algorithm.data(), result.data(), numbers.algorithm_bytes);
    workspace_bytes = estimate.workspace_bytes;
    waves = estimate.waves;
    return true;
  }

  const BlasLtLibrary& library;
  void *description = nullptr, *a = nullptr, *b = nullptr, *y = nullptr;
  alignas(8) std::array<std::byte, most_algorithm_bytes> algorithm{};
  std::size_t workspace_bytes = 0;
  float waves = 0;  ///< of blocks, estimated by the library
};

BlasLt::BlasLt(std::unique_ptr<const BlasLtLibrary> library, GpuDriver& driver)
    : library_(std::move(library)), driver_(driver), plans_(most_plans) {
  const Current current = driver_.make_current();
  current.require();
  handle_for(nullptr);
}

const std::string& BlasLt::path() const { return library_->path(); }

std::unique_ptr<BlasLt> BlasLt::open(DeviceState& device) {
  const bool hip = device.kind() == DeviceKind::hip;
  auto& driver = dynamic_cast<GpuDriver&>(device.driver());
  return open_vendor_library(hip ? hip_library.variable : cuda_variable, note_of(device), [&] {
    return std::unique_ptr<BlasLt>(new BlasLt(
        hip ? BlasLtLibrary::of_hip(driver.info().architecture) : BlasLtLibrary::of_cuda(), driver));
  });
}

BlasLt::~BlasLt() {
  if (driver_is_exiting()) return;
  const Current current = driver_.make_current();
  plans_.clear();
  if (current.status() != 0) return;
  for (const auto& [stream, handle] : handles_) library_->calls.destroy.function(handle);
}

void* BlasLt::handle_for(void* stream) const {
  void* const user = library_->numbers.has_shared_memory ? stream : nullptr;
  if (const auto known = handles_.find(user); known != handles_.end()) return known->second;
  if (handles_.size() == most_handles) return nullptr;
  return handles_[user] = library_->create_handle();
}

std::shared_ptr<const BlasLt::Plan> BlasLt::make_plan(const Problem& problem) const {
  auto plan = std::make_shared<Plan>(*library_);
  return plan->describe(problem) && plan->choose_algorithm(handle_for(nullptr), problem) ? plan : nullptr;
}

std::shared_ptr<const BlasLt::Plan> BlasLt::plan_of(const Problem& problem) const {
  return plans_.get(problem.key(library_->numbers), [&] { return make_plan(problem); });
}

std::optional<BlasLt::Problem> BlasLt::problem_of(const MatrixProduct& product) const {
  const std::optional<Types> types = types_of(product.dtype, library_->numbers),
                             result = types_of(product.result, library_->numbers);
  const std::optional<BlasProblem> blas = BlasProblem::of(product);
  if (!types || !result || !blas) return std::nullopt;
  return Problem{*blas, *types, result->data};
}

bool BlasLt::leaves_idle(const MatrixProduct& product) const {
  constexpr float few_waves = 0.25F;
  const std::optional<Problem> problem = problem_of(product);
  if (!problem) return false;
  const Current current = driver_.make_current();
  current.require();
  const std::lock_guard lock(mutex_);
  const std::shared_ptr<const Plan> plan = plan_of(*problem);
  // An algorithm with a workspace splits the terms.
  return plan != nullptr && plan->workspace_bytes == 0 && plan->waves > 0 && plan->waves < few_waves;
}

bool BlasLt::multiply(const MatrixProduct& product, void* stream) const {
  const std::optional<Problem> problem = problem_of(product);
  if (!problem) return false;
  // Graphs that were captured in one stream may run side by side, with the memory of its handle in both.
  if (library_->numbers.has_shared_memory && driver_.is_capturing(stream)) return false;
  const Current current = driver_.make_current();
  current.require();
  std::shared_ptr<const Plan> plan;
  void* handle = nullptr;
  {
    const std::lock_guard lock(mutex_);
    plan = plan_of(*problem);
    if (plan != nullptr) handle = handle_for(stream);
  }
  if (handle == nullptr) return false;
  const DeviceMemory workspace(driver_, plan->workspace_bytes, stream);
  const BlasFactors factors(product.dtype);
  library_->invoke(library_->calls.multiply, handle, plan->description, factors.one(), product.b.data,
                   plan->b, product.a.data, plan->a, factors.zero(), product.y, plan->y, product.y, plan->y,
                   plan->algorithm.data(), workspace.data(), plan->workspace_bytes, stream);
  return true;
}

}  // namespace kernelgen
