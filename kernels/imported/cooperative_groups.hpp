#pragma once
/// Cooperative groups of blocks, tiles of their waves, and coalesced lanes.
#include "imported/wave.hpp"

namespace cooperative_groups {

class thread_group {
 public:
  KG_DEVICE unsigned size() const { return size_; }
  KG_DEVICE unsigned num_threads() const { return size_; }
  KG_DEVICE unsigned thread_rank() const {
    return is_block_ ? kernelgen_import::thread_rank() : kernelgen_import::thread_rank() % size_;
  }
  KG_DEVICE bool is_valid() const { return true; }
  KG_DEVICE void sync() const {
    if (is_block_)
      __syncthreads();
    else
      __syncwarp();
  }

 protected:
  KG_DEVICE thread_group(unsigned size, bool is_block) : size_(size), is_block_(is_block) {}
  unsigned size_;
  bool is_block_;

  friend KG_DEVICE thread_group tiled_partition(const thread_group&, unsigned);
};

class thread_block : public thread_group {
 public:
  KG_DEVICE thread_block() : thread_group(kernelgen_import::threads_of_block(), true) {}
  KG_DEVICE dim3 group_index() const { return blockIdx; }
  KG_DEVICE dim3 thread_index() const { return threadIdx; }
  KG_DEVICE dim3 group_dim() const { return blockDim; }
  KG_DEVICE dim3 dim_threads() const { return blockDim; }
};
KG_DEVICE thread_block this_thread_block() { return {}; }

/// Blocks of a grid cannot wait for each other, which takes a cooperative launch: sync() of several traps.
class grid_group {
 public:
  KG_DEVICE unsigned long long size() const { return num_blocks() * kernelgen_import::threads_of_block(); }
  KG_DEVICE unsigned long long num_threads() const { return size(); }
  KG_DEVICE unsigned long long num_blocks() const { return 1ull * gridDim.x * gridDim.y * gridDim.z; }
  KG_DEVICE unsigned long long block_rank() const {
    return (1ull * blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  KG_DEVICE unsigned long long thread_rank() const {
    return block_rank() * kernelgen_import::threads_of_block() + kernelgen_import::thread_rank();
  }
  KG_DEVICE dim3 group_dim() const { return gridDim; }
  KG_DEVICE bool is_valid() const { return num_blocks() == 1; }
  KG_DEVICE void sync() const {
    if (!is_valid()) __builtin_trap();
    __syncthreads();
  }
};
KG_DEVICE grid_group this_grid() { return {}; }

/// A power of two of adjacent lanes.
template <unsigned Size, class Parent = void>
class thread_block_tile {
  static_assert(Size != 0 && (Size & (Size - 1)) == 0 && Size <= kernelgen_import::lanes(),
                "a tile has a power of two of lanes, at most those of a wave");

 public:
  KG_DEVICE thread_block_tile() {}
  /// Of whatever it is a tile.
  template <class Other>
  KG_DEVICE thread_block_tile(const thread_block_tile<Size, Other>&) {}
  static KG_DEVICE constexpr unsigned size() { return Size; }
  static KG_DEVICE constexpr unsigned num_threads() { return Size; }
  static KG_DEVICE unsigned thread_rank() { return kernelgen_import::lane() % Size; }
  static KG_DEVICE unsigned meta_group_rank() { return kernelgen_import::thread_rank() / Size; }
  static KG_DEVICE unsigned meta_group_size() {
    return (kernelgen_import::threads_of_block() + Size - 1) / Size;
  }
  static KG_DEVICE void sync() { __syncwarp(); }
  template <class T>
  KG_DEVICE T shfl(T value, int source) const {
    return kernelgen_import::shuffle(value, source, Size);
  }
  template <class T>
  KG_DEVICE T shfl_up(T value, unsigned delta) const {
    return kernelgen_import::shuffle_up(value, delta, Size);
  }
  template <class T>
  KG_DEVICE T shfl_down(T value, unsigned delta) const {
    return kernelgen_import::shuffle_down(value, delta, Size);
  }
  template <class T>
  KG_DEVICE T shfl_xor(T value, unsigned mask) const {
    return kernelgen_import::shuffle_xor(value, static_cast<int>(mask), Size);
  }
  KG_DEVICE unsigned long long ballot(int predicate) const {
    constexpr unsigned long long bits = ~0ull >> (8 * sizeof(unsigned long long) - Size);
    const unsigned first = kernelgen_import::lane() & ~(Size - 1);
    return kernelgen_import::ballot(predicate != 0) >> first & bits;
  }
  KG_DEVICE int any(int predicate) const { return ballot(predicate) != 0; }
  KG_DEVICE int all(int predicate) const { return ballot(!predicate) == 0; }
  template <class T>
  KG_DEVICE unsigned long long match_any(T value) const {
    unsigned long long same = 0;
    for (unsigned i = 0; i < Size; ++i)
      same |= static_cast<unsigned long long>(shfl(value, static_cast<int>(i)) == value) << i;
    return same;
  }
};

template <unsigned Size, class Parent>
KG_DEVICE thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  return {};
}
KG_DEVICE thread_group tiled_partition(const thread_group&, unsigned size) { return {size, false}; }

/// The lanes of a wave that execute this.
class coalesced_group {
 public:
  KG_DEVICE coalesced_group() : lanes_(kernelgen_import::ballot(true)) {}
  KG_DEVICE unsigned size() const { return static_cast<unsigned>(__builtin_popcountll(lanes_)); }
  KG_DEVICE unsigned num_threads() const { return size(); }
  KG_DEVICE unsigned thread_rank() const {
    return static_cast<unsigned>(__builtin_popcountll(lanes_ & ((1ull << kernelgen_import::lane()) - 1)));
  }
  KG_DEVICE void sync() const { __syncwarp(); }
  template <class T>
  KG_DEVICE T shfl(T value, int source) const {
    return kernelgen_import::lane_value(value, lane_of(static_cast<unsigned>(source) % size()));
  }
  template <class T>
  KG_DEVICE T shfl_down(T value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return kernelgen_import::lane_value(value, lane_of(rank + delta < size() ? rank + delta : rank));
  }
  template <class T>
  KG_DEVICE T shfl_up(T value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return kernelgen_import::lane_value(value, lane_of(rank >= delta ? rank - delta : rank));
  }
  KG_DEVICE int any(int predicate) const { return kernelgen_import::ballot(predicate != 0) != 0; }
  KG_DEVICE int all(int predicate) const { return kernelgen_import::ballot(predicate == 0) == 0; }

 private:
  KG_DEVICE unsigned lane_of(unsigned rank) const {
    unsigned long long left = lanes_;
    for (unsigned i = 0; i < rank; ++i) left &= left - 1;
    return static_cast<unsigned>(__builtin_ctzll(left));
  }
  unsigned long long lanes_;
};
KG_DEVICE coalesced_group coalesced_threads() { return {}; }

template <class T>
struct plus {
  KG_DEVICE T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct less {
  KG_DEVICE T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
  KG_DEVICE T operator()(T a, T b) const { return a < b ? b : a; }
};
/// `of` of the values of all lanes of a tile.
template <unsigned Size, class Parent, class T, class Of>
KG_DEVICE T reduce(const thread_block_tile<Size, Parent>& tile, T value, Of of) {
  for (unsigned mask = Size / 2; mask != 0; mask /= 2) value = of(value, tile.shfl_xor(value, mask));
  return value;
}
template <class Group>
KG_DEVICE void sync(const Group& group) {
  group.sync();
}

}  // namespace cooperative_groups
