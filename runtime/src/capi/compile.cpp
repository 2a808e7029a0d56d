#include "kernelgen/compile.hpp"

#include <optional>
#include <vector>

#include "call.hpp"

using kernelgen::CompileOptions;
using kernelgen::ExpressionOperand;
using kernelgen::ExpressionOptions;
using namespace kernelgen::capi;

namespace {

std::vector<ExpressionOperand> operands_of(const kernelgen_expression_operand* operands, std::size_t count) {
  if (count != 0) need(operands, "operands");
  std::vector<ExpressionOperand> all;
  for (const auto& [name, tensor, number] : std::span(operands, count)) {
    const char* const called = &need(name, "the name of an element of operands");
    if (tensor != nullptr)
      all.emplace_back(called, tensor->tensor);
    else
      all.emplace_back(called, scalar_of(number));
  }
  return all;
}

}  // namespace

kernelgen_status kernelgen_device_compile(const kernelgen_device* device, const char* source,
                                          const char* name, const char* const* flags, size_t flag_count,
                                          int is_cached, kernelgen_module** module) {
  return guarded(__func__, [&] {
    const auto& opened = need(device, "device").device;
    const char* const text = &need(source, "source");
    CompileOptions options;
    if (name != nullptr) options.name = name;
    if (flag_count != 0) need(flags, "flags");
    for (const char* flag : std::span(flags, flag_count))
      options.flags.emplace_back(&need(flag, "an element of flags"));
    options.is_cached = is_cached != 0;
    give(module, "module", [&] { return opened.compile(text, options); });
  });
}

kernelgen_status kernelgen_device_compile_manifest(const kernelgen_device* device, const char* manifest,
                                                   const char* name, const char* const* header_names,
                                                   const char* const* header_texts, size_t header_count,
                                                   int is_cached, kernelgen_package** package,
                                                   uint32_t* number) {
  return guarded(__func__, [&] {
    const auto& opened = need(device, "device").device;
    const char* const text = &need(manifest, "manifest");
    kernelgen::ManifestOptions options;
    if (name != nullptr) options.name = name;
    if (header_count != 0) need(header_names, "header_names"), need(header_texts, "header_texts");
    for (size_t i = 0; i < header_count; ++i)
      options.headers.emplace_back(&need(header_names[i], "an element of header_names"),
                                   &need(header_texts[i], "an element of header_texts"));
    options.is_cached = is_cached != 0;
    const kernelgen::AddedPackage added = opened.compile_manifest(text, options);
    if (package != nullptr) give(package, "package", [&] { return added.package; });
    if (number != nullptr) *number = added.number;
  });
}

kernelgen_status kernelgen_module_log(const kernelgen_module* module, const char** log) {
  return guarded(__func__, [&] { need(log, "log") = need(module, "module").module.log().c_str(); });
}

kernelgen_status kernelgen_expression(const char* text, const kernelgen_expression_operand* operands,
                                      size_t operand_count, const kernelgen_dtype* dtype,
                                      const kernelgen_tensor* out, const kernelgen_stream* stream,
                                      kernelgen_tensor** result) {
  return guarded(__func__, [&] {
    const char* const expression = &need(text, "text");
    const std::vector<ExpressionOperand> given = operands_of(operands, operand_count);
    run(out, stream, result, [&](const kernelgen::CallOptions& call) {
      ExpressionOptions options{call.stream, call.out};
      if (dtype != nullptr) options.dtype = need_dtype(*dtype, "dtype");
      return kernelgen::expression(expression, given, options);
    });
  });
}
