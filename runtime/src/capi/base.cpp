#include <string>

#include "boundary.hpp"

using kernelgen::DType;
using namespace kernelgen::capi;

const char* kernelgen_status_name(kernelgen_status status) {
  switch (status) {
    case KERNELGEN_OK:
      return "ok";
    case KERNELGEN_INVALID_ARGUMENT:
      return "invalid_argument";
    case KERNELGEN_NOT_FOUND:
      return "not_found";
    case KERNELGEN_UNSUPPORTED:
      return "unsupported";
    case KERNELGEN_OUT_OF_MEMORY:
      return "out_of_memory";
    case KERNELGEN_DEVICE_ERROR:
      return "device_error";
    case KERNELGEN_BAD_PACKAGE:
      return "bad_package";
    case KERNELGEN_INDEX_OUT_OF_RANGE:
      return "index_out_of_range";
    case KERNELGEN_IO:
      return "io";
    case KERNELGEN_INTERNAL:
      return "internal";
  }
  return "unknown";
}

const char* kernelgen_version(void) { return KERNELGEN_VERSION; }

size_t kernelgen_dtype_size(kernelgen_dtype dtype) {
  const auto index = static_cast<size_t>(dtype);
  return index < kernelgen::dtype_count ? kernelgen::size_of(static_cast<DType>(index)) : 0;
}

size_t kernelgen_dtype_block(kernelgen_dtype dtype) {
  const auto index = static_cast<size_t>(dtype);
  return index < kernelgen::dtype_count
             ? static_cast<size_t>(kernelgen::block_elements(static_cast<DType>(index)))
             : 0;
}

const char* kernelgen_dtype_name(kernelgen_dtype dtype) {
  const auto index = static_cast<size_t>(dtype);
  // The rows are string literals, so the views end in NUL.
  return index < kernelgen::dtype_count ? kernelgen::name_of(static_cast<DType>(index)).data() : nullptr;
}

kernelgen_status kernelgen_dtype_parse(const char* name, kernelgen_dtype* dtype) {
  return guarded(__func__, [&] {
    need(name, "name");
    need(dtype, "dtype");
    const auto parsed = kernelgen::parse_dtype(name);
    if (!parsed) {
      std::string message = "no dtype \"" + std::string(name) + "\"; there are";
      for (const auto& row : kernelgen::detail::dtype_rows) message.append(" ").append(row.name);
      throw kernelgen::Error(kernelgen::Code::not_found, message);
    }
    *dtype = static_cast<kernelgen_dtype>(*parsed);
  });
}
