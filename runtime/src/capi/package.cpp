#include <filesystem>
#include <optional>

#include "handles.hpp"

using kernelgen::Code;
using kernelgen::Error;
using kernelgen::Package;
using namespace kernelgen::capi;

namespace {

/// Gives the position a lookup found.
void give_found(std::optional<std::uint32_t> found, std::uint32_t& position, const char* kind,
                const char* name) {
  if (!found)
    throw Error(Code::not_found,
                "the package has no " + std::string(kind) + " \"" + std::string(name) + "\"");
  position = *found;
}

const kernelgen_operation_record& operation_at(const Package& package, std::uint32_t index) {
  need_index(index, package.operations().size(), "operation");
  return package.operations()[index];
}

}  // namespace

kernelgen_status kernelgen_package_embedded(kernelgen_package** package) {
  return guarded(__func__, [&] { give(package, "package", [] { return Package::embedded(); }); });
}

kernelgen_status kernelgen_package_open(const char* file, kernelgen_package** package) {
  return guarded(__func__, [&] {
    need(file, "file");
    give(package, "package", [&] { return Package::open(file); });
  });
}

kernelgen_status kernelgen_package_from_memory(const void* data, size_t bytes, kernelgen_package** package) {
  return guarded(__func__, [&] {
    give(package, "package", [&] { return Package::from_memory(need_bytes(data, bytes, "data")); });
  });
}

void kernelgen_package_release(kernelgen_package* package) { delete package; }

kernelgen_status kernelgen_package_targets(const kernelgen_package* package,
                                           const kernelgen_target_record** targets, size_t* count) {
  return guarded(__func__,
                 [&] { give_table(need(package, "package").package.targets(), targets, "targets", count); });
}

kernelgen_status kernelgen_package_modules(const kernelgen_package* package,
                                           const kernelgen_module_record** modules, size_t* count) {
  return guarded(__func__,
                 [&] { give_table(need(package, "package").package.modules(), modules, "modules", count); });
}

kernelgen_status kernelgen_package_kernels(const kernelgen_package* package,
                                           const kernelgen_kernel_record** kernels, size_t* count) {
  return guarded(__func__,
                 [&] { give_table(need(package, "package").package.kernels(), kernels, "kernels", count); });
}

kernelgen_status kernelgen_package_operations(const kernelgen_package* package,
                                              const kernelgen_operation_record** operations, size_t* count) {
  return guarded(__func__, [&] {
    give_table(need(package, "package").package.operations(), operations, "operations", count);
  });
}

kernelgen_status kernelgen_package_blobs(const kernelgen_package* package,
                                         const kernelgen_blob_record** blobs, size_t* count) {
  return guarded(__func__,
                 [&] { give_table(need(package, "package").package.blobs(), blobs, "blobs", count); });
}

kernelgen_status kernelgen_package_arguments(const kernelgen_package* package, uint32_t kernel,
                                             const kernelgen_argument_record** arguments, size_t* count) {
  return guarded(__func__, [&] {
    const Package& opened = need(package, "package").package;
    need_index(kernel, opened.kernels().size(), "kernel");
    give_table(opened.arguments(kernel), arguments, "arguments", count);
  });
}

kernelgen_status kernelgen_package_operands(const kernelgen_package* package, uint32_t operation,
                                            const kernelgen_operand_record** operands, size_t* count) {
  return guarded(__func__, [&] {
    const Package& opened = need(package, "package").package;
    give_table(opened.operands(operation_at(opened, operation)), operands, "operands", count);
  });
}

kernelgen_status kernelgen_package_variables(const kernelgen_package* package, uint32_t operation,
                                             const kernelgen_variable_record** variables, size_t* count) {
  return guarded(__func__, [&] {
    const Package& opened = need(package, "package").package;
    give_table(opened.variables(operation_at(opened, operation)), variables, "variables", count);
  });
}

kernelgen_status kernelgen_package_forms(const kernelgen_package* package, uint32_t operation,
                                         const uint32_t** names, size_t* count) {
  return guarded(__func__, [&] {
    const Package& opened = need(package, "package").package;
    give_table(opened.forms(operation_at(opened, operation)), names, "names", count);
  });
}

kernelgen_status kernelgen_package_variants(const kernelgen_package* package, uint32_t operation,
                                            const uint32_t** kernels, size_t* count) {
  return guarded(__func__, [&] {
    const Package& opened = need(package, "package").package;
    give_table(opened.variants(operation_at(opened, operation)), kernels, "kernels", count);
  });
}

kernelgen_status kernelgen_package_digits(const kernelgen_package* package, const uint8_t** digits,
                                          size_t* count) {
  return guarded(__func__,
                 [&] { give_table(need(package, "package").package.digits(), digits, "digits", count); });
}

kernelgen_status kernelgen_package_resources(const kernelgen_package* package, uint32_t target,
                                             uint32_t kernel, const kernelgen_resource_record** resources) {
  return guarded(__func__, [&] {
    const Package& opened = need(package, "package").package;
    need_index(target, opened.targets().size(), "target");
    need_index(kernel, opened.kernels().size(), "kernel");
    need(resources, "resources") = &opened.resources(target, kernel);
  });
}

kernelgen_status kernelgen_package_code(const kernelgen_package* package, uint32_t target, uint32_t module,
                                        const void** code, size_t* bytes) {
  return guarded(__func__, [&] {
    const Package& opened = need(package, "package").package;
    need_index(target, opened.targets().size(), "target");
    need_index(module, opened.modules().size(), "module");
    need(code, "code");
    need(bytes, "bytes");
    const auto object = opened.kept_code(target, module);
    *code = object.data();
    *bytes = object.size();
  });
}

kernelgen_status kernelgen_package_text(const kernelgen_package* package, uint32_t string_offset,
                                        const char** text) {
  return guarded(__func__, [&] {
    const Package& opened = need(package, "package").package;
    need(text, "text");
    // The header was checked when the package was opened; an offset from outside was not.
    const auto& header = *reinterpret_cast<const kernelgen_package_header*>(opened.bytes().data());
    need_index(string_offset, header.strings.count, "string_offset");
    *text = opened.text(string_offset).data();
  });
}

kernelgen_status kernelgen_package_provenance(const kernelgen_package* package, const char** text,
                                              size_t* bytes) {
  return guarded(__func__, [&] {
    const std::string_view json = need(package, "package").package.provenance();
    need(text, "text");
    need(bytes, "bytes") = json.size();
    *text = json.data();
  });
}

kernelgen_status kernelgen_package_bytes(const kernelgen_package* package, const void** data, size_t* bytes) {
  return guarded(__func__, [&] {
    const auto all = need(package, "package").package.bytes();
    need(data, "data");
    need(bytes, "bytes") = all.size();
    *data = all.data();
  });
}

kernelgen_status kernelgen_package_find_kernel(const kernelgen_package* package, const char* name,
                                               uint32_t* kernel) {
  return guarded(__func__, [&] {
    const Package& opened = need(package, "package").package;
    need(name, "name");
    give_found(opened.find_kernel(name), need(kernel, "kernel"), "kernel", name);
  });
}

kernelgen_status kernelgen_package_find_target(const kernelgen_package* package, const char* name,
                                               uint32_t* target) {
  return guarded(__func__, [&] {
    const Package& opened = need(package, "package").package;
    need(name, "name");
    give_found(opened.find_target(name), need(target, "target"), "target", name);
  });
}

kernelgen_status kernelgen_package_find_operation(const kernelgen_package* package, const char* name,
                                                  uint32_t* operation) {
  return guarded(__func__, [&] {
    const Package& opened = need(package, "package").package;
    need(name, "name");
    std::uint32_t& position = need(operation, "operation");
    std::optional<std::uint32_t> found;
    if (const auto* record = opened.find_operation(name))
      found = static_cast<std::uint32_t>(record - opened.operations().data());
    give_found(found, position, "operation", name);
  });
}

kernelgen_status kernelgen_package_verify(const kernelgen_package* package) {
  return guarded(__func__, [&] { need(package, "package").package.check_blobs(); });
}
