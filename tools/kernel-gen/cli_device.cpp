/// The commands that run operations on a device.
#include <CLI/CLI.hpp>
#include <memory>

#include "base/fault.hpp"
#include "cli_session.hpp"
#include "cli_values.hpp"
#include "commands/bench.hpp"
#include "commands/run.hpp"

namespace kernelgen::tool {

namespace {

constexpr const char* group = "Devices";

/// The options of commands that run operations.
template <class Options>
void add_device(CLI::App& command, Options& options) {
  command
      .add_option("--device", options.device, "cpu, cpu:N (N threads), hip:N, cuda:N, simulated:gfxN or auto")
      ->type_name("DEVICE")
      ->capture_default_str();
  command.add_option("--package", options.package, "Package file or build folder")
      ->type_name("PATH")
      ->default_str("KERNELGEN_PACKAGE, else ./kernelgen-package, else the installed package");
}

void add_run(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("run", "Run an operation on arrays from .npy files")->group(group);
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
           "  kernel-gen run add --in a.npy --in b.npy --dtype bf16\n"
           "  kernel-gen run attention --in q.npy --in k.npy --in v.npy --in mask=mask.npy --out y.npy";
  });
  auto list = std::make_shared<bool>(false);
  command->add_option("operation", options->operation, "The operation; 'run OPERATION --help' describes it");
  command->add_flag(
      "--list", *list,
      "List the operations that the package has kernels for; with --device, those it can run there");
  add_device(*command, *options);
  command
      ->add_option("--in", options->inputs,
                   "A .npy file; once for each input, in order; NAME=FILE for an optional input")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command
      ->add_option("--dtype", options->dtypes,
                   "Read the inputs' elements as this dtype, which a file cannot name (bf16, f8e4m3, q4_K); "
                   "once, or once for each input")
      ->type_name("DTYPE")
      ->allow_extra_args(false);
  command
      ->add_option(
          "--param", options->parameters,
          "A parameter, with commas between several values: dims=0,2; 'run OPERATION --help' lists them")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command->add_option("--out,-o", options->outputs, "The .npy file to write; once for each output, in order")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command->add_flag("--json", options->json, "Print JSON");
  command->add_flag("--counters", options->counters,
                    "Print what each launch executed and a bound for its time; with --device simulated:gfxN");
  command->callback([&session, options, list, command] {
    session.command = [&session, options, list, command] {
      if (*list != options->operation.empty())
        throw BadInput(Fault{"",
                             "",
                             *list ? "run: name an operation or give --list, not both"
                                   : "run: name an operation; 'kernel-gen run --list' lists them",
                             {}});
      options->lists_device = command->get_option("--device")->count() > 0;
      options->places = session.places;
      return run_operation(*options, session.disk, session.environment, stdout);
    };
  });
}

void add_bench(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("bench", "Verify and time operations on a device")->group(group);
  command->footer(
      "Each operation is first compared with the result of the CPU on a small shape, so the package needs "
      "kernels for the device and for the CPU.\n"
      "Examples:\n"
      "  kernel-gen build --target cpu,sm_90 && kernel-gen bench --device cuda:0\n"
      "  kernel-gen bench --device hip:0 --filter softmax --json softmax.json\n"
      "  kernel-gen bench --device cuda:0 --suite launch");
  auto options = std::make_shared<BenchOptions>();
  add_device(*command, *options);
  command
      ->add_option("--suite", options->suite,
                   "ops: operations at large shapes; launch: the host's time to launch small ones")
      ->type_name("SUITE")
      ->capture_default_str();
  command->add_option("--cases", session.places.bench_cases, "The cases of the suite ops")
      ->type_name("FILE")
      ->default_str("the shipped bench/cases.json");
  command->add_option("--filter", options->filter, "Run only the cases whose name contains TEXT")
      ->type_name("TEXT");
  command->add_option("--repetitions", options->repetitions, "Number of runs; the median is reported")
      ->check(whole_number(1, 10000))
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--json", options->json, "Also write the results to this file")->type_name("FILE");
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
