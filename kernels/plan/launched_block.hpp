#pragma once
/// What the CPU driver passes as a Block: with its threads, which only imported kernels tell apart.
#include "plan/block.hpp"

namespace kg {

struct LaunchedBlock : Block {
  unsigned threads[3];
};

}  // namespace kg
