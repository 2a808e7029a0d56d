#include "ops/expression_kernels.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

#include "common/format.hpp"
#include "device/compile.hpp"
#include "plan/abi.hpp"
#include "source/expression.hpp"
#include "source/identifier.hpp"
#include "source/map_source.hpp"

namespace kernelgen {
namespace {

constexpr const char* kernel_name = "kg_expression";
constexpr const char* source_name = "expression";

/// The loaded kernel of an expression.
struct Compiled {
  std::shared_ptr<LoadedModule> module;
  LoadedKernel* kernel;
};

/// A device's loaded expression kernels. Thread-safe.
class ExpressionCache {
 public:
  static ExpressionCache& of(DeviceState& state) {
    return *state.attachments().get<ExpressionCache>([] { return std::make_unique<ExpressionCache>(); });
  }

  /// Null if not cached.
  LoadedKernel* find(std::string_view key) const {
    const std::shared_lock lock(mutex_);
    const auto found = compiled_.find(key);
    return found != compiled_.end() ? found->second.kernel : nullptr;
  }
  /// Returns the kernel another thread has inserted meanwhile, if any.
  LoadedKernel* put(std::string key, Compiled compiled) {
    const std::lock_guard lock(mutex_);
    return compiled_.try_emplace(std::move(key), std::move(compiled)).first->second.kernel;
  }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  mutable std::shared_mutex mutex_;
  std::unordered_map<std::string, Compiled, Hash, std::equal_to<>> compiled_;
};

/// Writes a key that identifies the kernel among all of a device.
void write_key(const TypedExpression& expression, MapForm form, std::string& key) {
  const auto add = [&](std::string_view text) {
    const std::size_t size = text.size();
    key.append(reinterpret_cast<const char*>(&size), sizeof size).append(text);
  };
  const auto byte = [](auto value) { return static_cast<char>(value); };
  key = {byte(form), byte(expression.result), byte(expression.number)};
  add(expression.text);
  for (const ExpressionOperand& operand : expression.operands) {
    add(operand.name);
    key.push_back(operand.tensor != nullptr ? byte(operand.tensor->dtype()) : '\x7f');
  }
}

void check_names(const TypedExpression& expression) {
  std::vector<std::string_view> names;
  for (const ExpressionOperand& operand : expression.operands) {
    if (const std::string objection = identifier_objection(operand.name); !objection.empty())
      invalid(formatted("expression: the operand's name '{}' {}", operand.name, objection));
    if (std::ranges::find(names, operand.name) != names.end())
      invalid(formatted("expression: two operands are called '{}'", operand.name));
    names.push_back(operand.name);
  }
}

/// Compiles a kernel. Throws the errors of Device::compile, with the expression's text.
Compiled compile(DeviceState& state, const TypedExpression& expression, MapForm form) {
  CompileOptions options;
  options.name = source_name;
  const std::string source = expression_source(expression, form);
  try {
    const std::shared_ptr<LoadedModule> module = compile_module(state, source, options);
    LoadedKernel* const kernel = module->kernel(kernel_name);
    if (kernel == nullptr)
      throw Error(Code::device, formatted("the compiled code has no kernel {}", kernel_name));
    state.observer().name(kernel->function, formatted("{} {}", source_name, expression.text));
    return {module, kernel};
  } catch (const Error& error) {
    throw Error(error.code(), formatted("expression '{}': {}", expression.text, error.what()));
  }
}

}  // namespace

std::string expression_source(const TypedExpression& expression, MapForm form) {
  check_names(expression);
  std::vector<std::string> inputs, scalars;  // names in the expression
  std::vector<std::string> input_arguments, scalar_arguments, types, parameters;
  for (const ExpressionOperand& operand : expression.operands) {
    const bool is_input = operand.tensor != nullptr;
    (is_input ? inputs : scalars).emplace_back(operand.name);
    if (!is_input) continue;
    input_arguments.push_back(formatted("x{}", input_arguments.size()));
    parameters.push_back(formatted("const {}* {}", name_of(operand.tensor->dtype()), input_arguments.back()));
  }
  std::vector<std::string> names = inputs;
  names.insert(names.end(), scalars.begin(), scalars.end());
  const ExpressionCode code = parse_expression(expression.text, {names});
  if (!code.objection.empty()) invalid(formatted("expression '{}': {}", expression.text, code.objection));
  const bool is_strided = form == MapForm::strided;
  parameters.push_back(formatted("{}* y", name_of(expression.result)));
  parameters.push_back(is_strided ? formatted("{} layout", map_layout_type(inputs.size())) : "u64 n");
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    types.emplace_back(name_of(expression.number));
    scalar_arguments.push_back(formatted("s{}", i));
    parameters.push_back(formatted("{} {}", types.back(), scalar_arguments.back()));
  }
  const std::string object = map_object({source_name, code, inputs, scalars},
                                        formatted("#line 1 \"{}\"\n", source_name), ~std::size_t{0});
  return formatted(
      "#include \"elementwise/map.hpp\"\n#include \"device/quotient.hpp\"\n\nnamespace kg {{\nnamespace "
      "{{\n\n{}}};\n\n}}\n}}\n\nusing namespace kg;\n{}",
      object,
      kernel_definition(kg::block_threads, kernel_name, parameters,
                        map_body(source_name, input_arguments, scalar_arguments, types, is_strided)));
}

void ExpressionKernels::launch(MapForm form, const LaunchShape& shape, const Arguments& arguments) const {
  thread_local std::string key;
  write_key(expression_, form, key);
  DeviceState& state = state_of(device_);
  ExpressionCache& cache = ExpressionCache::of(state);
  LoadedKernel* kernel = cache.find(key);
  if (kernel == nullptr) kernel = cache.put(key, compile(state, expression_, form));
  device_.launch({kernel}, shape, arguments.bytes(), stream_);
}

}  // namespace kernelgen
