#ifndef KERNELGEN_C_GRAPH_H
#define KERNELGEN_C_GRAPH_H
/* Graphs: work of a device, captured once and launched many times. Included by kernelgen.h. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Begins to capture what this thread puts into the stream, none of which is done: launches of the graph do it. Until
 * kernelgen_graph_end or kernelgen_graph_cancel the device's default queue is that stream for this thread, so that work
 * needs to name none; with NULL it is one of the graph's own. Modules are loaded as needed; a library that is chosen by
 * measuring is chosen by its own word. Threads take turns to capture on one device, and a wait for the whole device
 * takes its turn as well.
 * Errors, here and of every call before the end that cannot be part of a graph (waiting for the device, events, other
 * streams of the device, copies from and to the host, random numbers), which leaves the capture unharmed:
 * KERNELGEN_INVALID_ARGUMENT. Also where the thread captures already; KERNELGEN_UNSUPPORTED where the driver has no
 * graphs; KERNELGEN_DEVICE_ERROR. */
kernelgen_status kernelgen_graph_begin(const kernelgen_device* device, const kernelgen_stream* stream);

/* Gives the graph of what this thread put there since. What was allocated meanwhile is the graph's: temporary tensors and
 * the libraries' workspaces, and tensors that the caller has handles of, which each launch writes anew and which stay
 * valid as long as they or the graph are there. Tensors from before that the work reads or writes have to stay as long as
 * the graph is launched; one whose last handle was released meanwhile goes with the graph.
 * Errors, after which nothing is left of the capture: KERNELGEN_DEVICE_ERROR, KERNELGEN_OUT_OF_MEMORY. Where the
 * thread has begun none on the device: KERNELGEN_INVALID_ARGUMENT. */
kernelgen_status kernelgen_graph_end(const kernelgen_device* device, kernelgen_graph** graph);

/* Gives up what this thread captures, on whatever device; nothing where it captures nothing. */
void kernelgen_graph_cancel(void);

/* Begins to capture other work for a graph, such as the same operations on other tensors, in the stream of the first
 * capture. Errors: those of kernelgen_graph_begin. */
kernelgen_status kernelgen_graph_begin_update(const kernelgen_graph* graph);

/* Launches from now on do what this thread put there since. `*in_place` says whether the driver could change the graph,
 * else it was instantiated anew, which takes as long as at first; NULL is allowed. Tensors that the earlier work made are
 * its launches' no more. Errors, after which the graph is as it was: those of kernelgen_graph_end. */
kernelgen_status kernelgen_graph_end_update(const kernelgen_graph* graph, int* in_place);

/* NULL is allowed. What was launched is done all the same. */
void kernelgen_graph_release(kernelgen_graph* graph);

/* Puts all of the work into the stream, behind what is there and behind earlier launches of the graph, and does not wait
 * for it. A bad index that it meets is told to those who wait for that stream. Errors: KERNELGEN_INVALID_ARGUMENT for a
 * stream of another device, and while the thread captures a graph on the device; KERNELGEN_DEVICE_ERROR. */
kernelgen_status kernelgen_graph_launch(const kernelgen_graph* graph, const kernelgen_stream* stream);

/* What a graph holds. */
typedef struct kernelgen_graph_info {
  size_t nodes;  /* launches of kernels, copies and fills */
  size_t memory; /* bytes that it keeps for what the work allocated */
} kernelgen_graph_info;

/* Fills in `*info`. */
kernelgen_status kernelgen_graph_describe(const kernelgen_graph* graph, kernelgen_graph_info* info);

#ifdef __cplusplus
}
#endif

#endif
