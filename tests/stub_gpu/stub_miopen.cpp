// MIOpen for tests: keeps to the library's checks of sizes and order of calls. Its numbers are those of miopen.h, written a
// second time.
#include "stub_gpu/stub_miopen.hpp"

#include <algorithm>

namespace {

using kernelgen::test::StubMiopen;

StubMiopen stub;

constexpr int status_bad_parameter = 3, status_unknown_error = 7;
constexpr int type_f32 = 1;
constexpr int mode_convolution = 0;
constexpr int attribute_deterministic = 1;

using Tensor = StubMiopen::Convolution::Tensor;

struct Steps {
  std::array<std::int64_t, 2> padding{}, stride{}, dilation{};
  int groups = 1;
};

struct Solution {
  float time;
  std::size_t workspace_bytes;
  std::uint64_t id;
  int algorithm;
};

/// Notes the call; the status it shall fail with, or 0.
int enter(const char* function) {
  stub.calls.emplace_back(function);
  const auto failure = stub.failures.find(function);
  return failure == stub.failures.end() ? 0 : failure->second;
}

template <class Object>
int create(const char* function, void** handle) {
  if (const int status = enter(function)) return status;
  *handle = new Object();
  ++stub.objects;
  return 0;
}

template <class Object>
int destroy(const char* function, void* handle) {
  if (handle == nullptr) return status_bad_parameter;
  delete static_cast<Object*>(handle);
  --stub.objects;
  return enter(function);
}

/// With the operands of the convolution, or of the one whose derivative by data is asked for.
StubMiopen::Convolution convolution_of(bool by_data, void* x, void* filter, void* steps, void* y) {
  const auto& how = *static_cast<Steps*>(steps);
  StubMiopen::Convolution c;
  c.by_data = by_data;
  c.x = *static_cast<Tensor*>(x);
  c.filter = *static_cast<Tensor*>(filter);
  c.y = *static_cast<Tensor*>(y);
  c.padding = how.padding;
  c.stride = how.stride;
  c.dilation = how.dilation;
  c.mode = mode_convolution;
  return c;
}

bool is_contiguous(const Tensor& tensor) {
  std::int64_t stride = 1;
  for (std::size_t d = 4; d-- > 0; stride *= tensor.shape[d])
    if (tensor.strides[d] != stride) return false;
  return true;
}

bool is_good(const StubMiopen::Convolution& c, void* steps) {
  return c.is_consistent() && c.groups() == static_cast<Steps*>(steps)->groups && c.x.type == c.y.type &&
         c.x.type == c.filter.type && is_contiguous(c.x) && is_contiguous(c.y) && is_contiguous(c.filter);
}

int count(const char* function, const StubMiopen::Convolution& c, void* steps, std::size_t* found) {
  if (const int status = enter(function)) return status;
  if (!is_good(c, steps)) return status_bad_parameter;
  *found = stub.choices.size();
  return 0;
}

int list(const char* function, const StubMiopen::Convolution& c, void* steps, std::size_t most,
         std::size_t* found, Solution* solutions) {
  if (const int status = enter(function)) return status;
  if (!is_good(c, steps)) return status_bad_parameter;
  *found = std::min(most, stub.choices.size());
  for (std::size_t i = 0; i < *found; ++i) {
    const StubMiopen::Choice& choice = stub.choices[i];
    solutions[i] = {1.0f + static_cast<float>(i), choice.workspace_bytes, choice.id, choice.algorithm};
  }
  return 0;
}

const StubMiopen::Choice* choice_of(std::uint64_t id) {
  const auto found = std::find_if(stub.choices.begin(), stub.choices.end(),
                                  [&](const StubMiopen::Choice& choice) { return choice.id == id; });
  return found == stub.choices.end() ? nullptr : &*found;
}

int compile(const char* function, std::uint64_t id) {
  if (const int status = enter(function)) return status;
  const StubMiopen::Choice* choice = choice_of(id);
  if (choice == nullptr) return status_bad_parameter;
  if (choice->compile_status == 0) stub.compiled.push_back(id);
  return choice->compile_status;
}

int run(const char* function, StubMiopen::Convolution c, void* steps, void* x, const void* filter, void* y,
        void* workspace, std::size_t bytes, std::uint64_t id) {
  if (const int status = enter(function)) return status;
  const StubMiopen::Choice* choice = choice_of(id);
  if (choice == nullptr || !is_good(c, steps)) return status_bad_parameter;
  if (choice->run_status != 0) return choice->run_status;
  // One that was not compiled would be now, which takes seconds.
  if (std::find(stub.compiled.begin(), stub.compiled.end(), id) == stub.compiled.end())
    return status_unknown_error;
  if (bytes < choice->workspace_bytes || (bytes != 0 && workspace == nullptr)) return status_bad_parameter;
  c.engine = static_cast<int>(id);
  c.workspace = workspace;
  c.workspace_bytes = bytes;
  c.stream = stub.stream;
  if (stub.current_context != nullptr) c.context = *stub.current_context;
  stub.convolutions.push_back(c);
  if (c.y.type == type_f32) c.compute_on_host<float>(x, filter, y);
  return 0;
}

}  // namespace

extern "C" StubMiopen* stub_miopen() { return &stub; }

/// Of rocBLAS, which comes with MIOpen: where it lies are its kernels.
extern "C" int rocblas_create_handle(void**) { return 1; }

extern "C" const char* miopenGetErrorString(int status) {
  return status == 4 ? "miopenStatusAllocFailed" : "miopenStatusStub";
}

extern "C" int miopenCreate(void** handle) { return create<int>(__func__, handle); }
extern "C" int miopenDestroy(void* handle) { return destroy<int>(__func__, handle); }
extern "C" int miopenSetStream(void*, void* stream) {
  stub.stream = stream;
  return enter(__func__);
}

extern "C" int miopenCreateTensorDescriptor(void** tensor) { return create<Tensor>(__func__, tensor); }
extern "C" int miopenDestroyTensorDescriptor(void* tensor) { return destroy<Tensor>(__func__, tensor); }
extern "C" int miopenSetTensorDescriptor(void* tensor, int type, int dims, const int* extents,
                                         const int* strides) {
  if (const int status = enter(__func__)) return status;
  if (dims != 4) return status_bad_parameter;
  auto& described = *static_cast<Tensor*>(tensor);
  described.type = type;
  std::copy_n(extents, 4, described.shape.begin());
  std::copy_n(strides, 4, described.strides.begin());
  return 0;
}

extern "C" int miopenCreateConvolutionDescriptor(void** steps) {
  stub.attributes.clear();
  return create<Steps>(__func__, steps);
}
extern "C" int miopenDestroyConvolutionDescriptor(void* steps) { return destroy<Steps>(__func__, steps); }
extern "C" int miopenInitConvolutionNdDescriptor(void* steps, int dims, const int* paddings,
                                                 const int* strides, const int* dilations, int mode) {
  if (const int status = enter(__func__)) return status;
  if (dims != 2 || mode != mode_convolution) return status_bad_parameter;
  auto& how = *static_cast<Steps*>(steps);
  std::copy_n(paddings, 2, how.padding.begin());
  std::copy_n(strides, 2, how.stride.begin());
  std::copy_n(dilations, 2, how.dilation.begin());
  return 0;
}
extern "C" int miopenSetConvolutionGroupCount(void* steps, int groups) {
  static_cast<Steps*>(steps)->groups = groups;
  return enter(__func__);
}
extern "C" int miopenSetConvolutionAttribute(void*, int attribute, int value) {
  if (const int status = enter(__func__)) return status;
  if (attribute == attribute_deterministic && !stub.knows_deterministic) return status_bad_parameter;
  stub.attributes[attribute] = value;
  return 0;
}

extern "C" int miopenConvolutionForwardGetSolutionCount(void*, void* w, void* x, void* steps, void* y,
                                                        std::size_t* found) {
  return count(__func__, convolution_of(false, x, w, steps, y), steps, found);
}
extern "C" int miopenConvolutionForwardGetSolution(void*, void* w, void* x, void* steps, void* y,
                                                   std::size_t most, std::size_t* found,
                                                   Solution* solutions) {
  return list(__func__, convolution_of(false, x, w, steps, y), steps, most, found, solutions);
}
extern "C" int miopenConvolutionForwardCompileSolution(void*, void*, void*, void*, void*, std::uint64_t id) {
  return compile(__func__, id);
}
extern "C" int miopenConvolutionForwardImmediate(void*, void* w, const void* w_data, void* x,
                                                 const void* x_data, void* steps, void* y, void* y_data,
                                                 void* workspace, std::size_t bytes, std::uint64_t id) {
  return run(__func__, convolution_of(false, x, w, steps, y), steps, const_cast<void*>(x_data), w_data,
             y_data, workspace, bytes, id);
}

extern "C" int miopenConvolutionBackwardDataGetSolutionCount(void*, void* dy, void* w, void* steps, void* dx,
                                                             std::size_t* found) {
  return count(__func__, convolution_of(true, dx, w, steps, dy), steps, found);
}
extern "C" int miopenConvolutionBackwardDataGetSolution(void*, void* dy, void* w, void* steps, void* dx,
                                                        std::size_t most, std::size_t* found,
                                                        Solution* solutions) {
  return list(__func__, convolution_of(true, dx, w, steps, dy), steps, most, found, solutions);
}
extern "C" int miopenConvolutionBackwardDataCompileSolution(void*, void*, void*, void*, void*,
                                                            std::uint64_t id) {
  return compile(__func__, id);
}
extern "C" int miopenConvolutionBackwardDataImmediate(void*, void* dy, const void* dy_data, void* w,
                                                      const void* w_data, void* steps, void* dx,
                                                      void* dx_data, void* workspace, std::size_t bytes,
                                                      std::uint64_t id) {
  return run(__func__, convolution_of(true, dx, w, steps, dy), steps, dx_data, w_data,
             const_cast<void*>(dy_data), workspace, bytes, id);
}
