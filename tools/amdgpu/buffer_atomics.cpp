#include "atomic_memory.hpp"
#include "buffer.hpp"

// buffer_atomic_: vdata has the operand and, where a result is wanted, takes it. Outside of the buffer nothing happens, and
// the result is 0.
namespace kernelgen::amdgpu {
namespace {

template <class T, class Change>
void each_lane(Wave& wave, const Instruction& in, Change change) {  // vdata, vaddr, descriptor, soffset
  const BufferAccess access = buffer_access(wave, in, 1, sizeof(T));
  for_lanes(wave.exec, [&](int lane) {
    T old{};
    if ((access.inside >> lane & 1) != 0)
      old = change(access.space, access.at[static_cast<std::size_t>(lane)], lane);
    if (in.returns) set_lane_value(wave, in.source[0].index, lane, old);
  });
}

template <class T, auto Op>
void change(Wave& wave, const Instruction& in) {
  each_lane<T>(wave, in, [&](Space space, std::uint64_t address, int lane) {
    return change_memory<T, Op>(wave, space, address, lane_value<T>(wave, in.source[0].index, lane), lane);
  });
}

template <class T>
void compare_and_swap(Wave& wave, const Instruction& in) {
  each_lane<T>(wave, in, [&](Space space, std::uint64_t address, int lane) {
    return compare_and_swap_memory<T>(wave, space, address, in.source[0].index, lane);
  });
}

}  // namespace

void add_buffer_atomics(Opcodes& t) {
  const auto add_op = [&]<class T, auto Op>(Names names) {
    for (const std::string_view name : names)
      t[kept_name("buffer_atomic_", name)] = raw(change<T, Op>, Pipe::vector_memory);
  };
  each_integer_atomic(add_op);
  each_float_atomic(add_op);
  for (const std::string_view name : {"cmpswap", "cmpswap_b32"})
    t[kept_name("buffer_atomic_", name)] = raw(compare_and_swap<std::uint32_t>, Pipe::vector_memory);
  for (const std::string_view name : {"cmpswap_x2", "cmpswap_b64"})
    t[kept_name("buffer_atomic_", name)] = raw(compare_and_swap<std::uint64_t>, Pipe::vector_memory);
}

}  // namespace kernelgen::amdgpu
