#ifndef KERNELGEN_C_COLLECTIVE_H
#define KERNELGEN_C_COLLECTIVE_H
/* Collective operations between devices. CUDA devices use NCCL and HIP devices use RCCL; the libraries are
 * opened at run time and run on the devices' streams. CPU devices of one process communicate through its
 * memory, for testing; there, a call returns when all ranks have made it. Included by kernelgen.h.
 *
 * All ranks make the same calls in the same order. Each rank has its own thread or process, or one thread
 * drives several ranks between kernelgen_group_begin and kernelgen_group_end. Dtype and shape are the same on
 * all ranks. On the CPU, mismatched shapes, dtypes or calls, and a rank that has ended, return
 * KERNELGEN_INVALID_ARGUMENT on all ranks; NCCL and RCCL do not check. Inputs have any layout; results are
 * contiguous. GPU calls may be captured in a graph, CPU calls may not.
 *
 * Every call returns KERNELGEN_INVALID_ARGUMENT for unsupported arguments, KERNELGEN_OUT_OF_MEMORY,
 * KERNELGEN_DEVICE_ERROR. Only one thread at a time may use a communicator. If `out` is NULL, the result is a
 * new tensor, `*result`; else `result` may be NULL. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Identifies a group of ranks. One process creates it and sends it to the others by its own means. */
typedef struct kernelgen_communicator_id {
  char bytes[128];
} kernelgen_communicator_id;

/* Creates an id for devices of the same kind. Errors: KERNELGEN_UNSUPPORTED without a collectives library. */
kernelgen_status kernelgen_communicator_make_id(const kernelgen_device* device,
                                                kernelgen_communicator_id* id);

/* Joins a group of `ranks` ranks as rank `rank`; all ranks use the same id. On a GPU, the call returns when
 * all ranks have joined, or inside a group at its end. Errors: KERNELGEN_UNSUPPORTED without a collectives
 * library. */
kernelgen_status kernelgen_communicator_join(const kernelgen_device* device, int ranks, int rank,
                                             const kernelgen_communicator_id* id,
                                             kernelgen_communicator** communicator);

/* NULL is allowed. */
void kernelgen_communicator_release(kernelgen_communicator* communicator);

/* Element-wise reduction across ranks. */
typedef enum kernelgen_reduction {
  KERNELGEN_REDUCE_SUM = 0,
  KERNELGEN_REDUCE_PRODUCT = 1,
  KERNELGEN_REDUCE_MIN = 2,
  KERNELGEN_REDUCE_MAX = 3,
  KERNELGEN_REDUCE_MEAN = 4
} kernelgen_reduction;

/* Every rank receives the reduction of x over all ranks. u8, u32, i32, i64, bf16, f16, f32, f64; a mean
 * requires floats. The library determines the order of sums on a GPU. On the CPU it is rank order, in f32 for
 * bf16 and f16. */
kernelgen_status kernelgen_all_reduce(const kernelgen_communicator* communicator, const kernelgen_tensor* x,
                                      kernelgen_reduction reduction, const kernelgen_tensor* out,
                                      const kernelgen_stream* stream, kernelgen_tensor** result);

/* As kernelgen_all_reduce, but each rank receives its part along the first dim, whose extent is a multiple of
 * the number of ranks. */
kernelgen_status kernelgen_reduce_scatter(const kernelgen_communicator* communicator,
                                          const kernelgen_tensor* x, kernelgen_reduction reduction,
                                          const kernelgen_tensor* out, const kernelgen_stream* stream,
                                          kernelgen_tensor** result);

/* Every rank receives the x of all ranks, concatenated along the first dim in rank order. Any dtype. */
kernelgen_status kernelgen_all_gather(const kernelgen_communicator* communicator, const kernelgen_tensor* x,
                                      const kernelgen_tensor* out, const kernelgen_stream* stream,
                                      kernelgen_tensor** result);

/* Every rank receives x of rank `root`. Any dtype. */
kernelgen_status kernelgen_broadcast(const kernelgen_communicator* communicator, const kernelgen_tensor* x,
                                     int root, const kernelgen_tensor* out, const kernelgen_stream* stream,
                                     kernelgen_tensor** result);

/* Point-to-point transfer. The receiver provides a contiguous tensor of as many bytes as x. Two ranks that
 * send to each other must use a group. */
kernelgen_status kernelgen_send(const kernelgen_communicator* communicator, const kernelgen_tensor* x, int to,
                                const kernelgen_stream* stream);
kernelgen_status kernelgen_receive(const kernelgen_communicator* communicator, const kernelgen_tensor* result,
                                   int from, const kernelgen_stream* stream);

/* Groups calls of this thread, which all start at kernelgen_group_end: calls for several devices, or sends
 * and receives that wait for each other. Errors of kernelgen_group_end: those of the calls; without a
 * kernelgen_group_begin, KERNELGEN_INVALID_ARGUMENT. */
kernelgen_status kernelgen_group_begin(void);
kernelgen_status kernelgen_group_end(void);

#ifdef __cplusplus
}
#endif

#endif
