#ifndef KERNELGEN_C_DEVICE_H
#define KERNELGEN_C_DEVICE_H
/* Devices, streams, events, and kernels launched by hand. Included by kernelgen.h. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What drives a device. */
typedef enum kernelgen_device_kind {
  KERNELGEN_CPU = 0,
  KERNELGEN_HIP = 1,
  KERNELGEN_CUDA = 2
} kernelgen_device_kind;

/* ---- devices ---- */

/* Opens "cpu", "cpu:N" (N worker threads), "hip:N", "cuda:N" or "auto" (the first GPU that has kernels in the
 * package, else the CPU). With KERNELGEN_CPU_DEVICES=K the CPU is K devices, each with a share of its cores: "cpu", "cpu.1".
 * `package` NULL is the embedded one (kernelgen_package_embedded, with its errors).
 * The same name with the same package gives the same device under a handle of its own ("cpu:01" is "cpu:1"). Errors:
 * KERNELGEN_NOT_FOUND for a name it does not know; KERNELGEN_UNSUPPORTED where no driver library, no such
 * ordinal or no code for the architecture is found: the text lists all that was tried;
 * KERNELGEN_DEVICE_ERROR. */
kernelgen_status kernelgen_device_open(const char* name, const kernelgen_package* package,
                                       kernelgen_device** device);

/* The same with several packages, such as your own before the embedded one: of operations and kernels of one name, those of
 * the first package that has one are used, and kernels' ids count on from package to package. Each has to have code for the
 * device. Errors: those of kernelgen_device_open; KERNELGEN_INVALID_ARGUMENT without a package. */
kernelgen_status kernelgen_device_open_packages(const char* name, const kernelgen_package* const* packages,
                                                size_t count, kernelgen_device** device);

/* Another handle of the same device. */
kernelgen_status kernelgen_device_share(const kernelgen_device* device, kernelgen_device** shared);

/* NULL is allowed. The device closes with the last handle, tensor, stream, event or module of it. */
void kernelgen_device_release(kernelgen_device* device);

/* How many devices of a kind the driver sees; 0 without a driver.
 * Errors: KERNELGEN_INVALID_ARGUMENT for a number that is no kind. */
kernelgen_status kernelgen_device_count(kernelgen_device_kind kind, int* count);

/* What a device is. The texts belong to the handle they were read from. */
typedef struct kernelgen_device_info {
  kernelgen_device_kind kind;
  int ordinal;
  uint64_t id;              /* unique in this process, never reused: equal ids are the same device */
  const char* location;     /* "cpu", "hip:0" */
  const char* name;         /* marketing name */
  const char* architecture; /* "gfx90a:sramecc+:xnack-", "sm_90", "x86-64-v3" */
  const char* target;       /* the package's target chosen for it, "gfx11-generic" */
  size_t total_memory;      /* bytes */
  int wave_size;            /* threads that run in step; 1 on the CPU */
  int compute_units;
  int supports_bf16; /* the package has code for the device of kernels of bf16 */
} kernelgen_device_info;

/* Fills in `*info`. */
kernelgen_status kernelgen_device_describe(const kernelgen_device* device, kernelgen_device_info* info);

/* Bytes that could be allocated now. Errors: KERNELGEN_DEVICE_ERROR. */
kernelgen_status kernelgen_device_free_memory(const kernelgen_device* device, size_t* bytes);

/* The package whose kernels the device runs. */
kernelgen_status kernelgen_device_package(const kernelgen_device* device, kernelgen_package** package);

/* Waits for everything on the device. Errors: what the device reported since the last call, as
 * KERNELGEN_DEVICE_ERROR or, for a bad index met in any stream, KERNELGEN_INDEX_OUT_OF_RANGE. Those who wait for a
 * stream that other threads use hear of it all the same. */
kernelgen_status kernelgen_device_synchronize(const kernelgen_device* device);

/* Starts the device's random numbers anew: the same calls of kernelgen_rand_uniform and kernelgen_rand_normal
 * after the same seed give the same numbers, on every device. 299792458 until it is set. Thread-safe. */
kernelgen_status kernelgen_device_set_seed(const kernelgen_device* device, uint64_t seed);
kernelgen_status kernelgen_device_get_seed(const kernelgen_device* device, uint64_t* seed);

/* Loads every module of the packages now, so that no later launch does, and takes the memory in which calls keep
 * bad indices (needed before graph capture). Errors: KERNELGEN_DEVICE_ERROR, KERNELGEN_OUT_OF_MEMORY. */
kernelgen_status kernelgen_device_preload(const kernelgen_device* device);

/* ---- memory ---- */

/* Bytes of a device's memory, as this process uses it through one device. */
typedef struct kernelgen_memory_use {
  size_t in_use; /* allocated, and not freed */
  size_t peak; /* most that were in use since the device was opened, or kernelgen_device_reset_peak_memory */
  size_t cached; /* freed, and kept for allocations to come */
  size_t free;   /* that could be allocated now, cached ones among them */
  size_t total;  /* that the device has */
  size_t limit;  /* on what is in use; SIZE_MAX where none is set */
} kernelgen_memory_use;

/* Fills in `*memory`. Errors: KERNELGEN_DEVICE_ERROR. */
kernelgen_status kernelgen_device_memory_use(const kernelgen_device* device, kernelgen_memory_use* memory);

/* An allocation with which more bytes would be in use is KERNELGEN_OUT_OF_MEMORY, as one is that the driver refuses after
 * what is cached was given up and all streams were waited for. The device is usable as before. Thread-safe. */
kernelgen_status kernelgen_device_set_memory_limit(const kernelgen_device* device, size_t bytes);

/* The peak is what is in use now. */
kernelgen_status kernelgen_device_reset_peak_memory(const kernelgen_device* device);

/* Memory comes from there from now on, or again from where it came from at first, where both functions are NULL: a GPU's
 * pool, a cache of the library's where its driver has none, and on the CPU. allocate(context, bytes, stream) gives memory of
 * the device for work that is put into the stream (the driver's handle, NULL for the default queue) from then on, of that
 * many bytes or more, aligned to 256 bytes (on the CPU to 64); NULL where there is none, and it is asked once more after all
 * streams were waited for. give_back(context, memory, bytes, stream) takes it back while work that is in the stream may
 * still use it. Both are called by any thread, at the same time too; what was allocated goes back to where it came from, so
 * that they have to be there as long as such memory is. Counts and limit hold for it too. Errors:
 * KERNELGEN_INVALID_ARGUMENT where one of them is NULL. */
kernelgen_status kernelgen_device_set_allocator(
    const kernelgen_device* device, void* (*allocate)(void* context, size_t bytes, void* stream),
    void (*give_back)(void* context, void* memory, size_t bytes, void* stream), void* context);

/* Gives what is cached back to the system, but for what work that is not done yet may use. Errors:
 * KERNELGEN_DEVICE_ERROR. */
kernelgen_status kernelgen_device_trim_memory(const kernelgen_device* device);

/* ---- streams and events ---- */

/* Errors: KERNELGEN_DEVICE_ERROR. */
kernelgen_status kernelgen_stream_new(const kernelgen_device* device, kernelgen_stream** stream);

/* Which of two streams' work a device begins first, where it has room for one of them. Work that runs is not
 * interrupted. */
typedef enum kernelgen_priority {
  KERNELGEN_PRIORITY_LOW = 0,
  KERNELGEN_PRIORITY_NORMAL = 1, /* of kernelgen_stream_new */
  KERNELGEN_PRIORITY_HIGH = 2
} kernelgen_priority;

/* Where the driver knows no priorities, all streams are of the same. Errors: KERNELGEN_INVALID_ARGUMENT for a number that
 * is no priority; KERNELGEN_DEVICE_ERROR. */
kernelgen_status kernelgen_stream_new_with_priority(const kernelgen_device* device,
                                                    kernelgen_priority priority, kernelgen_stream** stream);

/* Another handle of the calling thread's own stream, which is made at its first call and goes with the thread; the device
 * stays open till then. Errors: KERNELGEN_DEVICE_ERROR. */
kernelgen_status kernelgen_stream_of_thread(const kernelgen_device* device, kernelgen_stream** stream);

/* From now on the default queue, which a NULL stream means, is for each thread its stream of kernelgen_stream_of_thread
 * (1), or again the one queue that all threads share (0). */
kernelgen_status kernelgen_device_use_thread_streams(const kernelgen_device* device, int own);

/* Whether operations follow which streams use a tensor's memory, as they do unless it is turned off: work in one stream
 * then waits, on the device, for what another stream wrote that it reads, or still uses that it writes, and memory is
 * freed behind all work that uses it. The host waits for nothing. Where kernelgen_stream_wait orders two streams already,
 * nothing is added. Until a second stream is made nothing is followed. Turned off (0), a tensor's memory is freed in the
 * order of the stream that it was made in, and all else is the caller's. */
kernelgen_status kernelgen_device_follow_streams(const kernelgen_device* device, int follow);
kernelgen_status kernelgen_device_follows_streams(const kernelgen_device* device, int* follows);

/* Has `work(context)` called, on a thread of the driver's, when what is in the stream now is done; what comes later waits
 * for it. It must not use the device, nor hold the last of something of the device's. Part of a graph, it is called at each
 * launch. Errors: KERNELGEN_UNSUPPORTED where the driver cannot; KERNELGEN_DEVICE_ERROR. */
kernelgen_status kernelgen_device_call(const kernelgen_device* device, void (*work)(void* context),
                                       void* context, const kernelgen_stream* stream);

/* NULL is allowed. The queue goes after its work is done and nothing uses it any more. */
void kernelgen_stream_release(kernelgen_stream* stream);

/* Waits until everything in the stream is done. Errors: KERNELGEN_DEVICE_ERROR, and KERNELGEN_INDEX_OUT_OF_RANGE
 * for the first bad index of the earliest call in this stream that met one since it was last waited for. Bad
 * indices of the default queue (a NULL stream) are told to the thread whose call met them; those of a thread that
 * has ended, to the next that waits for the default queue. */
kernelgen_status kernelgen_stream_synchronize(const kernelgen_stream* stream);

/* The driver's handle (hipStream_t, CUstream), valid as long as the stream; NULL on the CPU. */
kernelgen_status kernelgen_stream_native(const kernelgen_stream* stream, void** native);

/* Work put into `stream` from now on waits for `event`. Errors: KERNELGEN_DEVICE_ERROR. */
kernelgen_status kernelgen_stream_wait(const kernelgen_device* device, const kernelgen_stream* stream,
                                       const kernelgen_event* event);

/* Records an event after everything now in `stream`. Errors: KERNELGEN_DEVICE_ERROR. */
kernelgen_status kernelgen_event_record(const kernelgen_device* device, const kernelgen_stream* stream,
                                        kernelgen_event** event);

/* NULL is allowed. */
void kernelgen_event_release(kernelgen_event* event);

/* Waits until the event's point is reached. Errors: as kernelgen_stream_synchronize, for what was put into the
 * event's stream before the event. Where there was more behind it, the stream's own wait tells it again. */
kernelgen_status kernelgen_event_synchronize(const kernelgen_event* event);

/* Milliseconds from `start` to `end`, both recorded and reached. Errors: KERNELGEN_DEVICE_ERROR. */
kernelgen_status kernelgen_event_elapsed(const kernelgen_event* start, const kernelgen_event* end,
                                         double* milliseconds);

/* ---- kernels launched by hand ---- */

/* Grid and block of a launch. On the CPU a block is one thread, whatever `block` says. */
typedef struct kernelgen_launch_shape {
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t shared_bytes;
} kernelgen_launch_shape;

/* A kernel loaded on one device; a value, nothing to release. Valid as long as the device, or the module it
 * is of. */
typedef struct kernelgen_function {
  void* handle;
} kernelgen_function;

/* The kernel with that id, which counts on from package to package, loaded at first use. No lock once it is loaded.
 * Errors: KERNELGEN_INVALID_ARGUMENT for an id no package has; KERNELGEN_UNSUPPORTED when its package has
 * no code of the kernel for this device; KERNELGEN_DEVICE_ERROR. */
kernelgen_status kernelgen_device_kernel(const kernelgen_device* device, uint32_t kernel,
                                         kernelgen_function* function);

/* Id of the kernel of that name, of the first package that has one. Errors: KERNELGEN_NOT_FOUND. */
kernelgen_status kernelgen_device_find_kernel(const kernelgen_device* device, const char* name,
                                              uint32_t* kernel);

/* Loads a code object of the user's own (HSACO, cubin, PTX, or a CPU target's shared object); the bytes are
 * not needed afterwards. `name` appears in errors. Errors: KERNELGEN_DEVICE_ERROR with the driver's own
 * words, or with what is wrong with a shared object: one that is cut off, or whose headers and tables point outside of
 * it, is refused. What its code does is not checked, and loading it may run some of it. */
kernelgen_status kernelgen_module_load(const kernelgen_device* device, const void* code, size_t bytes,
                                       const char* name, kernelgen_module** module);

/* NULL is allowed. The code is unloaded; no launch of it may be pending. */
void kernelgen_module_release(kernelgen_module* module);

/* Errors: KERNELGEN_NOT_FOUND naming the kernel. */
kernelgen_status kernelgen_module_function(const kernelgen_module* module, const char* kernel,
                                           kernelgen_function* function);

/* Where an argument lies in a kernel's argument block, and how long it is. In bytes. */
typedef struct kernelgen_kernel_argument {
  uint32_t offset;
  uint32_t size;
} kernelgen_kernel_argument;

/* The kernel's arguments, as the code says: a CPU target's "NAME_args" (kernels/device/cpu.hpp), an AMD code object's metadata,
 * CUDA's driver from 12.4 on. Writes as many of them as `capacity` holds, and how many there are to `*count`. Errors:
 * KERNELGEN_NOT_FOUND naming the kernel; KERNELGEN_UNSUPPORTED where nothing says it. */
kernelgen_status kernelgen_module_arguments(const kernelgen_module* module, const char* kernel,
                                            size_t capacity, kernelgen_kernel_argument* arguments,
                                            size_t* count);

/* Modules of a device: of its package, of a program's own, and of expressions. */
typedef struct kernelgen_module_use {
  size_t loaded; /* that are there now */
  size_t loads;  /* since the device was opened */
} kernelgen_module_use;

/* How many modules were loaded: code that is the same is loaded once, whoever asks for it. */
kernelgen_status kernelgen_device_module_use(const kernelgen_device* device, kernelgen_module_use* use);

/* A launch, as those see it who look on. */
typedef struct kernelgen_launch_info {
  const char* kernel; /* "kg_matmul_f16_tiled"; of a graph "graph of 40 nodes", whose other numbers are 0 */
  kernelgen_launch_shape shape;
  size_t argument_bytes;
  void* stream;    /* the driver's; NULL for the default queue */
  int is_captured; /* for a graph, and not done yet */
} kernelgen_launch_info;

/* Has look(context, launch) called before each launch of the device's from now on, by any thread, on the launching thread; NULL
 * ends that. What `launch` points to is valid during the call. release(context) is called when nobody calls `look` any more,
 * at once where that is NULL; NULL is allowed. Launches of vendors' libraries are not seen. */
kernelgen_status kernelgen_device_on_launch(const kernelgen_device* device,
                                            void (*look)(void* context, const kernelgen_launch_info* launch),
                                            void (*release)(void* context), void* context);

/* Puts a launch into the stream. `arguments` is the kernel's argument block: its arguments in order, each at
 * its natural alignment, as kernelgen_package_arguments tells; it is copied before the call returns. Errors:
 * KERNELGEN_INVALID_ARGUMENT, KERNELGEN_DEVICE_ERROR. */
kernelgen_status kernelgen_launch(const kernelgen_device* device, kernelgen_function function,
                                  const kernelgen_launch_shape* shape, const void* arguments, size_t bytes,
                                  const kernelgen_stream* stream);

/* The same for a kernel of the package by id; also checks that `bytes` is the size of the kernel's argument
 * block. Errors: those of kernelgen_device_kernel and kernelgen_launch. */
kernelgen_status kernelgen_launch_kernel(const kernelgen_device* device, uint32_t kernel,
                                         const kernelgen_launch_shape* shape, const void* arguments,
                                         size_t bytes, const kernelgen_stream* stream);

#ifdef __cplusplus
}
#endif

#endif
