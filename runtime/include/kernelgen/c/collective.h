#ifndef KERNELGEN_C_COLLECTIVE_H
#define KERNELGEN_C_COLLECTIVE_H
/* Exchange of tensors between devices, which all take part in each call: by NCCL between CUDA devices, by RCCL between HIP
 * devices, which are opened at run time and work in the devices' streams; between CPU devices of one process in its memory,
 * to try such programs, where a call returns when all have come. Included by kernelgen.h.
 *
 * The devices make the same calls in the same order, each by a thread or process of its own, or by one thread for several of
 * them between kernelgen_group_begin and kernelgen_group_end. Tensors have one dtype and shape everywhere. On the CPU other
 * shapes, dtypes and calls are KERNELGEN_INVALID_ARGUMENT for all, and so is a rank that is gone; NCCL and RCCL do not look.
 * Tensors of any layout are taken, and results are contiguous. A GPU's calls may be part of a graph, a CPU's may not.
 *
 * Every call returns KERNELGEN_INVALID_ARGUMENT for what it does not take, KERNELGEN_OUT_OF_MEMORY, KERNELGEN_DEVICE_ERROR.
 * A communicator is used by one thread at a time. `out` NULL makes a new tensor, `*result`; else `result` may be NULL.
 */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What one of the processes makes, and tells the others by ways of its own. */
typedef struct kernelgen_communicator_id {
  char bytes[128];
} kernelgen_communicator_id;

/* For devices of that one's kind. Errors: KERNELGEN_UNSUPPORTED where there is no library. */
kernelgen_status kernelgen_communicator_make_id(const kernelgen_device* device,
                                                kernelgen_communicator_id* id);

/* Rank `rank` of `ranks` that join with the same id; on a GPU it returns when all have, or in a group at its end. Errors:
 * KERNELGEN_UNSUPPORTED where there is no library. */
kernelgen_status kernelgen_communicator_join(const kernelgen_device* device, int ranks, int rank,
                                             const kernelgen_communicator_id* id,
                                             kernelgen_communicator** communicator);

/* NULL is allowed. */
void kernelgen_communicator_release(kernelgen_communicator* communicator);

/* What becomes of the elements that the ranks have at one place. */
typedef enum kernelgen_reduction {
  KERNELGEN_REDUCE_SUM = 0,
  KERNELGEN_REDUCE_PRODUCT = 1,
  KERNELGEN_REDUCE_MIN = 2,
  KERNELGEN_REDUCE_MAX = 3,
  KERNELGEN_REDUCE_MEAN = 4
} kernelgen_reduction;

/* Every rank gets the same: x of all ranks, element by element. u8, u32, i32, i64, bf16, f16, f32, f64; a mean not of
 * integers. On a GPU the order of a sum is the library's, on the CPU that of the ranks, in f32 for bf16 and f16. */
kernelgen_status kernelgen_all_reduce(const kernelgen_communicator* communicator, const kernelgen_tensor* x,
                                      kernelgen_reduction reduction, const kernelgen_tensor* out,
                                      const kernelgen_stream* stream, kernelgen_tensor** result);

/* The same, of which each rank gets its part along the first dim, whose extent is a multiple of the ranks. */
kernelgen_status kernelgen_reduce_scatter(const kernelgen_communicator* communicator,
                                          const kernelgen_tensor* x, kernelgen_reduction reduction,
                                          const kernelgen_tensor* out, const kernelgen_stream* stream,
                                          kernelgen_tensor** result);

/* Every rank gets the x of all, one behind the other along the first dim. Any dtype. */
kernelgen_status kernelgen_all_gather(const kernelgen_communicator* communicator, const kernelgen_tensor* x,
                                      const kernelgen_tensor* out, const kernelgen_stream* stream,
                                      kernelgen_tensor** result);

/* Every rank gets x of the rank `root`. Any dtype. */
kernelgen_status kernelgen_broadcast(const kernelgen_communicator* communicator, const kernelgen_tensor* x,
                                     int root, const kernelgen_tensor* out, const kernelgen_stream* stream,
                                     kernelgen_tensor** result);

/* From this rank to another, which receives from this one into a contiguous tensor of as many bytes. Two that send to each
 * other do so in a group. */
kernelgen_status kernelgen_send(const kernelgen_communicator* communicator, const kernelgen_tensor* x, int to,
                                const kernelgen_stream* stream);
kernelgen_status kernelgen_receive(const kernelgen_communicator* communicator, const kernelgen_tensor* result,
                                   int from, const kernelgen_stream* stream);

/* Calls of this thread begin together at the end: those for several devices, or sends and receives that wait for each
 * other. Errors of the end: those of the calls; where nothing was begun, KERNELGEN_INVALID_ARGUMENT. */
kernelgen_status kernelgen_group_begin(void);
kernelgen_status kernelgen_group_end(void);

#ifdef __cplusplus
}
#endif

#endif
