/// The commands that run operations on a device.
#include <CLI/CLI.hpp>
#include <memory>

#include "base/fault.hpp"
#include "cli_number.hpp"
#include "cli_session.hpp"
#include "commands/bench.hpp"
#include "commands/run.hpp"

namespace kernelgen::tool {

namespace {

constexpr const char* group = "Devices";

/// What commands that run operations have in common.
template <class Options>
void add_device(CLI::App& command, Options& options) {
  command.add_option("--device", options.device, "cpu, cpu:N (threads), hip:N, cuda:N or auto")
      ->capture_default_str();
  command.add_option("--package", options.package, "Package file or build folder")
      ->type_name("PATH")
      ->default_str("KERNELGEN_PACKAGE, else kernelgen-package, else the installed one");
}

void add_run(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("run", "Run an operation on arrays of .npy files")->group(group);
  auto options = std::make_shared<RunOptions>();
  command->footer("");  // in place of the one for all commands
  command->footer([&session, options]() -> std::string {
    if (!options->operation.empty()) {
      options->places = session.places;
      return describe_operation(*options, session.disk, session.environment);
    }
    return "Examples:\n"
           "  kernel-gen run --list\n"
           "  kernel-gen run conv2d --help\n"
           "  kernel-gen run exp --in x.npy --out y.npy\n"
           "  kernel-gen run affine --in x.npy --param mul=2 --param add=0.5 --device hip:0\n"
           "  kernel-gen run sum --in x.npy --param dims=0,2 --out y.npy\n"
           "  kernel-gen run sort --in x.npy --out values.npy --out indices.npy\n"
           "  kernel-gen run expression --in a.npy --in b.npy --param 'text=silu(a) * b' --out y.npy\n"
           "  kernel-gen run add --in a.npy --in b.npy --dtype bf16";
  });
  auto list = std::make_shared<bool>(false);
  command->add_option("operation", options->operation, "An operation of the package");
  command->add_flag("--list", *list, "Name the operations with what they take");
  add_device(*command, *options);
  command->add_option("--in", options->inputs, "A .npy file; once for each input, in order")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command
      ->add_option("--dtype", options->dtypes,
                   "Read the inputs' elements as this dtype, for files that cannot say (bf16, f8e4m3); once, "
                   "or once an input")
      ->type_name("DTYPE")
      ->allow_extra_args(false);
  command
      ->add_option(
          "--param", options->parameters,
          "A parameter by name, several values with commas: dims=0,2; 'run OPERATION --help' names them")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command->add_option("--out,-o", options->outputs, "The .npy file to write; once for each output, in order")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([&session, options, list] {
    session.command = [&session, options, list] {
      if (*list != options->operation.empty())
        throw BadInput(Fault{"",
                             "",
                             *list ? "run: name an operation or give --list, not both"
                                   : "run: name an operation; 'kernel-gen run --list' lists them",
                             {}});
      options->places = session.places;
      return run_operation(*options, session.disk, session.environment, stdout);
    };
  });
}

void add_bench(CLI::App& app, Session& session) {
  auto* command =
      app.add_subcommand("bench", "Time operations on a device, each verified first")->group(group);
  command->footer(
      "Each operation is compared with the CPU's result on a small shape, so the package needs kernels for "
      "both.\n"
      "Examples:\n"
      "  kernel-gen build --target cpu,sm_90 && kernel-gen bench --device cuda:0\n"
      "  kernel-gen bench --device hip:0 --filter softmax --json softmax.json\n"
      "  kernel-gen bench --device cuda:0 --suite launch");
  auto options = std::make_shared<BenchOptions>();
  add_device(*command, *options);
  command
      ->add_option("--suite", options->suite,
                   "ops: operations at large shapes; launch: what the host pays for small ones")
      ->capture_default_str();
  command->add_option("--cases", session.places.bench_cases, "The list of cases of the suite ops")
      ->type_name("FILE")
      ->default_str("the shipped bench/cases.json");
  command->add_option("--filter", options->filter, "Only cases whose name holds this")->type_name("TEXT");
  command->add_option("--repetitions", options->repetitions, "Runs that the median is taken of")
      ->check(whole_number(1, 10000))
      ->capture_default_str();
  command->add_option("--json", options->json, "Write the figures to this file too")->type_name("FILE");
  command->callback([&session, options] {
    session.command = [&session, options] {
      options->places = session.places;
      return run_bench(*options, session.disk, session.environment, stdout);
    };
  });
}

}  // namespace

void add_device_commands(CLI::App& app, Session& session) {
  add_run(app, session);
  add_bench(app, session);
}

}  // namespace kernelgen::tool
