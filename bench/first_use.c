/* What a process pays for the library, and for each family of kernels the first time that it uses it; for bench/toolchain.sh.
 *   first_use                     nothing: ends at once
 *   first_use spawn N PROGRAM     mean milliseconds of the CPU that N runs of a program take
 *   first_use families DEVICE     mean and most milliseconds of the CPU until the first kernel of a module can be
 *                                 launched, of all modules that the device has code for, which takes most, their
 *                                 number, and what opening the package takes
 * With -DBARE it is not linked with the library and does the first two alone. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#ifndef BARE
#include <kernelgen/kernelgen.h>

static double cpu_milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static void check(kernelgen_status status) {
  if (status == KERNELGEN_OK) return;
  fprintf(stderr, "first_use: %s\n", kernelgen_last_error());
  exit(1);
}

static int families(const char* name) {
  kernelgen_package* package;
  kernelgen_device* device;
  const double before = cpu_milliseconds();
  check(kernelgen_package_embedded(&package));
  const double opening = cpu_milliseconds() - before;
  check(kernelgen_device_open(name, package, &device));
  const kernelgen_module_record* modules;
  size_t count, measured = 0, most_module = 0;
  double sum = 0, most = 0;
  check(kernelgen_package_modules(package, &modules, &count));
  for (size_t i = 0; i < count; ++i) {
    kernelgen_function function;
    const double start = cpu_milliseconds();
    check(kernelgen_device_kernel(device, modules[i].first_kernel, &function));
    const double taken = cpu_milliseconds() - start;
    ++measured;
    sum += taken;
    if (taken > most) {
      most = taken;
      most_module = i;
    }
  }
  const char* text;
  check(kernelgen_package_text(package, modules[most_module].name, &text));
  printf("%.2f %.2f %s %zu %.2f\n", sum / (double)measured, most, text, measured, opening);
  kernelgen_device_release(device);
  kernelgen_package_release(package);
  return 0;
}
#endif

extern char** environ;

static double milliseconds(struct timeval time) {
  return 1e3 * (double)time.tv_sec + 1e-3 * (double)time.tv_usec;
}

static int spawn(int runs, char** command) {
  for (int i = 0; i < runs; ++i) {
    pid_t process;
    int status;
    if (posix_spawn(&process, command[0], NULL, NULL, command, environ) != 0 ||
        waitpid(process, &status, 0) != process || status != 0) {
      fprintf(stderr, "first_use: cannot run %s\n", command[0]);
      return 1;
    }
  }
  struct rusage usage;
  getrusage(RUSAGE_CHILDREN, &usage);
  printf("%.3f\n", (milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime)) / runs);
  return 0;
}

int main(int argc, char** argv) {
  if (argc < 3) return 0;
  if (argc > 3 && strcmp(argv[1], "spawn") == 0) return spawn(atoi(argv[2]), argv + 3);
#ifndef BARE
  if (strcmp(argv[1], "families") == 0) return families(argv[2]);
#endif
  fprintf(stderr, "first_use: unknown words\n");
  return 2;
}
