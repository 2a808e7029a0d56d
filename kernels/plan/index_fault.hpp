#pragma once
/// The record of an out-of-range index, shared by kernels and the runtime. It has no dependencies.
namespace kg {

/// The first out-of-range index of the earliest call, among all calls of a queue since the record was last
/// cleared. All zero if there was none.
struct IndexFault {
  unsigned lock;
  unsigned reserved;
  unsigned long long call;      ///< numbered from 8 on, in order; the dim is in the low three bits
  unsigned long long position;  ///< of the index in its tensor, in row-major order
  long long value;
  unsigned long long size;       ///< of the dim
  unsigned long long operation;  ///< the caller's identifier, passed through
};

}  // namespace kg
