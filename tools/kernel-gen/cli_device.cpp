/// The commands that run operations on a device.
#include <CLI/CLI.hpp>
#include <memory>

#include "base/fault.hpp"
#include "cli_session.hpp"
#include "cli_values.hpp"
#include "commands/bench.hpp"
#include "commands/check.hpp"
#include "commands/profile.hpp"
#include "commands/run.hpp"
#include "commands/test.hpp"

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
      options->paths = session.paths;
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
      options->paths = session.paths;
      return run_operation(*options, session.disk, session.environment, stdout);
    };
  });
}

void add_test(CLI::App& app, Session& session) {
  auto* command =
      app.add_subcommand("test", "Compare operations of manifests with their references")->group(group);
  command->footer(
      "An operation's \"reference\" is an expression of numpy. Each operation that has one runs on drawn "
      "shapes, "
      "layouts and values of each of its dtypes; a case that differs is printed with its seed. Without "
      "--package the "
      "operations are built for the device first.\n"
      "Examples:\n"
      "  kernel-gen test --manifests mine\n"
      "  kernel-gen test my_softmax --manifests mine --device simulated:gfx90a --seed 7\n"
      "  kernel-gen test --manifests mine/manifests --kernels mine/kernels --device hip:0 --cases 100 "
      "--json");
  auto options = std::make_shared<TestOptions>();
  options->shipped = session.paths.manifests;
  command
      ->add_option("operations", options->operations, "The operations; without any all that have a reference")
      ->type_name("OPERATION");
  add_paths(*command, session);
  add_toolchain(*command, session);
  add_device(*command, *options);
  command->add_option("--seed", options->seed, "Seed of the shapes and values")
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--cases", options->cases, "Cases of each combination of dtypes")
      ->type_name("N")
      ->check(whole_number(1, 100000))
      ->default_str("12, on simulated GPUs 3");
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([&session, options] {
    session.command = [&session, options] {
      options->build.paths = session.paths;
      options->build.toolchain = session.toolchain;
      return session.with_processes([&](ProcessRunner& runner) {
        return run_test(*options, session.disk, runner, session.environment, stdout);
      });
    };
  });
}

void add_bench(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("bench", "Verify and time operations on a device")->group(group);
  command->footer(
      "Each operation is first compared with the result of the CPU on a small shape, so the package needs "
      "kernels for the device and for the CPU.\n"
      "A simulated GPU has no clock: there the launches on the small shape are counted, and the least time "
      "is "
      "given that they take on the card.\n"
      "Examples:\n"
      "  kernel-gen build --target cpu,sm_90 && kernel-gen bench --device cuda:0\n"
      "  kernel-gen bench --device hip:0 --filter softmax --json softmax.json\n"
      "  kernel-gen bench --device cuda:0 --suite launch\n"
      "  kernel-gen bench --device simulated:gfx942 --filter matmul");
  auto options = std::make_shared<BenchOptions>();
  add_device(*command, *options);
  command
      ->add_option("--suite", options->suite,
                   "ops: operations at large shapes; launch: the host's time to launch small ones")
      ->type_name("SUITE")
      ->capture_default_str();
  command->add_option("--cases", session.paths.bench_cases, "The cases of the suite ops")
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
      options->paths = session.paths;
      return run_bench(*options, session.disk, session.environment, stdout);
    };
  });
}

void add_check(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("check", "Check AMD kernels on a simulated GPU")->group(group);
  command->footer(
      "Runs a program, or with --kernel one kernel of a code object, on a simulated AMD GPU and reports: "
      "accesses "
      "outside of allocations and after free, uninitialised values that reach a store, an address, a branch "
      "or EXEC, "
      "races in LDS and global memory, barriers in divergent code, matrix instructions without all lanes, "
      "misaligned "
      "accesses, missing waits, endless loops. A report has the source line where the code was compiled with "
      "-g.\n"
      "Options come before the program. The exit code is 0 if nothing is found, else 1.\n"
      "Values of --arg, in the kernel's order: i32=N, u32=N, i64=N, u64=N, f32=X, f64=X; buffer=BYTES (not "
      "initialised), zeros=BYTES, random=BYTES (floats from 0 to 1).\n"
      "Examples:\n"
      "  kernel-gen check kernel-gen run softmax --device hip:0 --in x.npy\n"
      "  kernel-gen check --gpu gfx1100 --json ./my_program --size 1024\n"
      "  clang -x hip --offload-device-only --no-gpu-bundle-output -g -O2 --offload-arch=gfx90a -o k.hsaco "
      "k.hip\n"
      "  kernel-gen check --kernel scale --grid 4 --block 256 --arg buffer=4096 --arg random=4096 --arg "
      "f32=2 k.hsaco");
  auto options = std::make_shared<CheckOptions>();
  command->add_option("--gpu", options->gpu, "The GPU to simulate")
      ->type_name("PROCESSOR")
      ->capture_default_str();
  command->add_option("--kernel", options->kernel, "The kernel of a code object to launch")
      ->type_name("NAME");
  command->add_option("--grid", options->grid, "Blocks, with commas: 4 or 4,2,1")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("N")
      ->default_str("1");
  command->add_option("--block", options->block, "Work-items of a block, with commas")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("N")
      ->default_str("256");
  command->add_option("--shared", options->shared_bytes, "Bytes of dynamic LDS")->type_name("BYTES");
  command->add_option("--arg", options->arguments, "An argument of the kernel; repeat it for more")
      ->allow_extra_args(false)
      ->type_name("TYPE=VALUE");
  command
      ->add_option("--seed", options->seed,
                   "Seed of the order of waves and of the contents of uninitialised memory")
      ->type_name("N")
      ->capture_default_str();
  command->add_flag("--natural-alignment", options->natural_alignment,
                    "Also report loads and stores that the GPU allows but C++ does not: at addresses that "
                    "are not multiples of their size (at most 4)");
  command->add_flag("--json", options->json, "Print JSON; the program's output goes to stderr");
  command->prefix_command();
  command->callback([&session, options, command] {
    session.command = [&session, options, command] {
      options->words = command->remaining();
      const std::unique_ptr<ProcessRunner> runner =
          make_process_runner();  // programs get the whole environment
      return run_check(*options, session.paths, session.disk, *runner, stdout);
    };
  });
}

void add_profile(CLI::App& app, Session& session) {
  auto* command =
      app.add_subcommand("profile", "Count what a program's AMD kernels execute on a simulated GPU")
          ->group(group);
  command->footer(
      "Runs a program on a simulated AMD GPU and prints, for each kernel, the executed instructions by pipe, "
      "memory "
      "traffic, bank conflicts, and the least time that its launches take on the card, with what limits it.\n"
      "Options come before the program.\n"
      "Examples:\n"
      "  kernel-gen profile --gpu gfx1100 ./my_program --size 1024\n"
      "  kernel-gen profile --json kernel-gen run softmax --device hip:0 --in x.npy");
  auto options = std::make_shared<ProfileOptions>();
  command->add_option("--gpu", options->gpu, "The GPU to simulate")
      ->type_name("PROCESSOR")
      ->capture_default_str();
  command->add_flag("--json", options->json,
                    "Print JSON, an object for each launch; the program's output goes to stderr");
  command->prefix_command();
  command->callback([&session, options, command] {
    session.command = [&session, options, command] {
      options->words = command->remaining();
      const std::unique_ptr<ProcessRunner> runner = make_process_runner();
      return run_profile(*options, session.paths, session.disk, *runner, stdout);
    };
  });
}

}  // namespace

void add_device_commands(CLI::App& app, Session& session) {
  add_run(app, session);
  add_test(app, session);
  add_bench(app, session);
  add_check(app, session);
  add_profile(app, session);
}

}  // namespace kernelgen::tool
