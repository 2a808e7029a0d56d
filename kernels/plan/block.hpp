#pragma once
/// The second argument of every kernel on a CPU: which block of which grid is to run. Included by device code and by
/// the CPU driver.
namespace kg {

struct Block {
  unsigned index[3];
  unsigned grid[3];
};

}  // namespace kg
