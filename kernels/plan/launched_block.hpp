#pragma once
/// The Block that the CPU driver passes, with the threads per block. Only imported kernels read these; others run a block as one
/// thread.
#include "plan/block.hpp"

namespace kg {

struct LaunchedBlock : Block {
  unsigned threads[3];
};

}  // namespace kg
