#ifndef KERNELGEN_C_GRAPH_H
#define KERNELGEN_C_GRAPH_H
/* Graphs: device work, captured once and launched many times. Included by kernelgen.h. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Starts to capture the work that this thread submits to `stream`; NULL selects a stream that the graph
 * creates. Captured work does not run until the graph is launched. Until kernelgen_graph_end or
 * kernelgen_graph_cancel, the device's default stream means the captured stream on this thread. Modules are
 * loaded as needed. Where the choice between libraries is normally measured, the library's own heuristic
 * decides. Captures on one device exclude each other and waits for the whole device: a thread blocks until
 * the capture of another thread ends.
 *
 * Some calls cannot be captured: waiting for the device, events, other streams of the device, copies from and
 * to the host, and random numbers. They return KERNELGEN_INVALID_ARGUMENT and leave the capture intact.
 * Errors of this call: KERNELGEN_INVALID_ARGUMENT, also when the thread is already capturing;
 * KERNELGEN_UNSUPPORTED when the driver has no graphs; KERNELGEN_DEVICE_ERROR. */
kernelgen_status kernelgen_graph_begin(const kernelgen_device* device, const kernelgen_stream* stream);

/* Ends the capture and returns the graph. The graph owns the memory allocated during the capture: temporary
 * tensors, library workspaces, and tensors that the caller holds handles of. Each launch overwrites the
 * latter; they stay valid as long as their handles or the graph exist. Tensors created before the capture
 * that the work reads or writes must stay alive as long as the graph is launched. If the last handle of such
 * a tensor is released during the capture, the graph keeps the tensor. Errors, which discard the capture:
 * KERNELGEN_DEVICE_ERROR, KERNELGEN_OUT_OF_MEMORY. Without a capture of this thread on the device:
 * KERNELGEN_INVALID_ARGUMENT. */
kernelgen_status kernelgen_graph_end(const kernelgen_device* device, kernelgen_graph** graph);

/* Discards this thread's capture, on any device; no effect if the thread is not capturing. */
void kernelgen_graph_cancel(void);

/* Starts to capture new work for an existing graph, such as the same operations on other tensors, on the
 * stream of the first capture. Errors: those of kernelgen_graph_begin. */
kernelgen_status kernelgen_graph_begin_update(const kernelgen_graph* graph);

/* Ends the capture; later launches of the graph run the new work. `*in_place` is 1 if the driver updated the
 * graph in place, and 0 if it had to instantiate the graph again, which takes as long as the first time; NULL
 * is allowed. Launches no longer write the tensors that the previous work created. Errors, which leave the
 * graph unchanged: those of kernelgen_graph_end. */
kernelgen_status kernelgen_graph_end_update(const kernelgen_graph* graph, int* in_place);

/* NULL is allowed. Launches already submitted still complete. */
void kernelgen_graph_release(kernelgen_graph* graph);

/* Submits the graph's work to the stream, after all work there and after earlier launches of the graph, and
 * returns without waiting. An out-of-range index is reported by a wait for that stream. Errors:
 * KERNELGEN_INVALID_ARGUMENT for a stream of another device, and while the thread captures a graph on the
 * device; KERNELGEN_DEVICE_ERROR. */
kernelgen_status kernelgen_graph_launch(const kernelgen_graph* graph, const kernelgen_stream* stream);

/* Size of a graph. */
typedef struct kernelgen_graph_info {
  size_t nodes;  /* kernel launches, copies and fills */
  size_t memory; /* bytes held for allocations made during the capture */
} kernelgen_graph_info;

/* Writes the size of the graph to `*info`. */
kernelgen_status kernelgen_graph_describe(const kernelgen_graph* graph, kernelgen_graph_info* info);

#ifdef __cplusplus
}
#endif

#endif
