#ifndef KERNELGEN_C_DEVICE_H
#define KERNELGEN_C_DEVICE_H
/* Devices, streams, events, modules and kernel launches. Included by kernelgen.h. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The backend of a device. */
typedef enum kernelgen_device_kind {
  KERNELGEN_CPU = 0,
  KERNELGEN_HIP = 1,
  KERNELGEN_CUDA = 2
} kernelgen_device_kind;

/* ---- devices ---- */

/* Opens "cpu", "cpu:N" (N worker threads), "hip:N", "cuda:N", "simulated:gfx942" (an AMD GPU in software) or
 * "auto": the first GPU that has kernels in the package, else the CPU. KERNELGEN_CPU_DEVICES=K splits the CPU into K
 * devices, each with a share of the cores: "cpu", "cpu.1", …. A NULL `package` selects the embedded package
 * (kernelgen_package_embedded, with its errors). Opening the same name with the same package again returns a new handle of the same device
 * ("cpu:01" equals "cpu:1"). Errors: KERNELGEN_NOT_FOUND for an unknown name; KERNELGEN_UNSUPPORTED when
 * there is no driver library, no such ordinal or no code for the architecture (the message lists everything
 * that was tried); KERNELGEN_DEVICE_ERROR. */
kernelgen_status kernelgen_device_open(const char* name, const kernelgen_package* package,
                                       kernelgen_device** device);

/* Opens a device with several packages, such as your own followed by the embedded one. If packages share an
 * operation or kernel name, the first package that has it wins. Kernel ids are numbered consecutively across
 * the packages. Each package must have code for the device. Errors: those of kernelgen_device_open;
 * KERNELGEN_INVALID_ARGUMENT for zero packages. */
kernelgen_status kernelgen_device_open_packages(const char* name, const kernelgen_package* const* packages,
                                                size_t count, kernelgen_device** device);

/* Adds a package to an open device. Its operations can then be called by name with tensors of the device; its kernel
 * ids follow those of the packages before it. Of several added packages that have an operation, its name means that
 * of the last one, and "NAME@NUMBER" that of one, with the `number`, from 1, that is returned. A package of the same
 * bytes is added once. `number` may be NULL. Errors: KERNELGEN_UNSUPPORTED if the package has no code for the device;
 * KERNELGEN_INVALID_ARGUMENT if a package that the device was opened with has an operation of one of its names. */
kernelgen_status kernelgen_device_add_package(const kernelgen_device* device,
                                              const kernelgen_package* package, uint32_t* number);

/* Returns a new handle of the same device. */
kernelgen_status kernelgen_device_retain(const kernelgen_device* device, kernelgen_device** shared);

/* NULL is allowed. The device closes when its last handle, tensor, stream, event or module is released. */
void kernelgen_device_release(kernelgen_device* device);

/* Returns the number of devices of a kind that the driver reports; 0 without a driver. Errors:
 * KERNELGEN_INVALID_ARGUMENT for an invalid kind. */
kernelgen_status kernelgen_device_count(kernelgen_device_kind kind, int* count);

/* Properties of a device. The strings are valid as long as the handle they were read from. */
typedef struct kernelgen_device_info {
  kernelgen_device_kind kind;
  int ordinal;
  uint64_t id;              /* unique in this process, never reused: equal ids mean the same device */
  const char* location;     /* "cpu", "hip:0" */
  const char* name;         /* marketing name */
  const char* architecture; /* "gfx90a:sramecc+:xnack-", "sm_90", "x86-64-v3" */
  const char* target;       /* the package's target selected for the device, "gfx11-generic" */
  size_t total_memory;      /* bytes */
  int wave_size;            /* threads per wave (warp); 1 on the CPU */
  int compute_units;
  int supports_bf16; /* 1 if the package has bf16 kernels for the device, else 0 */
} kernelgen_device_info;

/* Writes the properties of the device to `*info`. */
kernelgen_status kernelgen_device_describe(const kernelgen_device* device, kernelgen_device_info* info);

/* Returns the number of bytes that can be allocated now. Errors: KERNELGEN_DEVICE_ERROR. */
kernelgen_status kernelgen_device_free_memory(const kernelgen_device* device, size_t* bytes);

/* Returns the package whose kernels the device runs; the first one, if the device was opened with several. */
kernelgen_status kernelgen_device_package(const kernelgen_device* device, kernelgen_package** package);

/* Waits for all work on the device. Errors: those that the device reported since the last call, as
 * KERNELGEN_DEVICE_ERROR or, for an out-of-range index in any stream, KERNELGEN_INDEX_OUT_OF_RANGE. An index
 * error reported here is still reported to threads that synchronize the stream it occurred in. */
kernelgen_status kernelgen_device_synchronize(const kernelgen_device* device);

/* Seeds the device's random number generator. After the same seed, the same sequence of
 * kernelgen_rand_uniform and kernelgen_rand_normal calls returns the same numbers on every device. The
 * default seed is 299792458. Thread-safe. */
kernelgen_status kernelgen_device_set_seed(const kernelgen_device* device, uint64_t seed);
kernelgen_status kernelgen_device_get_seed(const kernelgen_device* device, uint64_t* seed);

/* Loads all modules of the packages, so that no later launch has to, and allocates the buffers that record
 * out-of-range indices. Call it before stream capture. Errors: KERNELGEN_DEVICE_ERROR,
 * KERNELGEN_OUT_OF_MEMORY. */
kernelgen_status kernelgen_device_preload(const kernelgen_device* device);

/* ---- memory ---- */

/* Memory use of this process on one device, in bytes. */
typedef struct kernelgen_memory_use {
  size_t in_use; /* allocated and not freed */
  size_t peak;   /* maximum of in_use since the device was opened or kernelgen_device_reset_peak_memory */
  size_t cached; /* freed and kept for later allocations */
  size_t free;   /* available for allocation now, including cached bytes */
  size_t total;  /* capacity of the device */
  size_t limit;  /* limit on in_use; SIZE_MAX without a limit */
} kernelgen_memory_use;

/* Writes the memory use to `*memory`. Errors: KERNELGEN_DEVICE_ERROR. */
kernelgen_status kernelgen_device_memory_use(const kernelgen_device* device, kernelgen_memory_use* memory);

/* Limits the bytes in use. An allocation that would exceed the limit fails with KERNELGEN_OUT_OF_MEMORY. So
 * does one that the driver still refuses after the library has freed its cache and waited for all streams.
 * The device stays usable. Thread-safe. */
kernelgen_status kernelgen_device_set_memory_limit(const kernelgen_device* device, size_t bytes);

/* Resets the peak to the bytes now in use. */
kernelgen_status kernelgen_device_reset_peak_memory(const kernelgen_device* device);

/* Installs an allocator for later allocations; two NULL functions restore the default: a GPU's memory pool,
 * or the library's cache if the driver has no pool, and on the CPU.
 *
 * allocate(context, bytes, stream) returns at least `bytes` bytes of device memory, aligned to 256 bytes (64
 * on the CPU). The memory is ready for work submitted to `stream` (the driver's handle, NULL for the default
 * stream) after the call. If it returns NULL, the library waits for all streams and calls it once more.
 * give_back(context, memory, bytes, stream) frees the memory while earlier work in `stream` may still use it.
 *
 * Any thread may call both functions, also concurrently. Memory always returns to the allocator it came from,
 * so both functions must stay valid as long as such memory exists. Memory statistics and the limit apply as
 * well. Errors: KERNELGEN_INVALID_ARGUMENT when exactly one of the functions is NULL. */
kernelgen_status kernelgen_device_set_allocator(
    const kernelgen_device* device, void* (*allocate)(void* context, size_t bytes, void* stream),
    void (*give_back)(void* context, void* memory, size_t bytes, void* stream), void* context);

/* Returns cached memory to the system, except memory that unfinished work may use. Errors:
 * KERNELGEN_DEVICE_ERROR. */
kernelgen_status kernelgen_device_trim_memory(const kernelgen_device* device);

/* ---- streams and events ---- */

/* Creates a stream of normal priority. Errors: KERNELGEN_DEVICE_ERROR. */
kernelgen_status kernelgen_stream_new(const kernelgen_device* device, kernelgen_stream** stream);

/* Scheduling priority of a stream: the device starts work of a stream with higher priority first. It does not
 * preempt running work. */
typedef enum kernelgen_priority {
  KERNELGEN_PRIORITY_LOW = 0,
  KERNELGEN_PRIORITY_NORMAL = 1, /* the priority of kernelgen_stream_new */
  KERNELGEN_PRIORITY_HIGH = 2
} kernelgen_priority;

/* Creates a stream with a priority, which a driver without stream priorities ignores. Errors:
 * KERNELGEN_INVALID_ARGUMENT for an invalid priority; KERNELGEN_DEVICE_ERROR. */
kernelgen_status kernelgen_stream_new_with_priority(const kernelgen_device* device,
                                                    kernelgen_priority priority, kernelgen_stream** stream);

/* Returns a new handle of the calling thread's own stream. The thread's first call creates the stream. The
 * end of the thread destroys it; the device stays open until then. Errors: KERNELGEN_DEVICE_ERROR. */
kernelgen_status kernelgen_stream_of_thread(const kernelgen_device* device, kernelgen_stream** stream);

/* Selects what the default stream (NULL) means in later calls: the calling thread's
 * kernelgen_stream_of_thread (1), or the one stream that all threads share (0). */
kernelgen_status kernelgen_device_use_thread_streams(const kernelgen_device* device, int own);

/* Turns automatic stream ordering on (1, the default) or off (0). When it is on, work in one stream waits on
 * the device for writes of other streams that it reads, and for reads and writes of other streams to memory
 * that it overwrites. Memory is freed after all work that uses it. The host never waits. Streams already
 * ordered by kernelgen_stream_wait get no additional wait, and a device with a single stream tracks nothing.
 * When it is off, memory is freed in the order of the stream that its tensor was created in, and all other
 * ordering is the caller's responsibility. */
kernelgen_status kernelgen_device_follow_streams(const kernelgen_device* device, int follow);
kernelgen_status kernelgen_device_follows_streams(const kernelgen_device* device, int* follows);

/* Calls `work(context)` on a driver thread (on the CPU device, on the calling thread) when all work now in
 * the stream is done; later work in the stream waits for it. The callback must not use the device or release
 * the last handle of any of its objects. In a graph, each launch calls it. Errors: KERNELGEN_UNSUPPORTED when
 * the driver has no host callbacks; KERNELGEN_DEVICE_ERROR. */
kernelgen_status kernelgen_device_call(const kernelgen_device* device, void (*work)(void* context),
                                       void* context, const kernelgen_stream* stream);

/* NULL is allowed. The stream is destroyed when its work is done and nothing uses it any more. */
void kernelgen_stream_release(kernelgen_stream* stream);

/* Waits for all work in the stream. Errors: KERNELGEN_DEVICE_ERROR, and KERNELGEN_INDEX_OUT_OF_RANGE for an
 * out-of-range index since the last wait for this stream: the first such index of the earliest call. On the
 * default stream (NULL), an index error is reported to the thread that made the call; if that thread has
 * ended, to the next thread that waits for the default stream. */
kernelgen_status kernelgen_stream_synchronize(const kernelgen_stream* stream);

/* Returns the driver's handle (hipStream_t, CUstream), valid as long as the stream; NULL on the CPU. */
kernelgen_status kernelgen_stream_native(const kernelgen_stream* stream, void** native);

/* Makes work submitted to `stream` after this call wait for `event`. Errors: KERNELGEN_DEVICE_ERROR. */
kernelgen_status kernelgen_stream_wait(const kernelgen_device* device, const kernelgen_stream* stream,
                                       const kernelgen_event* event);

/* Records an event after all work now in `stream`. Errors: KERNELGEN_DEVICE_ERROR. */
kernelgen_status kernelgen_event_record(const kernelgen_device* device, const kernelgen_stream* stream,
                                        kernelgen_event** event);

/* NULL is allowed. */
void kernelgen_event_release(kernelgen_event* event);

/* Waits for the event. Errors: as kernelgen_stream_synchronize, for the work submitted to the stream before
 * the event. If more work follows the event, waiting for the stream reports an index error again. */
kernelgen_status kernelgen_event_synchronize(const kernelgen_event* event);

/* Returns the milliseconds from `start` to `end`. Both must be recorded and complete. Errors:
 * KERNELGEN_DEVICE_ERROR. */
kernelgen_status kernelgen_event_elapsed(const kernelgen_event* start, const kernelgen_event* end,
                                         double* milliseconds);

/* ---- kernels launched by hand ---- */

/* Grid, block and dynamic shared memory (bytes) of a launch. On the CPU, one thread runs the whole block. */
typedef struct kernelgen_launch_shape {
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t shared_bytes;
} kernelgen_launch_shape;

/* A kernel loaded on one device. It is a plain value without a release function, valid as long as its device
 * or module. */
typedef struct kernelgen_function {
  void* handle;
} kernelgen_function;

/* Returns the kernel with that id and loads it at first use; ids are numbered consecutively across the
 * device's packages. Lock-free once it is loaded. Errors: KERNELGEN_INVALID_ARGUMENT for an id that no
 * package has; KERNELGEN_UNSUPPORTED when the package has no code of the kernel for this device;
 * KERNELGEN_DEVICE_ERROR. */
kernelgen_status kernelgen_device_kernel(const kernelgen_device* device, uint32_t kernel,
                                         kernelgen_function* function);

/* Returns the id of the kernel with that name, from the first package that has it. Errors:
 * KERNELGEN_NOT_FOUND. */
kernelgen_status kernelgen_device_find_kernel(const kernelgen_device* device, const char* name,
                                              uint32_t* kernel);

/* Loads a user's own code object: HSACO, cubin, PTX, or a CPU target's shared object. `code` may be freed
 * after the call. Error messages include `name`. Errors: KERNELGEN_DEVICE_ERROR with the driver's message, or
 * for a shared object that is truncated or whose headers or tables point outside the file. The code itself is
 * not checked, and loading it may execute some of it. */
kernelgen_status kernelgen_module_load(const kernelgen_device* device, const void* code, size_t bytes,
                                       const char* name, kernelgen_module** module);

/* NULL is allowed. Unloads the code; none of its launches may be pending. */
void kernelgen_module_release(kernelgen_module* module);

/* Returns the module's kernel with that name. Errors: KERNELGEN_NOT_FOUND naming the kernel. */
kernelgen_status kernelgen_module_function(const kernelgen_module* module, const char* kernel,
                                           kernelgen_function* function);

/* Offset and size of an argument in a kernel's argument block, in bytes. */
typedef struct kernelgen_kernel_argument {
  uint32_t offset;
  uint32_t size;
} kernelgen_kernel_argument;

/* Returns the kernel's arguments as recorded in the code: by a CPU target's "NAME_args" symbol
 * (kernels/device/cpu.hpp), an AMD code object's metadata, or the CUDA driver from 12.4 on. Writes at most
 * `capacity` arguments, and their total number to `*count`. Errors: KERNELGEN_NOT_FOUND naming the kernel;
 * KERNELGEN_UNSUPPORTED when none of these records them. */
kernelgen_status kernelgen_module_arguments(const kernelgen_module* module, const char* kernel,
                                            size_t capacity, kernelgen_kernel_argument* arguments,
                                            size_t* count);

/* Module counts of a device: its packages' modules, user modules and compiled expressions. */
typedef struct kernelgen_module_use {
  size_t loaded; /* modules loaded now */
  size_t loads;  /* loads since the device was opened */
} kernelgen_module_use;

/* Returns how many modules were loaded. Identical code is loaded once, even if requested several times. */
kernelgen_status kernelgen_device_module_use(const kernelgen_device* device, kernelgen_module_use* use);

/* A launch as reported to launch observers. */
typedef struct kernelgen_launch_info {
  const char* kernel; /* "kg_matmul_f16_tiled"; for a graph "graph of 40 nodes", with the other numbers 0 */
  kernelgen_launch_shape shape;
  size_t argument_bytes;
  void* stream;    /* the driver's handle; NULL for the default stream */
  int is_captured; /* 1 if the launch is captured into a graph and not executed yet */
} kernelgen_launch_info;

/* Installs an observer: look(context, launch) runs before each later launch on the device, on the launching
 * thread, which may be any thread. A NULL `look` removes the observer. `launch` and its strings are valid
 * during the call. The library calls release(context) once no thread calls `look` any more, immediately if
 * `look` is NULL; `release` may be NULL. Launches made by vendor libraries are not reported. */
kernelgen_status kernelgen_device_on_launch(const kernelgen_device* device,
                                            void (*look)(void* context, const kernelgen_launch_info* launch),
                                            void (*release)(void* context), void* context);

/* Submits a kernel launch to the stream. `arguments` is the kernel's argument block: the arguments in order,
 * each at its natural alignment as kernelgen_package_arguments gives it, with up to seven bytes of padding
 * after the last. The block is copied before the call returns. Errors: KERNELGEN_INVALID_ARGUMENT, also for a
 * block with more threads than a package's kernel is compiled for, and for a `bytes` that differs from the
 * kernel's argument size (if kernelgen_module_arguments knows it); KERNELGEN_DEVICE_ERROR. */
kernelgen_status kernelgen_launch(const kernelgen_device* device, kernelgen_function function,
                                  const kernelgen_launch_shape* shape, const void* arguments, size_t bytes,
                                  const kernelgen_stream* stream);

/* Launches a kernel of a package by id. Errors: those of kernelgen_device_kernel and kernelgen_launch. */
kernelgen_status kernelgen_launch_kernel(const kernelgen_device* device, uint32_t kernel,
                                         const kernelgen_launch_shape* shape, const void* arguments,
                                         size_t bytes, const kernelgen_stream* stream);

#ifdef __cplusplus
}
#endif

#endif
