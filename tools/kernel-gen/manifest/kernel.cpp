#include "manifest/kernel.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "kernelgen/dtype.hpp"
#include "manifest/matmul_form.hpp"
#include "manifest/reduction.hpp"
#include "manifest/row_steps.hpp"
#include "manifest/shared_kernels.hpp"
#include "source/identifier.hpp"
#include "source/map_source.hpp"

namespace kernelgen::tool {

namespace {

std::vector<std::string> variable_names(std::span<const TypeVariable> types) {
  std::vector<std::string> names;
  for (const TypeVariable& variable : types) names.push_back(variable.name);
  return names;
}

Parameter parameter(const std::string& name, const std::string& type) {
  return {name, parse_argument_type(type).value()};
}

/// The forms that an operation with an "expr" has: `contiguous` and `strided`. Arguments: inputs, output, extent, scalars.
Form map_form(const OperationEntry& entry, bool is_strided) {
  Form form{is_strided ? "strided" : "contiguous", {}, {Template("")}, entry.block};
  std::vector<std::string> inputs;
  for (const Operand& input : entry.inputs) {
    form.parameters.push_back({input.name, {input.type, true, true}});
    inputs.push_back(input.name);
  }
  form.parameters.push_back({"y", {entry.output.type, false, true}});
  form.parameters.push_back(is_strided ? parameter("layout", map_layout_type(inputs.size()))
                                       : parameter("n", "u64"));
  std::vector<std::string> scalars, types;
  for (const Operand& scalar : entry.scalars) {
    form.parameters.push_back({scalar.name, {scalar.type, false, false}});
    scalars.push_back(scalar.name);
    types.push_back(parse_element(scalar.type) ? scalar.type : fmt::format("{{{}}}", scalar.type));
  }
  form.body.text = Template(map_body(entry.name, inputs, scalars, types, is_strided));
  return form;
}

/// The forms that follow from an entry's expr, reduce, row or matmul. Those of a rule (body, scan, index) are in entry.forms.
std::vector<Form> made_forms(const OperationEntry& entry) {
  if (!entry.expr.empty()) return {map_form(entry, false), map_form(entry, true)};
  if (entry.rule) return {};
  if (entry.reduce) return reduction_forms(entry);
  if (!entry.row.empty()) return row_forms(entry);
  if (entry.epilogue) return matmul_forms(entry);
  return {};
}

/// made_forms(), then the entry's "forms". One of these with the name of a made form says only whose kernels that one launches.
std::vector<Form> forms_of(const OperationEntry& entry) {
  std::vector<Form> forms = made_forms(entry);
  for (const Form& form : entry.forms)
    if (const auto made = std::ranges::find(forms, form.name, &Form::name); made != forms.end())
      made->owners = form.owners;
    else
      forms.push_back(form);
  return forms;
}

std::vector<Argument> arguments_of(const std::vector<Parameter>& parameters, const Binding& binding) {
  std::vector<Argument> arguments;
  std::uint32_t end = 0;
  for (const Parameter& p : parameters) {
    const TypeLayout layout = p.type.layout(binding);
    const std::uint32_t offset = (end + layout.align - 1) / layout.align * layout.align;
    arguments.push_back(
        {p.name, p.type.spell(binding), offset, layout.size, p.type.is_pointer, p.type.is_written()});
    end = offset + layout.size;
  }
  return arguments;
}

class Expander {
 public:
  void add(const Manifest& manifest) {
    file_ = manifest.file;
    claim("module", manifest.module, "/module");
    Module module{manifest.module,        manifest.doc,
                  manifest.header,        std::filesystem::path(manifest.file).filename().string(),
                  manifest.file,          manifest.hash,
                  next_kernel(),          0,
                  manifest.has_functions, manifest.binary};
    is_of_binary_ = !manifest.binary.empty();
    for (const OperationEntry& entry : manifest.operations) {
      const std::vector<Form> forms = forms_of(entry);
      if (has_room(entry.types, forms.size(), entry.pointer)) add(entry, forms);
    }
    for (const SymbolEntry& entry : manifest.symbols)
      if (has_room(entry.types, 1, entry.pointer)) add(entry);
    module.kernel_count = next_kernel() - module.first_kernel;
    set_.modules.push_back(std::move(module));
  }

  KernelSet finish() {
    shared_.resolve(set_, faults_);
    faults_.throw_if_any();
    return std::move(set_);
  }

 private:
  std::uint32_t next_kernel() const { return static_cast<std::uint32_t>(set_.kernels.size()); }
  std::uint32_t this_module() const { return static_cast<std::uint32_t>(set_.modules.size()); }

  void claim(const std::string& kind, const std::string& name, const std::string& pointer) {
    const auto [it, is_new] = owners_.try_emplace({kind, name}, file_ + ": " + pointer);
    if (!is_new)
      faults_.add(file_, pointer, fmt::format("{} '{}' is already made by {}", kind, name, it->second));
  }

  /// Whether an entry's kernels, one per form and combination of types, fit into max_kernels. Otherwise adds a fault.
  bool has_room(std::span<const TypeVariable> types, std::size_t forms, const std::string& pointer) {
    std::size_t count = forms;
    for (const TypeVariable& variable : types) count *= variable.values.size();
    if (set_.kernels.size() + count <= max_kernels) return true;
    faults_.add(file_, pointer,
                fmt::format("makes {} kernels after {} before it; at most {} are possible", count,
                            set_.kernels.size(), max_kernels));
    return false;
  }

  void add(const OperationEntry& entry, const std::vector<Form>& forms) {
    claim("operation", entry.name, entry.pointer);
    Operation operation{entry.name,
                        entry.doc,
                        this_module(),
                        entry.expr,
                        entry.expr_line,
                        entry.expr_code,
                        entry.reduce,
                        entry.row,
                        entry.index,
                        entry.epilogue,
                        entry.rule,
                        entry.types,
                        entry.inputs,
                        static_cast<std::uint32_t>(entry.inputs.size()),
                        static_cast<std::uint32_t>(entry.scalars.size()),
                        {},
                        {},
                        entry.is_swapped};
    operation.operands.push_back(entry.output);
    operation.operands.insert(operation.operands.end(), entry.scalars.begin(), entry.scalars.end());
    for (const Form& form : forms) operation.forms.push_back(form.name);

    const std::vector<std::string> variables = variable_names(entry.types);
    const std::uint32_t first = next_kernel();
    for (const auto& values : combinations(entry.types)) {
      const Binding binding{variables, values};
      for (std::size_t f = 0; f < forms.size(); ++f)
        if (!share(operation, entry, forms[f], binding))
          add_kernel(operation, entry, forms[f], static_cast<std::uint32_t>(f), binding);
    }
    // Swapped inputs, or another count for a reduction's `finish`, make another operation of the same kernels.
    const bool is_another_call =
        operation.is_swapped || (operation.reduce && !operation.reduce->functor.empty());
    if (!operation.variants.empty() && first == next_kernel() && !is_another_call)
      faults_.add(file_, entry.pointer,
                  "has no kernel of its own: at least one form must not be that of another operation");
    set_.operations.push_back(std::move(operation));
  }

  void add_kernel(Operation& operation, const OperationEntry& entry, const Form& form, std::uint32_t number,
                  const Binding& binding) {
    if (!form.owners.empty() && form.parameters.empty())
      faults_.add(
          file_, entry.pointer,
          fmt::format("form '{}' has no 'args' and 'body', and its 'kernels_of' leaves out some types",
                      form.name));
    std::string name = "kg_" + entry.name;
    for (const ElementCode code : binding.values) name.append("_").append(element_name(code));
    if (form.name != "contiguous") name += '_' + form.name;
    operation.variants.push_back(next_kernel());
    Kernel kernel = make_kernel(std::move(name), form.parameters, form.body, binding);
    kernel.operation = static_cast<std::uint32_t>(set_.operations.size());
    kernel.form = number;
    kernel.block = form.block;
    kernel.occupancy = form.occupancy.empty() ? entry.occupancy : form.occupancy;
    kernel.budget = entry.budget;
    add(std::move(kernel), entry.pointer);
  }

  /// Whether the form's kernel for these types is another operation's or for other types: it is found when all are known.
  bool share(Operation& operation, const OperationEntry& entry, const Form& form, const Binding& binding) {
    const std::vector<ElementCode> values(binding.values.begin(), binding.values.end());
    for (const auto* const owners : {&form.owners, &entry.owners})
      for (const KernelOwner& owner : *owners) {
        if (!owner.is_for(values)) continue;
        if (owner.operation.empty() && owner.types_for(values) == values) return false;
        shared_.add({set_.operations.size(), operation.variants.size(), values, owner, file_,
                     arguments_of(form.parameters, binding)});
        operation.variants.push_back(KERNELGEN_NO_KERNEL);
        return true;
      }
    return false;
  }

  void add(const SymbolEntry& entry) {
    const std::vector<std::string> variables = variable_names(entry.types);
    for (const auto& values : combinations(entry.types)) {
      const Binding binding{variables, values};
      Kernel kernel =
          make_kernel(entry.name.fill(binding, entry.spelling), entry.parameters, entry.body, binding);
      kernel.block = entry.block;
      kernel.occupancy = entry.occupancy;
      kernel.budget = entry.budget;
      add(std::move(kernel), entry.pointer);
    }
  }

  Kernel make_kernel(std::string name, const std::vector<Parameter>& parameters, const Body& body,
                     const Binding& binding) const {
    Kernel kernel;
    kernel.name = std::move(name);
    kernel.module = this_module();
    for (const ElementCode code : binding.values) kernel.types.emplace_back(element_name(code));
    kernel.arguments = arguments_of(parameters, binding);
    if (!kernel.arguments.empty())
      kernel.kernarg_bytes = kernel.arguments.back().offset + kernel.arguments.back().size;
    kernel.body = body.text.fill(binding);
    kernel.body_line = body.line;
    return kernel;
  }

  void add(Kernel kernel, const std::string& pointer) {
    claim("kernel", kernel.name, pointer);
    if (kernel.kernarg_bytes > KERNELGEN_MAX_ARGUMENT_BYTES)
      faults_.add(file_, pointer,
                  fmt::format("kernel '{}' takes {} bytes of arguments; at most {} are possible", kernel.name,
                              kernel.kernarg_bytes, KERNELGEN_MAX_ARGUMENT_BYTES));
    if (const std::string objection =
            is_of_binary_ ? symbol_objection(kernel.name) : identifier_objection(kernel.name);
        !objection.empty())
      faults_.add(file_, pointer, fmt::format("kernel '{}' {}", kernel.name, objection));
    // The generated header's own enumerators begin like those of the kernels.
    if (kernel.name == "COUNT" || kernel.name == "BUCKETS")
      faults_.add(file_, pointer,
                  fmt::format("kernel name '{}' is taken by the generated header", kernel.name));
    set_.kernels.push_back(std::move(kernel));
  }

  KernelSet set_;
  Faults faults_;
  SharedKernels shared_;
  std::string file_;
  bool is_of_binary_ = false;
  std::map<std::pair<std::string, std::string>, std::string> owners_;
};

}  // namespace

std::vector<std::vector<ElementCode>> combinations(std::span<const TypeVariable> types) {
  std::vector<std::vector<ElementCode>> rows = {{}};
  for (const TypeVariable& variable : types) {
    std::vector<std::vector<ElementCode>> longer;
    for (const auto& row : rows) {
      for (const ElementCode code : variable.values) {
        longer.push_back(row);
        longer.back().push_back(code);
      }
    }
    rows = std::move(longer);
  }
  return rows;
}

std::uint32_t Operation::kind() const {
  if (is_map()) return KERNELGEN_OPERATION_MAP;
  if (rule) return KERNELGEN_OPERATION_BODY;
  if (reduce) return KERNELGEN_OPERATION_REDUCE;
  if (epilogue) return KERNELGEN_OPERATION_MATMUL;
  return row.empty() ? KERNELGEN_OPERATION_OTHER : KERNELGEN_OPERATION_ROW;
}

std::uint32_t Operation::type_code(const Operand& operand) const {
  const auto it = std::find_if(variables.begin(), variables.end(),
                               [&](const TypeVariable& variable) { return variable.name == operand.type; });
  if (it != variables.end())
    return KERNELGEN_TYPE_VARIABLE | static_cast<std::uint32_t>(it - variables.begin());
  return parse_element(operand.type).value();
}

std::vector<std::string> KernelSet::kernel_names() const {
  std::vector<std::string> names;
  for (const Kernel& kernel : kernels) names.push_back(kernel.name);
  return names;
}

std::uint64_t KernelSet::hash() const {
  // As text, so that the hash is the same on any host.
  std::string text;
  for (const Module& module : modules) text += fmt::format("{} {:016x}\n", module.name, module.hash);
  return XXH3_64bits(text.data(), text.size());
}

KernelSet expand(std::span<const Manifest> manifests) {
  Expander expander;
  for (const Manifest& manifest : manifests) expander.add(manifest);
  return expander.finish();
}

}  // namespace kernelgen::tool
