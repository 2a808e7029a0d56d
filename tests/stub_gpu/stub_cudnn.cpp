// cuDNN for tests: keeps to the library's checks of sizes and order of calls.
#include "stub_gpu/stub_cudnn.hpp"

namespace {

using kernelgen::test::StubCudnn;

StubCudnn stub;

constexpr int status_bad_param = 2000;
constexpr int type_f32 = 0, type_f64 = 1;

struct Choice {
  int algorithm;
  int status;
  float time;
  std::size_t memory;
  int determinism;
  int math;
  int reserved[3];
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
  if (handle == nullptr) return status_bad_param;
  delete static_cast<Object*>(handle);
  --stub.objects;
  return enter(function);
}

template <class Object, class Value>
int set(const char* function, void* object, Value Object::* member, const Value& value) {
  if (const int status = enter(function)) return status;
  static_cast<Object*>(object)->*member = value;
  return 0;
}

/// Sizes of the result and channels of a group fit together.
bool is_consistent(const StubCudnn::Convolution& c) {
  const StubCudnn::Description& d = c.description;
  bool fits = c.x.shape[0] == c.y.shape[0] && c.filter.shape[0] == c.y.shape[1] &&
              c.filter.shape[1] * d.groups == c.x.shape[1] && c.filter.shape[0] % d.groups == 0 &&
              d.mode == 1;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const int reach = (c.filter.shape[axis + 2] - 1) * d.dilation[axis] + 1;
    const int out = (c.x.shape[axis + 2] + 2 * d.padding[axis] - reach) / d.stride[axis] + 1;
    fits = fits && c.y.shape[axis + 2] == out;
  }
  return fits;
}

std::int64_t offset_of(const std::array<int, 4>& strides, int n, int c, int h, int w) {
  return std::int64_t{strides[0]} * n + std::int64_t{strides[1]} * c + std::int64_t{strides[2]} * h +
         std::int64_t{strides[3]} * w;
}

template <class T>
T sum_at(const StubCudnn::Convolution& c, const T* x, const T* filter, int n, int k, int h, int w) {
  const auto& [outs, channels, rows, columns] = c.filter.shape;
  const StubCudnn::Description& d = c.description;
  const int first_channel = k / (outs / d.groups) * channels;
  T sum = 0;
  for (int channel = 0; channel < channels; ++channel)
    for (int r = 0; r < rows; ++r)
      for (int s = 0; s < columns; ++s) {
        const int row = h * d.stride[0] - d.padding[0] + r * d.dilation[0];
        const int column = w * d.stride[1] - d.padding[1] + s * d.dilation[1];
        const bool inside = row >= 0 && row < c.x.shape[2] && column >= 0 && column < c.x.shape[3];
        const T value = inside ? x[offset_of(c.x.strides, n, first_channel + channel, row, column)] : T(0);
        sum += value * filter[((std::int64_t{k} * channels + channel) * rows + r) * columns + s];
      }
  return sum;
}

template <class T>
int convolve(const StubCudnn::Convolution& c, const void* alpha, const void* x, const void* filter,
             const void* beta, void* y) {
  if (*static_cast<const T*>(alpha) != 1 || *static_cast<const T*>(beta) != 0) return status_bad_param;
  for (int n = 0; n < c.y.shape[0]; ++n)
    for (int k = 0; k < c.y.shape[1]; ++k)
      for (int h = 0; h < c.y.shape[2]; ++h)
        for (int w = 0; w < c.y.shape[3]; ++w)
          static_cast<T*>(y)[offset_of(c.y.strides, n, k, h, w)] =
              sum_at(c, static_cast<const T*>(x), static_cast<const T*>(filter), n, k, h, w);
  return 0;
}

}  // namespace

extern "C" StubCudnn* stub_cudnn() { return &stub; }

extern "C" const char* cudnnGetErrorString(int status) {
  return status == 5000 ? "CUDNN_STATUS_EXECUTION_FAILED" : "CUDNN_STATUS_STUB";
}

extern "C" int cudnnCreate(void** handle) { return create<int>(__func__, handle); }
extern "C" int cudnnDestroy(void* handle) { return destroy<int>(__func__, handle); }
extern "C" int cudnnSetStream(void*, void* stream) {
  stub.stream = stream;
  return enter(__func__);
}

extern "C" int cudnnCreateTensorDescriptor(void** tensor) {
  return create<StubCudnn::Tensor>(__func__, tensor);
}
extern "C" int cudnnDestroyTensorDescriptor(void* tensor) {
  return destroy<StubCudnn::Tensor>(__func__, tensor);
}
extern "C" int cudnnSetTensor4dDescriptorEx(void* tensor, int type, int n, int c, int h, int w, int n_stride,
                                            int c_stride, int h_stride, int w_stride) {
  if (const int status = enter(__func__)) return status;
  *static_cast<StubCudnn::Tensor*>(tensor) = {type, {n, c, h, w}, {n_stride, c_stride, h_stride, w_stride}};
  return 0;
}

extern "C" int cudnnCreateFilterDescriptor(void** filter) {
  return create<StubCudnn::Filter>(__func__, filter);
}
extern "C" int cudnnDestroyFilterDescriptor(void* filter) {
  return destroy<StubCudnn::Filter>(__func__, filter);
}
extern "C" int cudnnSetFilter4dDescriptor(void* filter, int type, int format, int k, int c, int h, int w) {
  if (const int status = enter(__func__)) return status;
  *static_cast<StubCudnn::Filter*>(filter) = {type, format, {k, c, h, w}};
  return 0;
}

extern "C" int cudnnCreateConvolutionDescriptor(void** description) {
  return create<StubCudnn::Description>(__func__, description);
}
extern "C" int cudnnDestroyConvolutionDescriptor(void* description) {
  return destroy<StubCudnn::Description>(__func__, description);
}
extern "C" int cudnnSetConvolution2dDescriptor(void* description, int row_padding, int column_padding,
                                               int row_stride, int column_stride, int row_dilation,
                                               int column_dilation, int mode, int compute) {
  if (const int status = enter(__func__)) return status;
  auto& d = *static_cast<StubCudnn::Description*>(description);
  d.padding = {row_padding, column_padding};
  d.stride = {row_stride, column_stride};
  d.dilation = {row_dilation, column_dilation};
  d.mode = mode;
  d.compute = compute;
  return 0;
}
extern "C" int cudnnSetConvolutionGroupCount(void* description, int groups) {
  return set(__func__, description, &StubCudnn::Description::groups, groups);
}
extern "C" int cudnnSetConvolutionMathType(void* description, int math) {
  return set(__func__, description, &StubCudnn::Description::math, math);
}

extern "C" int cudnnGetConvolutionForwardAlgorithm_v7(void*, void*, void*, void*, void*, int wanted,
                                                      int* count, Choice* choices) {
  if (const int status = enter(__func__)) return status;
  *count = 0;
  for (const StubCudnn::Choice& choice : stub.choices)
    if (*count < wanted)
      choices[(*count)++] = {
          choice.algorithm, choice.status, 1.0f, choice.workspace_bytes, 1, choice.math, {}};
  return 0;
}
extern "C" int cudnnGetConvolutionForwardWorkspaceSize(void*, void*, void*, void*, void*, int algorithm,
                                                       std::size_t* bytes) {
  if (const int status = enter(__func__)) return status;
  for (const StubCudnn::Choice& choice : stub.choices)
    if (choice.algorithm == algorithm) *bytes = choice.workspace_bytes;
  return 0;
}

extern "C" int cudnnConvolutionForward(void*, const void* alpha, void* x_layout, const void* x,
                                       void* filter_layout, const void* filter, void* description,
                                       int algorithm, void* workspace, std::size_t workspace_bytes,
                                       const void* beta, void* y_layout, void* y) {
  if (const int status = enter(__func__)) return status;
  if (workspace_bytes != 0 && workspace == nullptr) return status_bad_param;
  const StubCudnn::Convolution c{*static_cast<StubCudnn::Tensor*>(x_layout),
                                 *static_cast<StubCudnn::Tensor*>(y_layout),
                                 *static_cast<StubCudnn::Filter*>(filter_layout),
                                 *static_cast<StubCudnn::Description*>(description),
                                 algorithm,
                                 workspace,
                                 workspace_bytes,
                                 stub.stream,
                                 stub.current_context != nullptr ? *stub.current_context : 0};
  stub.convolutions.push_back(c);
  if (!is_consistent(c)) return status_bad_param;
  if (c.y.type == type_f32) return convolve<float>(c, alpha, x, filter, beta, y);
  if (c.y.type == type_f64) return convolve<double>(c, alpha, x, filter, beta, y);
  return 0;
}
