#include "device/compile.hpp"

#include <algorithm>
#include <utility>

#include "common/format.hpp"
#include "compile/compile.hpp"
#include "device/module.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {
namespace {

bool is_bad_in_name(char c) {
  return static_cast<unsigned char>(c) < ' ' || c == '"' || c == '\\' || c == 0x7f;
}

}  // namespace

void check_source_name(std::string_view call, std::string_view name) {
  if (name.empty() || std::ranges::any_of(name, is_bad_in_name))
    throw Error(
        Code::invalid_argument,
        formatted("{}: the name of a source must not be empty, nor have quotes, backslashes or control "
                  "characters",
                  call));
}

std::shared_ptr<LoadedModule> compile_module(DeviceState& state, std::string_view source,
                                             const CompileOptions& options, std::string* log) {
  check_source_name("compile", options.name);
  if (source.find('\0') != std::string_view::npos)
    throw Error(Code::invalid_argument, formatted("compile: the source {} has a zero in it", options.name));
  const DeviceInfo& info = state.driver().info();
  const CompiledCode made =
      compile({state.kind(), info.architecture, info.wave_size, options.name, source, options.flags},
              options.is_cached);
  if (log != nullptr) *log = made.log;
  return state.load_module(made.code, options.name);
}

Module Device::compile(std::string_view source, const CompileOptions& options) const {
  std::string log;
  auto loaded = compile_module(*state_, source, options, &log);
  return Module(
      std::make_shared<Module::Impl>(Module::Impl{state_, std::move(loaded), options.name, std::move(log)}));
}

}  // namespace kernelgen
