#pragma once
/// The second argument of every CPU kernel: the block to run and the size of the grid. Included by device
/// code and by the CPU driver.
namespace kg {

struct Block {
  unsigned index[3];
  unsigned grid[3];
};

}  // namespace kg
