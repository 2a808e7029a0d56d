#include "device/compile.hpp"

#include <algorithm>
#include <utility>

#include "common/format.hpp"
#include "compile/compile.hpp"
#include "device/module.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {
namespace {

/// The name is inserted into a directive of the source.
void check_name(std::string_view name) {
  const auto is_bad = [](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == '"' || c == '\\' || c == 0x7f;
  };
  if (name.empty() || std::ranges::any_of(name, is_bad))
    throw Error(Code::invalid_argument,
                "compile: the name of a source must not be empty, nor have quotes, backslashes or control "
                "characters");
}

}  // namespace

std::shared_ptr<LoadedModule> compile_module(DeviceState& state, std::string_view source,
                                             const CompileOptions& options, std::string* log) {
  check_name(options.name);
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
