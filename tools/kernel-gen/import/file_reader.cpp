#include "import/file_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "build/depfile.hpp"
#include "import/diagnostics.hpp"
#include "import/host_code.hpp"
#include "import/layout.hpp"
#include "import/syntax_tree.hpp"
#include "source/identifier.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

/// Each round skips declarations whose types the last one took away. A file that makes more errors is beyond that.
constexpr std::size_t most_host_errors = 10000;

class Reader {
 public:
  Reader(const FileRequest& request, const ImportTools& tools, Disk& disk, ProcessRunner& runner)
      : request_(request), tools_(tools), disk_(disk), runner_(runner) {
    result_.file.module = request.module;
    result_.file.defines = request.defines;
  }

  ReadFile run() {
    read_sources();
    const Declarations declared = read_declarations();
    choose(declared.kernels);
    result_.file.shared = declared.shared;
    describe(declared.host);
    return std::move(result_);
  }

 private:
  const std::string file() const { return request_.file.string(); }

  CommandLine clang_command() const {
    return {tools_.clang.string(), "-x", "hip", "--offload-device-only", "--offload-arch=gfx90a",
            "-std=c++17", "-nogpuinc", "-nogpulib", "-w", "-ferror-limit=0", "-fno-caret-diagnostics",
            "-fno-color-diagnostics", "-fwrapv",
            // Later names have parts that this program's C++ library cannot read.
            "-fclang-abi-compat=15", "-DKERNELGEN_IMPORT", "-DKERNELGEN_WAVE_SIZE=64"};
  }

  void check(const ProcessResult& result) const {
    if (!result.start_error.empty() || result.signal != 0)
      throw BadInput(Fault{file(), "", fmt::format("clang cannot read it: {}", result.outcome()), {}});
  }

  /// The files that the preprocessor needs. Which headers they include says whether they are HIP or CUDA.
  void read_sources() {
    std::vector<fs::path> needed;
    bool is_cuda = request_.file.extension() == ".cu";
    for (int attempt = 0; attempt < 2; ++attempt) {
      try {
        needed = list_files(is_cuda);
      } catch (const BadInput&) {
        // HIP spelled in a .cu file may ask for HIP's platform.
        if (attempt != 0 || !is_cuda) throw;
        is_cuda = false;
        continue;
      }
      const auto includes = [&](std::string_view word) {
        return std::ranges::any_of(needed, [&](const fs::path& path) {
          return path.generic_string().find(word) != std::string::npos && !disk_.is_directory(path) &&
                 !is_shipped(path);
        });
      };
      const bool has_hip = includes("hip/hip_") || includes("hip_runtime.h");
      const bool now_cuda =
          !has_hip && (is_cuda || includes("cuda_runtime") || includes("cuda_fp16") || includes("cuda.h"));
      if (now_cuda == is_cuda) break;
      is_cuda = now_cuda;
    }
    result_.file.is_cuda = is_cuda;
    std::erase_if(needed, [&](const fs::path& path) { return is_shipped(path); });
    Faults faults;
    result_.tree =
        read_source_tree(disk_, {request_.file, request_.includes}, request_.module, needed, faults);
    faults.throw_if_any();
    result_.file.main = result_.tree.main;
  }

  bool is_shipped(const fs::path& path) const {
    return path.string().starts_with(tools_.shipped_kernels.string());
  }

  std::vector<fs::path> list_files(bool is_cuda) const {
    CommandLine command = clang_command();
    command.insert(command.end(), {"-MM", "-MG", "-isystem", tools_.shipped_kernels.string(), "-include",
                                   "imported/api.hpp"});
    if (is_cuda) command.push_back("-DKERNELGEN_CUDA_FILE=1");
    for (const std::string& define : request_.defines) command.push_back("-D" + define);
    for (const fs::path& folder : request_.includes) command.insert(command.end(), {"-I", folder.string()});
    command.push_back(file());
    const ProcessResult result = run_process(runner_, command);
    check(result);
    Faults faults;
    for (const Diagnostic& error : read_diagnostics(result.err)) add_fault(error, faults);
    faults.throw_if_any();
    if (!result.ok()) throw BadInput(Fault{file(), "", "clang cannot read it: " + result.outcome(), {}});
    return read_depfile(result.out);
  }

  void write_tree() const {
    for (const auto& [key, source] : result_.tree.files) {
      disk_.make_dirs((tools_.folder / key).parent_path());
      disk_.write_atomically(tools_.folder / key, source.text);
    }
  }

  ProcessResult compile(const std::string& text, std::initializer_list<const char*> options) const {
    const fs::path main = tools_.folder / "kernelgen_import.hip";
    write_tree();
    disk_.write_atomically(main, text);
    CommandLine command = clang_command();
    command.insert(command.end(),
                   {"-I", tools_.folder.string(), "-isystem", tools_.shipped_kernels.string()});
    command.insert(command.end(), options.begin(), options.end());
    command.push_back(main.string());
    ProcessResult result = run_process(runner_, command);
    check(result);
    return result;
  }

  void add_fault(const Diagnostic& error, Faults& faults) const {
    if (error.file.empty())
      faults.add(file(), "", error.what);
    else
      faults.add(
          fmt::format("{}:{}:{}", result_.tree.original(tools_.folder, error.file), error.line, error.column),
          "", error.what);
  }

  /// Reads the file's declarations, host functions included: their launches are what instantiates templates. Then takes away
  /// what the host alone needs.
  Declarations read_declarations() {
    const ProcessResult result =
        compile(file_lines(result_.file), {"-fsyntax-only", "-Xclang", "-ast-dump=json"});
    Declarations declared;
    const std::string folder = (tools_.folder / request_.module).string() + "/";
    visit_syntax_tree(
        result.out, [&](std::string_view name) { return name.starts_with(folder); },
        [&](const Json& declaration) { kernelgen::tool::read_declarations(declaration, declared); });
    if (declared.kernels.empty()) {
      Faults faults;
      faults.add(file(), "", "holds no __global__ function");
      for (const Diagnostic& error : read_diagnostics(result.err)) add_fault(error, faults);
      faults.throw_if_any();
    }
    blank_host_code(result_.tree, tools_.folder, declared);
    return declared;
  }

  void choose(const std::vector<KernelDeclaration>& declared) {
    Faults faults;
    std::vector<std::string> names;
    std::set<std::string> used, overloaded;
    for (const KernelDeclaration& kernel : declared) names.push_back(kernel.name);
    const auto is_chosen = [&](const KernelDeclaration& kernel) {
      return request_.kernels.empty() ||
             std::ranges::find(request_.kernels, kernel.name) != request_.kernels.end() ||
             std::ranges::find(request_.kernels, symbol_of(kernel)) != request_.kernels.end();
    };
    std::vector<KernelDeclaration> all;
    for (const KernelDeclaration& kernel : declared)
      if (!kernel.is_template && is_chosen(kernel)) all.push_back(kernel);
    for (const std::string& instance : request_.instances)
      if (const auto pattern = find_template(instance, declared))
        all.push_back(*pattern);
      else
        faults.add_unknown(file(), "",
                           fmt::format("--instantiate '{}': there is no such template of a kernel", instance),
                           instance.substr(0, instance.find('<')), names);
    // A header's are for the files that launch them.
    const auto is_of_file = [&](const KernelDeclaration& kernel) {
      return !request_.kernels.empty() || kernel.file == (tools_.folder / result_.file.main).string();
    };
    for (const KernelDeclaration& kernel : declared)
      if (kernel.is_template && is_chosen(kernel) && is_of_file(kernel) &&
          std::ranges::none_of(all,
                               [&](const KernelDeclaration& other) { return other.name == kernel.name; }))
        refuse(kernel,
               fmt::format(
                   "is a template that nothing in the file instantiates; add --instantiate '{}<float>', with "
                   "its own arguments",
                   kernel.qualified),
               faults);
    for (const KernelDeclaration& kernel : all) {
      if (!kernel.objection.empty()) {
        refuse(kernel, kernel.objection, faults);
        continue;
      }
      std::string symbol = symbol_of(kernel);
      if (const std::string objection = identifier_objection(symbol); !objection.empty()) {
        refuse(kernel, "cannot keep its name, which " + objection, faults);
      } else if (!used.insert(symbol).second) {
        refuse(kernel, "is overloaded; give each its own name", faults);
        overloaded.insert(symbol);
      } else {
        result_.file.kernels.push_back({std::move(symbol), kernel, {}});
      }
    }
    std::erase_if(result_.file.kernels,
                  [&](const ImportedKernel& kernel) { return overloaded.contains(kernel.symbol); });
    for (const std::string& wanted : request_.kernels)
      if (std::ranges::none_of(declared, [&](const KernelDeclaration& kernel) {
            return kernel.name == wanted || symbol_of(kernel) == wanted;
          }))
        faults.add_unknown(file(), "", fmt::format("--kernel {}: there is no such kernel", wanted), wanted,
                           names);
    faults_ = std::move(faults);
  }

  static std::optional<KernelDeclaration> find_template(const std::string& instance,
                                                        const std::vector<KernelDeclaration>& declared) {
    const std::string name = instance.substr(0, instance.find('<'));
    for (const KernelDeclaration& kernel : declared)
      if (kernel.is_template && (kernel.name == name || kernel.qualified == name) &&
          instance.ends_with('>')) {
        KernelDeclaration found = kernel;
        found.is_template = false;
        found.type.clear();
        found.qualified += instance.substr(name.size());
        return found;
      }
    return std::nullopt;
  }

  void refuse(const KernelDeclaration& kernel, const std::string& why, Faults& faults) {
    Faults& list = request_.leaves_out ? result_.left_out : faults;
    list.add(fmt::format("{}:{}:{}", result_.tree.original(tools_.folder, kernel.file), kernel.line,
                         kernel.column),
             "", fmt::format("kernel '{}' {}", kernel.qualified, why));
  }

  /// Asks the compiler for the parameters of all kernels, which compiles them as well.
  void describe(const std::vector<HostDeclaration>& host) {
    std::vector<ImportedKernel>& kernels = result_.file.kernels;
    std::vector<Diagnostic> of_host;
    for (;;) {
      std::vector<KernelDeclaration> declarations;
      for (const ImportedKernel& kernel : kernels) declarations.push_back(kernel.declaration);
      ImportedFile bare = result_.file;
      bare.kernels.clear();
      const ProcessResult result =
          compile(file_lines(bare) + layout_source(declarations),
                  {"-O0", "-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm", "-o", "-"});
      std::vector<Diagnostic> errors = read_diagnostics(result.err);
      if (errors.empty() && !result.ok())
        throw BadInput(Fault{file(), "", "clang cannot read it: " + result.outcome(), {}});
      if (errors.empty()) {
        set_parameters(read_layouts(result.out, kernels.size()));
        faults_.throw_if_any();
        return;
      }
      const HostErrors found = blank_broken(result_.tree, tools_.folder, host, errors);
      of_host.insert(of_host.end(), found.all.begin(), found.all.end());
      std::vector<std::string>& stand_ins = result_.file.stand_ins;
      stand_ins.insert(stand_ins.end(), found.types.begin(), found.types.end());
      if (!found.all.empty() && of_host.size() < most_host_errors) continue;
      if (request_.leaves_out && leave_out(errors)) continue;
      for (const Diagnostic& error : errors) add_fault(error, faults_);
      for (const Diagnostic& error : of_host) add_fault(error, faults_);
      if (!result_.tree.missing.empty())
        faults_.add(file(), "",
                    fmt::format("found no header {}; name their folders by -I if kernels need them",
                                fmt::join(result_.tree.missing, ", ")));
      faults_.throw_if_any();
    }
  }

  /// Leaves out the kernels whose instantiation failed. False where an error is in no kernel, or nothing would be left.
  bool leave_out(const std::vector<Diagnostic>& errors) {
    std::vector<ImportedKernel>& kernels = result_.file.kernels;
    std::map<std::size_t, const Diagnostic*> broken;
    for (const Diagnostic& error : errors) {
      std::size_t found = kernels.size();
      auto locations = error.notes;
      locations.emplace_back(error.file, error.line);
      for (const auto& [name, line] : locations)
        if (name == "kernelgen-kernels" && line != 0 && line <= kernels.size()) found = line - 1;
      if (found == kernels.size()) return false;
      broken.emplace(found, &error);
    }
    if (broken.size() == kernels.size()) return false;
    for (auto each = broken.rbegin(); each != broken.rend(); ++each) {
      refuse(
          kernels[each->first].declaration,
          fmt::format("does not compile: {}:{}: {}", result_.tree.original(tools_.folder, each->second->file),
                      each->second->line, each->second->what),
          result_.left_out);
      kernels.erase(kernels.begin() + static_cast<std::ptrdiff_t>(each->first));
    }
    return true;
  }

  void set_parameters(const std::vector<std::vector<std::string>>& types) {
    std::vector<ImportedKernel> all;
    for (std::size_t i = 0; i < result_.file.kernels.size(); ++i) {
      ImportedKernel& kernel = result_.file.kernels[i];
      std::string objection;
      if (types[i].empty()) objection = "takes nothing; what would it write?";
      for (std::size_t k = 0; k < types[i].size(); ++k) {
        std::string name = k < kernel.declaration.parameters.size() ? kernel.declaration.parameters[k] : "";
        const bool is_taken =
            std::ranges::find(kernel.parameters, name, &ImportedParameter::name) != kernel.parameters.end();
        if (!identifier_objection(name).empty() || is_taken) name = fmt::format("argument{}", k);
        if (types[i][k].empty())
          objection = fmt::format("takes '{}' by reference, which no launch can pass; take a pointer", name);
        kernel.parameters.push_back({name, types[i][k]});
      }
      if (objection.empty())
        all.push_back(std::move(kernel));
      else
        refuse(kernel.declaration, objection, faults_);
    }
    result_.file.kernels = std::move(all);
    if (!result_.file.kernels.empty() || !faults_.empty()) return;
    faults_.add(file(), "", "has no kernel that can be imported");
    for (const Fault& fault : result_.left_out.list()) faults_.add(fault.file, fault.pointer, fault.what);
  }

  const FileRequest& request_;
  const ImportTools& tools_;
  Disk& disk_;
  ProcessRunner& runner_;
  ReadFile result_;
  Faults faults_;
};

}  // namespace

ReadFile read_file(const FileRequest& request, const ImportTools& tools, Disk& disk, ProcessRunner& runner) {
  return Reader(request, tools, disk, runner).run();
}

}  // namespace kernelgen::tool
