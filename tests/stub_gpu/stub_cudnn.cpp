// cuDNN for tests: keeps to the library's checks of types, sizes and order of calls.
#include "stub_gpu/stub_cudnn.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace {

using kernelgen::test::StubCudnn;

StubCudnn stub;

constexpr int status_bad_param = 2000, status_not_finalized = 2004;
constexpr int type_f32 = 0, type_f64 = 1;

enum Kind {
  convolution = 1,
  engine = 2,
  config = 3,
  heuristic = 4,
  plan = 5,
  forward = 10,
  by_data = 12,
  graph = 15,
  operands = 16,
  tensor = 17
};
/// cudnnBackendAttributeType_t
enum Type {
  of_handle = 0,
  of_data_type = 1,
  of_int64 = 3,
  of_f32 = 4,
  of_f64 = 5,
  of_pointer = 6,
  of_mode = 7,
  of_heuristic = 8,
  of_note = 11,
  of_descriptor = 15
};

struct Attribute {
  int type;
  std::int64_t count;
};
/// Of each kind of descriptor: what may be set, and is needed.
const std::map<int, std::map<int, Attribute>> known{
    {convolution,
     {{100, {of_data_type, 1}},
      {101, {of_mode, 1}},
      {102, {of_int64, 2}},
      {103, {of_int64, 2}},
      {104, {of_int64, 2}},
      {105, {of_int64, 2}},
      {106, {of_int64, 1}}}},
    {heuristic, {{200, {of_heuristic, 1}}, {201, {of_descriptor, 1}}}},
    {plan, {{400, {of_handle, 1}}, {401, {of_descriptor, 1}}}},
    {forward,
     {{700, {of_f32, 1}},
      {701, {of_f32, 1}},
      {702, {of_descriptor, 1}},
      {703, {of_descriptor, 1}},
      {704, {of_descriptor, 1}},
      {705, {of_descriptor, 1}}}},
    {by_data,
     {{706, {of_f32, 1}},
      {707, {of_f32, 1}},
      {708, {of_descriptor, 1}},
      {709, {of_descriptor, 1}},
      {710, {of_descriptor, 1}},
      {711, {of_descriptor, 1}}}},
    {graph, {{800, {of_handle, 1}}, {801, {of_descriptor, 1}}}},
    {tensor,
     {{900, {of_int64, 1}},
      {901, {of_data_type, 1}},
      {902, {of_int64, 4}},
      {903, {of_int64, 4}},
      {906, {of_int64, 1}}}},
    {operands, {{1000, {of_int64, 3}}, {1001, {of_pointer, 3}}, {1003, {of_pointer, 1}}}}};

struct Descriptor {
  int kind;
  bool is_final = false;
  std::map<int, std::vector<std::byte>> values{};
  // What the library fills in.
  StubCudnn::Choice choice{};
  const Descriptor* of_graph = nullptr;
  StubCudnn::Convolution problem{};

  template <class T>
  T value(int attribute, std::size_t index = 0) const {
    T result;
    std::memcpy(&result, values.at(attribute).data() + index * sizeof result, sizeof result);
    return result;
  }
  template <std::size_t N>
  std::array<std::int64_t, N> numbers(int attribute) const {
    std::array<std::int64_t, N> result{};
    for (std::size_t i = 0; i < N; ++i) result[i] = value<std::int64_t>(attribute, i);
    return result;
  }
  const Descriptor& descriptor(int attribute) const { return *value<Descriptor*>(attribute); }
};

std::size_t size_of(int type) {
  switch (type) {
    case of_int64:
    case of_f64:
    case of_pointer:
    case of_handle:
    case of_descriptor:
      return 8;
    default:
      return 4;
  }
}

/// Notes the call; the status it shall fail with, or 0.
int enter(const char* function) {
  stub.calls.emplace_back(function);
  const auto failure = stub.failures.find(function);
  return failure == stub.failures.end() ? 0 : failure->second;
}

StubCudnn::Tensor tensor_of(const Descriptor& descriptor) {
  return {descriptor.value<int>(901), descriptor.value<std::int64_t>(900), descriptor.numbers<4>(902),
          descriptor.numbers<4>(903)};
}

StubCudnn::Convolution convolution_of(const Descriptor& operation) {
  const int first = operation.kind == forward ? 700 : 706;
  const Descriptor& how = operation.descriptor(first + 2);
  StubCudnn::Convolution c;
  c.by_data = operation.kind == by_data;
  c.filter = tensor_of(operation.descriptor(first + 3));
  c.x = tensor_of(operation.descriptor(first + 4));
  c.y = tensor_of(operation.descriptor(first + 5));
  c.dilation = how.numbers<2>(102);
  c.stride = how.numbers<2>(103);
  c.padding = how.numbers<2>(105);
  c.compute = how.value<int>(100);
  c.mode = how.value<int>(101);
  return c;
}

/// Sizes and channels fit together, and everything is as 2-D convolutions have it.
bool is_consistent(const Descriptor& operation) {
  const int first = operation.kind == forward ? 700 : 706;
  const Descriptor& how = operation.descriptor(first + 2);
  const StubCudnn::Convolution c = convolution_of(operation);
  const bool fits = how.value<std::int64_t>(106) == 2 && how.numbers<2>(104) == c.padding && c.mode == 1 &&
                    c.is_consistent();
  const auto factor = [&](int name) {
    const bool is_f64 = c.compute == type_f64;
    return is_f64 ? operation.value<double>(name) : double{operation.value<float>(name)};
  };
  return fits && factor(first) == 1 && factor(first + 1) == 0;
}

}  // namespace

extern "C" StubCudnn* stub_cudnn() { return &stub; }

extern "C" const char* cudnnGetErrorString(int status) {
  return status == 5000 ? "CUDNN_STATUS_EXECUTION_FAILED" : "CUDNN_STATUS_STUB";
}

extern "C" int cudnnCreate(void** handle) {
  if (const int status = enter(__func__)) return status;
  *handle = new int();
  ++stub.objects;
  return 0;
}
extern "C" int cudnnDestroy(void* handle) {
  delete static_cast<int*>(handle);
  --stub.objects;
  return enter(__func__);
}
extern "C" int cudnnSetStream(void*, void* stream) {
  stub.stream = stream;
  return enter(__func__);
}

extern "C" int cudnnBackendCreateDescriptor(int kind, void** descriptor) {
  if (const int status = enter(__func__)) return status;
  *descriptor = new Descriptor{kind};
  ++stub.objects;
  return 0;
}

extern "C" int cudnnBackendDestroyDescriptor(void* descriptor) {
  if (descriptor == nullptr) return status_bad_param;
  delete static_cast<Descriptor*>(descriptor);
  --stub.objects;
  return enter(__func__);
}

extern "C" int cudnnBackendSetAttribute(void* descriptor, int attribute, int type, std::int64_t count,
                                        const void* values) {
  if (const int status = enter(__func__)) return status;
  auto& object = *static_cast<Descriptor*>(descriptor);
  const auto of_kind = known.find(object.kind);
  if (object.is_final || of_kind == known.end()) return status_bad_param;
  const auto expected = of_kind->second.find(attribute);
  if (expected == of_kind->second.end() || count != expected->second.count) return status_bad_param;
  const bool is_type = type == expected->second.type || (expected->second.type == of_f32 && type == of_f64);
  if (!is_type) return status_bad_param;
  const auto* bytes = static_cast<const std::byte*>(values);
  object.values[attribute].assign(bytes, bytes + size_of(type) * static_cast<std::size_t>(count));
  return 0;
}

extern "C" int cudnnBackendFinalize(void* descriptor) {
  if (const int status = enter(__func__)) return status;
  auto& object = *static_cast<Descriptor*>(descriptor);
  const auto failure = stub.failures.find("cudnnBackendFinalize " + std::to_string(object.kind));
  if (failure != stub.failures.end()) return failure->second;
  const auto of_kind = known.find(object.kind);
  if (of_kind == known.end()) return status_bad_param;
  for (const auto& [attribute, expected] : of_kind->second) {
    if (!object.values.contains(attribute)) return status_bad_param;
    if (expected.type == of_descriptor && !object.descriptor(attribute).is_final) return status_not_finalized;
  }
  if ((object.kind == forward || object.kind == by_data) && !is_consistent(object)) return status_bad_param;
  if (object.kind == plan) {
    const Descriptor& configuration = object.descriptor(401);
    object.choice = configuration.choice;
    object.problem = convolution_of(configuration.of_graph->descriptor(801));
    if (object.choice.plan_status != 0) return object.choice.plan_status;
  }
  object.is_final = true;
  return 0;
}

extern "C" int cudnnBackendGetAttribute(void* descriptor, int attribute, int type, std::int64_t wanted,
                                        std::int64_t* count, void* values) {
  if (const int status = enter(__func__)) return status;
  auto& object = *static_cast<Descriptor*>(descriptor);
  if (!object.is_final) return status_not_finalized;
  if (object.kind == heuristic && attribute == 202 && type == of_descriptor) {
    const auto& choices = object.value<int>(200) == 3 ? stub.choices : stub.fallbacks;
    *count = static_cast<std::int64_t>(choices.size());
    for (std::int64_t i = 0; i < std::min(wanted, *count); ++i) {
      Descriptor& filled = *static_cast<Descriptor**>(values)[i];
      if (filled.kind != config) return status_bad_param;
      filled.choice = choices[static_cast<std::size_t>(i)];
      filled.of_graph = object.value<Descriptor*>(201);
      filled.is_final = true;
    }
    return 0;
  }
  *count = 1;
  if (object.kind == config && attribute == 300 && type == of_descriptor && wanted == 1) {
    Descriptor& filled = **static_cast<Descriptor**>(values);
    if (filled.kind != engine) return status_bad_param;
    filled.choice = object.choice;
    filled.is_final = true;
    return 0;
  }
  if (object.kind == engine && attribute == 1303 && type == of_note) {
    *count = static_cast<std::int64_t>(object.choice.notes.size());
    for (std::int64_t i = 0; i < std::min(wanted, *count); ++i)
      static_cast<int*>(values)[i] = object.choice.notes[static_cast<std::size_t>(i)];
    return 0;
  }
  if (wanted != 1 || type != of_int64) return status_bad_param;
  auto& number = *static_cast<std::int64_t*>(values);
  if (object.kind == engine && attribute == 1301)
    number = object.choice.engine;
  else if (object.kind == plan && attribute == 402)
    number = object.choice.workspace_bytes;
  else
    return status_bad_param;
  return 0;
}

extern "C" int cudnnBackendExecute(void*, void* plan_descriptor, void* pack) {
  if (const int status = enter(__func__)) return status;
  const auto& with = *static_cast<Descriptor*>(pack);
  const auto& what = *static_cast<Descriptor*>(plan_descriptor);
  if (!with.is_final || !what.is_final || with.kind != operands || what.kind != plan)
    return status_not_finalized;
  if (what.choice.run_status != 0) return what.choice.run_status;
  StubCudnn::Convolution c = what.problem;
  c.engine = what.choice.engine;
  c.workspace = with.value<void*>(1003);
  c.workspace_bytes = static_cast<std::size_t>(what.choice.workspace_bytes);
  c.stream = stub.stream;
  if (stub.current_context != nullptr) c.context = *stub.current_context;
  if (c.workspace_bytes != 0 && c.workspace == nullptr) return status_bad_param;
  // Those of the problem: by their ids 1, 2 and 3 for what goes in, the weights and what comes out.
  if (with.numbers<3>(1000) != std::array<std::int64_t, 3>{1, 2, 3}) return status_bad_param;
  void* const in = with.value<void*>(1001, 0);
  void* const filter = with.value<void*>(1001, 1);
  void* const out = with.value<void*>(1001, 2);
  for (const auto& [address, tensor] : {std::pair(in, c.by_data ? c.y : c.x), std::pair(filter, c.filter),
                                        std::pair(out, c.by_data ? c.x : c.y)})
    if (reinterpret_cast<std::uintptr_t>(address) % static_cast<std::uintptr_t>(tensor.alignment) != 0)
      return status_bad_param;
  stub.convolutions.push_back(c);
  void* const x = c.by_data ? out : in;
  void* const y = c.by_data ? in : out;
  if (c.y.type == type_f32) c.compute_on_host<float>(x, filter, y);
  if (c.y.type == type_f64) c.compute_on_host<double>(x, filter, y);
  return 0;
}
