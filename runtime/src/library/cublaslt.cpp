#include "library/cublaslt.hpp"

#include <optional>

#include "driver/device_memory.hpp"
#include "library/vendor_library.hpp"

namespace kernelgen {
namespace {

constexpr const char* variable = "KERNELGEN_CUBLASLT_LIBRARY";
constexpr const char* library_names[] = {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"};

// The functions and numbers of cublasLt.h that are used here, alike in CUDA 12 and 13. Enums are passed as ints,
// handles and descriptors are pointers.
//   X(function, arguments)
#define KERNELGEN_CUBLASLT_CALLS(X)                                                                        \
  X(cublasLtCreate, (void** handle))                                                                       \
  X(cublasLtDestroy, (void* handle))                                                                       \
  X(cublasLtMatmulDescCreate, (void** description, int compute_type, int scale_type))                      \
  X(cublasLtMatmulDescSetAttribute,                                                                        \
    (void* description, int attribute, const void* value, std::size_t bytes))                              \
  X(cublasLtMatmulDescDestroy, (void* description))                                                        \
  X(cublasLtMatrixLayoutCreate,                                                                            \
    (void** layout, int type, std::uint64_t rows, std::uint64_t columns, std::int64_t leading))            \
  X(cublasLtMatrixLayoutSetAttribute, (void* layout, int attribute, const void* value, std::size_t bytes)) \
  X(cublasLtMatrixLayoutDestroy, (void* layout))                                                           \
  X(cublasLtMatmulPreferenceCreate, (void** preference))                                                   \
  X(cublasLtMatmulPreferenceSetAttribute,                                                                  \
    (void* preference, int attribute, const void* value, std::size_t bytes))                               \
  X(cublasLtMatmulPreferenceDestroy, (void* preference))                                                   \
  X(cublasLtMatmulAlgoGetHeuristic, (void* handle, void* description, void* a, void* b, void* c, void* d,  \
                                     void* preference, int wanted, Heuristic* results, int* count))        \
  X(cublasLtMatmul,                                                                                        \
    (void* handle, void* description, const void* alpha, const void* a, void* a_layout, const void* b,     \
     void* b_layout, const void* beta, const void* c, void* c_layout, void* d, void* d_layout,             \
     const Algorithm* algorithm, void* workspace, std::size_t workspace_bytes, void* stream))

struct Algorithm {  // cublasLtMatmulAlgo_t
  std::uint64_t data[8];
};
struct Heuristic {  // cublasLtMatmulHeuristicResult_t
  Algorithm algorithm;
  std::size_t workspace_bytes;
  int state;
  float waves;
  int reserved[4];
};

constexpr int status_not_supported = 15;
constexpr int operation_transpose = 1;
constexpr int description_transpose_a = 3, description_transpose_b = 4;
constexpr int layout_batch_count = 5, layout_batch_stride = 6;
constexpr int preference_workspace_bytes = 1, preference_reduction_schemes = 3;
constexpr int preference_alignment_a = 5, preference_alignment_b = 6, preference_alignment_c = 7,
              preference_alignment_d = 8;
/// Beside sums without a split, those whose parts are added up in the compute type; the others keep parts in the
/// output's.
constexpr std::uint32_t reduction_in_compute_type = 2;

constexpr std::uint64_t workspace_limit = std::uint64_t{32} << 20;
/// More than a program has shapes; one that has more starts anew.
constexpr std::size_t most_plans = 4096;

/// cudaDataType_t and cublasComputeType_t.
struct Types {
  int data, compute, scale, result;
};
std::optional<Types> types_of(DType dtype) {
  constexpr int f32 = 0, f64 = 1, f16 = 2, bf16 = 14, compute_f32 = 68, compute_f64 = 70;
  switch (dtype) {
    case DType::f16:
      return Types{f16, compute_f32, f32, f16};
    case DType::bf16:
      return Types{bf16, compute_f32, f32, bf16};
    case DType::f32:
      return Types{f32, compute_f32, f32, f32};
    case DType::f64:
      return Types{f64, compute_f64, f64, f64};
    default:
      return std::nullopt;
  }
}

/// Largest power of two that divides every slice's address, up to the most the library asks for.
std::uint32_t alignment_of(const void* address, std::int64_t slice_stride, DType dtype) {
  const std::uint64_t bits = reinterpret_cast<std::uintptr_t>(address) |
                             static_cast<std::uint64_t>(slice_stride) * size_of(dtype) | 256;
  return static_cast<std::uint32_t>(bits & (~bits + 1));
}

}  // namespace

class CublasLtLibrary : public VendorLibrary {
 public:
  explicit CublasLtLibrary(DynamicLibrary library)
      : VendorLibrary(std::move(library), "matmul", "cublasLtGetStatusString") {
#define KERNELGEN_LOAD(function, arguments) \
  function = {reinterpret_cast<int(*) arguments>(required(#function)), #function};
    KERNELGEN_CUBLASLT_CALLS(KERNELGEN_LOAD)
#undef KERNELGEN_LOAD
  }

#define KERNELGEN_MEMBER(function, arguments) detail::GpuCallOf<int arguments>::type function;
  KERNELGEN_CUBLASLT_CALLS(KERNELGEN_MEMBER)
#undef KERNELGEN_MEMBER
};

/// The library's matrices are column-major: what it is asked for is yᵀ = b · aᵀ, so that its first operand is b.
struct CublasLt::Problem {
  const MatrixProduct& product;
  Types types;
  BlasOperand a, b;

  std::uint32_t alignment_a() const {
    return alignment_of(product.a.data, product.a.slice_stride, product.dtype);
  }
  std::uint32_t alignment_b() const {
    return alignment_of(product.b.data, product.b.slice_stride, product.dtype);
  }
  std::uint32_t alignment_y() const {
    return alignment_of(product.y, product.slice_elements(), product.result);
  }

  Plans::Key key() const {
    return {static_cast<std::int64_t>(product.dtype),
            static_cast<std::int64_t>(product.result),
            product.a.rows,
            product.b.rows,
            product.terms,
            a.terms_together,
            a.leading,
            b.terms_together,
            b.leading,
            product.slices,
            product.a.slice_stride,
            product.b.slice_stride,
            alignment_a(),
            alignment_b(),
            alignment_y()};
  }
};

/// What is asked of an algorithm.
struct Preference {
  const CublasLtLibrary& library;
  void* handle = nullptr;

  ~Preference() {
    if (handle != nullptr) library.cublasLtMatmulPreferenceDestroy.function(handle);
  }
  template <class Value>
  void set(int attribute, Value value) const {
    library.invoke(library.cublasLtMatmulPreferenceSetAttribute, handle, attribute, &value, sizeof value);
  }
};

/// Descriptors of a problem and the algorithm the library chose for it.
struct CublasLt::Plan {
  explicit Plan(const CublasLtLibrary& of) : library(of) {}
  ~Plan() {
    for (void* layout : {a, b, y})
      if (layout != nullptr) library.cublasLtMatrixLayoutDestroy.function(layout);
    if (description != nullptr) library.cublasLtMatmulDescDestroy.function(description);
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  void describe(const Problem& problem) {
    library.invoke(library.cublasLtMatmulDescCreate, &description, problem.types.compute,
                   problem.types.scale);
    const auto transpose = [&](int attribute) {
      const std::int32_t operation = operation_transpose;
      library.invoke(library.cublasLtMatmulDescSetAttribute, description, attribute, &operation,
                     sizeof operation);
    };
    // Rows of b lie as columns where the terms of one follow one another: b's transpose.
    if (problem.b.terms_together) transpose(description_transpose_a);
    if (!problem.a.terms_together) transpose(description_transpose_b);
    const MatrixProduct& p = problem.product;
    const auto lay = [&](void** layout, int type, std::int64_t rows, std::int64_t columns,
                         std::int64_t leading, std::int64_t slice_stride) {
      library.invoke(library.cublasLtMatrixLayoutCreate, layout, type, static_cast<std::uint64_t>(rows),
                     static_cast<std::uint64_t>(columns), leading);
      if (p.slices == 1) return;
      const auto count = static_cast<std::int32_t>(p.slices);
      library.invoke(library.cublasLtMatrixLayoutSetAttribute, *layout, layout_batch_count, &count,
                     sizeof count);
      library.invoke(library.cublasLtMatrixLayoutSetAttribute, *layout, layout_batch_stride, &slice_stride,
                     sizeof slice_stride);
    };
    const auto lay_operand = [&](void** layout, const MatrixProduct::Side& side, const BlasOperand& operand) {
      if (operand.terms_together)
        lay(layout, problem.types.data, p.terms, side.rows, operand.leading, side.slice_stride);
      else
        lay(layout, problem.types.data, side.rows, p.terms, operand.leading, side.slice_stride);
    };
    lay_operand(&a, p.a, problem.a);
    lay_operand(&b, p.b, problem.b);
    lay(&y, problem.types.result, p.b.rows, p.a.rows, p.b.rows, p.slice_elements());
  }

  /// False where the library has none.
  bool choose_algorithm(void* handle, const Problem& problem) {
    Preference preference{library};
    library.invoke(library.cublasLtMatmulPreferenceCreate, &preference.handle);
    preference.set(preference_workspace_bytes, workspace_limit);
    preference.set(preference_reduction_schemes, reduction_in_compute_type);
    preference.set(preference_alignment_a, problem.alignment_b());
    preference.set(preference_alignment_b, problem.alignment_a());
    preference.set(preference_alignment_c, problem.alignment_y());
    preference.set(preference_alignment_d, problem.alignment_y());
    Heuristic result{};
    int count = 0;
    const auto& ask = library.cublasLtMatmulAlgoGetHeuristic;
    const int status = ask.function(handle, description, b, a, y, y, preference.handle, 1, &result, &count);
    if (status == status_not_supported) return false;
    if (status != 0) library.fail(ask.name, status);
    if (count == 0 || result.state != 0) return false;
    algorithm = result.algorithm;
    workspace_bytes = result.workspace_bytes;
    return true;
  }

  const CublasLtLibrary& library;
  void *description = nullptr, *a = nullptr, *b = nullptr, *y = nullptr;
  Algorithm algorithm{};
  std::size_t workspace_bytes = 0;
};

CublasLt::CublasLt(std::unique_ptr<const CublasLtLibrary> library, GpuDriver& driver)
    : library_(std::move(library)), driver_(driver), plans_(most_plans) {
  const Current current = driver_.make_current();
  current.require();
  library_->invoke(library_->cublasLtCreate, &handle_);
}

std::unique_ptr<CublasLt> CublasLt::open(GpuDriver& driver) {
  return open_vendor_library(variable, [&] {
    return std::unique_ptr<CublasLt>(new CublasLt(
        std::make_unique<CublasLtLibrary>(DynamicLibrary("cuBLASLt library", variable, library_names)),
        driver));
  });
}

const CublasLt* CublasLt::of(DeviceState& device) {
  if (device.kind() != DeviceKind::cuda) return nullptr;
  return device.attachments().get<CublasLt>([&] { return open(dynamic_cast<GpuDriver&>(device.driver())); });
}

CublasLt::~CublasLt() {
  if (driver_is_exiting()) return;
  const Current current = driver_.make_current();
  plans_.clear();
  if (current.status() == 0) library_->cublasLtDestroy.function(handle_);
}

bool CublasLt::takes(DType dtype) { return types_of(dtype).has_value(); }

std::shared_ptr<const CublasLt::Plan> CublasLt::make_plan(const Problem& problem) const {
  auto plan = std::make_shared<Plan>(*library_);
  plan->describe(problem);
  return plan->choose_algorithm(handle_, problem) ? plan : nullptr;
}

std::shared_ptr<const CublasLt::Plan> CublasLt::plan_for(const Problem& problem) const {
  const Plans::Key key = problem.key();
  const std::lock_guard lock(mutex_);
  return plans_.get(key, [&] { return make_plan(problem); });
}

bool CublasLt::multiply(const MatrixProduct& product, void* stream) const {
  constexpr std::int64_t most = 0x7fffffff;
  std::optional<Types> types = types_of(product.dtype);
  if (types) types->result = types_of(product.result).value().data;
  const std::optional<BlasOperand> a = BlasOperand::of(product.a, product.terms),
                                   b = BlasOperand::of(product.b, product.terms);
  if (!types || !a || !b || product.slices > most || product.a.slice_stride < 0 || product.b.slice_stride < 0)
    return false;
  const Current current = driver_.make_current();
  current.require();
  const std::shared_ptr<const Plan> plan = plan_for({product, *types, *a, *b});
  if (plan == nullptr) return false;
  const DeviceMemory workspace(driver_, plan->workspace_bytes, stream);
  constexpr double one = 1, zero = 0;
  constexpr float one_f32 = 1, zero_f32 = 0;
  const bool is_f64 = product.dtype == DType::f64;
  const void* alpha = is_f64 ? static_cast<const void*>(&one) : &one_f32;
  const void* beta = is_f64 ? static_cast<const void*>(&zero) : &zero_f32;
  library_->invoke(library_->cublasLtMatmul, handle_, plan->description, alpha, product.b.data, plan->b,
                   product.a.data, plan->a, beta, product.y, plan->y, product.y, plan->y, &plan->algorithm,
                   workspace.data(), plan->workspace_bytes, stream);
  return true;
}

}  // namespace kernelgen
