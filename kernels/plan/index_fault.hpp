#pragma once
/// What kernels and the runtime share about indices that point outside their dim; it leans on nothing.
namespace kg {

/// The first bad index of the earliest call, of all that a queue of work met since its caller last cleared this.
/// All zero where there was none.
struct IndexFault {
  unsigned lock;
  unsigned reserved;
  unsigned long long call;      ///< numbered from 8 on, in order; the dim in the three low bits
  unsigned long long position;  ///< of the index in its tensor, in row-major order
  long long value;
  unsigned long long size;       ///< of the dim
  unsigned long long operation;  ///< what the caller calls it by: handed through
};

}  // namespace kg
