#include "kernelgen/gguf.hpp"

#include <algorithm>

#include "handles.hpp"

using kernelgen::GgufFile;
using kernelgen::GgufTensor;
using kernelgen::GgufType;
using kernelgen::GgufValue;
using namespace kernelgen::capi;

namespace {

const GgufFile& file_of(const kernelgen_gguf* handle) { return need(handle, "gguf").file; }

const GgufValue& value_of(const kernelgen_gguf* handle, const char* key) {
  return file_of(handle).value(&need(key, "key"));
}

kernelgen_text text_of(std::string_view text) { return {text.data(), text.size()}; }

template <class Record>
const Record& at(std::span<const Record> records, std::size_t position) {
  if (position >= records.size())
    fail("position", "is " + std::to_string(position) + ", but there are " + std::to_string(records.size()));
  return records[position];
}

/// Writes what `convert` makes of each element to the caller's memory.
template <class Elements, class T, class Convert>
void give_elements(const Elements& elements, T* values, std::size_t count, const Convert& convert) {
  if (elements.size() != count)
    fail("count",
         "is " + std::to_string(count) + ", but there are " + std::to_string(elements.size()) + " elements");
  if (count != 0) std::transform(elements.begin(), elements.end(), &need(values, "values"), convert);
}

constexpr auto as_it_is = [](auto value) { return value; };

}  // namespace

kernelgen_status kernelgen_gguf_open(const char* file, kernelgen_gguf** gguf) {
  return guarded(__func__, [&] {
    need(file, "file");
    give(gguf, "gguf", [&] { return GgufFile::open(file); });
  });
}

kernelgen_status kernelgen_gguf_from_memory(const void* data, size_t bytes, kernelgen_gguf** gguf) {
  return guarded(__func__, [&] {
    const auto all = need_bytes(data, bytes, "data");
    give(gguf, "gguf", [&] { return GgufFile::from_memory(all); });
  });
}

void kernelgen_gguf_release(kernelgen_gguf* gguf) { delete gguf; }

kernelgen_status kernelgen_gguf_counts(const kernelgen_gguf* gguf, size_t* entries, size_t* tensors) {
  return guarded(__func__, [&] {
    const GgufFile& file = file_of(gguf);
    if (entries != nullptr) *entries = file.metadata().size();
    if (tensors != nullptr) *tensors = file.tensors().size();
  });
}

kernelgen_status kernelgen_gguf_key(const kernelgen_gguf* gguf, size_t position, kernelgen_text* key) {
  return guarded(__func__, [&] { need(key, "key") = text_of(at(file_of(gguf).metadata(), position).key); });
}

kernelgen_status kernelgen_gguf_kind(const kernelgen_gguf* gguf, const char* key, kernelgen_gguf_type* type,
                                     int* is_array, uint64_t* count) {
  return guarded(__func__, [&] {
    const GgufValue& value = value_of(gguf, key);
    const bool array = value.type() == GgufType::array;
    need(type, "type");
    need(is_array, "is_array");
    need(count, "count") = array ? value.size() : 1;
    *type = static_cast<kernelgen_gguf_type>(array ? value.element_type() : value.type());
    *is_array = array ? 1 : 0;
  });
}

kernelgen_status kernelgen_gguf_integer(const kernelgen_gguf* gguf, const char* key, int64_t* value) {
  return guarded(__func__, [&] { need(value, "value") = value_of(gguf, key).integer(); });
}

kernelgen_status kernelgen_gguf_real(const kernelgen_gguf* gguf, const char* key, double* value) {
  return guarded(__func__, [&] { need(value, "value") = value_of(gguf, key).real(); });
}

kernelgen_status kernelgen_gguf_boolean(const kernelgen_gguf* gguf, const char* key, int* value) {
  return guarded(__func__, [&] { need(value, "value") = value_of(gguf, key).boolean() ? 1 : 0; });
}

kernelgen_status kernelgen_gguf_text(const kernelgen_gguf* gguf, const char* key, kernelgen_text* value) {
  return guarded(__func__, [&] { need(value, "value") = text_of(value_of(gguf, key).text()); });
}

kernelgen_status kernelgen_gguf_integers(const kernelgen_gguf* gguf, const char* key, int64_t* values,
                                         size_t count) {
  return guarded(__func__, [&] { give_elements(value_of(gguf, key).integers(), values, count, as_it_is); });
}

kernelgen_status kernelgen_gguf_reals(const kernelgen_gguf* gguf, const char* key, double* values,
                                      size_t count) {
  return guarded(__func__, [&] { give_elements(value_of(gguf, key).reals(), values, count, as_it_is); });
}

kernelgen_status kernelgen_gguf_texts(const kernelgen_gguf* gguf, const char* key, kernelgen_text* values,
                                      size_t count) {
  return guarded(__func__, [&] { give_elements(value_of(gguf, key).texts(), values, count, text_of); });
}

kernelgen_status kernelgen_gguf_describe(const kernelgen_gguf* gguf, size_t position,
                                         kernelgen_gguf_tensor* tensor) {
  return guarded(__func__, [&] {
    const GgufTensor& found = at(file_of(gguf).tensors(), position);
    kernelgen_gguf_tensor& given = need(tensor, "tensor");
    given = {};
    given.name = text_of(found.name);
    given.format_name = text_of(found.format_name);
    given.format = found.format;
    given.dtype = found.dtype ? static_cast<kernelgen_dtype>(*found.dtype) : -1;
    given.rank = found.shape.size();
    std::copy(found.shape.begin(), found.shape.end(), given.shape);
    given.offset = found.offset;
    given.bytes = found.bytes;
  });
}

kernelgen_status kernelgen_gguf_find(const kernelgen_gguf* gguf, const char* name, size_t* position) {
  return guarded(__func__, [&] {
    const GgufFile& file = file_of(gguf);
    const GgufTensor& found = file.tensor(&need(name, "name"));
    need(position, "position") = static_cast<std::size_t>(&found - file.tensors().data());
  });
}

kernelgen_status kernelgen_gguf_bytes(const kernelgen_gguf* gguf, size_t position, const void** data,
                                      size_t* bytes) {
  return guarded(__func__, [&] {
    const GgufFile& file = file_of(gguf);
    const auto all = file.bytes(at(file.tensors(), position));
    need(data, "data");
    need(bytes, "bytes") = all.size();
    *data = all.data();
  });
}

kernelgen_status kernelgen_gguf_load(const kernelgen_gguf* gguf, const kernelgen_device* device,
                                     const char* name, const kernelgen_stream* stream,
                                     kernelgen_tensor** tensor) {
  return guarded(__func__, [&] {
    const GgufFile& file = file_of(gguf);
    need(name, "name");
    give(tensor, "tensor", [&] { return file.load(need(device, "device").device, name, stream_of(stream)); });
  });
}
