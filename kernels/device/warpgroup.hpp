#pragma once
/// Warpgroup matrix instructions (wgmma): four waves multiply 64 rows of a left operand by a right operand in
/// shared memory, asynchronously. Wave w has rows 16 w to 16 w + 15; within each 16 columns a lane holds the
/// same sums as in MatrixUnit.
///
/// A block's warpgroups begin at waves 0, 4 and 8. All lanes of a warpgroup must call every function here.
/// Operands and sums of a product must not be accessed between start_products() and the await_products() that
/// covers it.
///
/// Layouts: PTX ISA, "Asynchronous warpgroup level matrix multiply-accumulate instructions".
#include "device/matrix.hpp"

/// 1 if the target has wgmma; code that names the instructions does not compile elsewhere.
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define KG_WARPGROUPS 1
#else
#define KG_WARPGROUPS 0
#endif

namespace kg {

/// Whether the target has wgmma for elements of type S.
template <class S>
inline constexpr bool has_warpgroups = false;

/// Shared-memory layout of `lines` lines of `length` 16-bit elements: panels of 64 elements of each line,
/// whose 16-byte packs are swizzled so that eight lines are in different banks. The base must be aligned to
/// 1024 bytes.
template <u32 lines, u32 length>
struct SwizzledLayout {
  static constexpr u32 row_step = 64, panel = lines * row_step, elements = lines * length;
  static_assert(lines % 8 == 0 && length % row_step == 0, "panels are whole");

  /// Offset of the pack that begins at `element`. The swizzle repeats every eight lines.
  static KG_DEVICE u32 offset(u32 line, u32 element) {
    return element / row_step * panel + line * row_step + ((element / 8 ^ line) & 7) * 8;
  }
};

#if KG_WARPGROUPS

template <>
inline constexpr bool has_warpgroups<f16> = true;
template <>
inline constexpr bool has_warpgroups<bf16> = true;

/// The wgmma descriptor of an operand in shared memory at `tile`. Lines of more than 64 elements continue
/// `panel` elements further.
KG_DEVICE u64 side_in_shared(const void* tile, u32 panel) {
  constexpr u64 swizzled = u64{1} << 62, eight_lines = u64{64 * 8 * 2 / 16} << 32;
  return swizzled | eight_lines | static_cast<u64>(panel * 2 / 16) << 16 |
         (detail::shared_address(tile) & 0x3ffff) >> 4;
}
/// The descriptor of the operand `elements` further.
KG_DEVICE u64 side_at(u64 side, u32 elements) { return side + elements * 2 / 16; }

/// A barrier of the block's `threads` threads, after which the writes to shared memory of each, and the copies that it has
/// waited for, are visible to the products of all. Each warpgroup may call it at a different point in the code.
template <u32 threads>
KG_DEVICE void show_copies() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  asm volatile("barrier.sync 1, %0;" ::"n"(threads) : "memory");
}
/// Call before the first product of a batch.
KG_DEVICE void start_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
/// Commits the products since the last commit as one group.
KG_DEVICE void end_products() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
/// Waits until at most the last `but` committed groups are in flight.
template <int but>
KG_DEVICE void await_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(but) : "memory");
}
/// Keeps the compiler from moving uses of the sums across this point.
template <class Sum, u32 count>
KG_DEVICE void hold_sums(Sum (&sums)[count]) {
  KG_UNROLL for (Sum& sum : sums) { KG_UNROLL for (f32& x : sum.value) asm volatile("" : "+f"(x)::"memory"); }
}

#define KG_SUMS_2(s)                                                                              \
  "+f"((s)[0].value[0]), "+f"((s)[0].value[1]), "+f"((s)[0].value[2]), "+f"((s)[0].value[3]),     \
      "+f"((s)[0].value[4]), "+f"((s)[0].value[5]), "+f"((s)[0].value[6]), "+f"((s)[0].value[7]), \
      "+f"((s)[1].value[0]), "+f"((s)[1].value[1]), "+f"((s)[1].value[2]), "+f"((s)[1].value[3]), \
      "+f"((s)[1].value[4]), "+f"((s)[1].value[5]), "+f"((s)[1].value[6]), "+f"((s)[1].value[7])
#define KG_SUMS_4(s) KG_SUMS_2(s), KG_SUMS_2((s) + 2)
#define KG_SUMS_6(s) KG_SUMS_4(s), KG_SUMS_2((s) + 4)
#define KG_SUMS_8(s) KG_SUMS_4(s), KG_SUMS_4((s) + 4)
#define KG_OPERANDS_16 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15"
#define KG_OPERANDS_32                                                                                     \
  "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27," \
  "%28,%29,%30,%31"
#define KG_OPERANDS_48 KG_OPERANDS_32 ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47"
#define KG_OPERANDS_64 \
  KG_OPERANDS_48       \
  ",%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"

/// sums += 64 rows of left times `columns` columns of right, 16 terms; if `add` is false, sums are
/// overwritten. left is held in registers as Parts of 16 rows per wave, or is in shared memory in lines of
/// contiguous terms. right is in shared memory in lines of contiguous terms or, if left is in registers, of
/// contiguous columns.
template <class S, u32 columns>
struct WarpgroupUnit;

#define KG_WARPGROUP(type, name, columns, sixteens, operands, a, b, c, d, e, f)                              \
  template <>                                                                                                \
  struct WarpgroupUnit<type, columns> {                                                                      \
    using Sum = MatrixUnit<type>::Sum;                                                                       \
    static KG_DEVICE void multiply(Sum* sums, u64 left, u64 right, bool add) {                               \
      asm volatile("{.reg .pred add; setp.ne.b32 add, %" c ", 0; wgmma.mma_async.sync.aligned.m64n" #columns \
                   "k16.f32." name "." name " {" operands "}, %" a ", %" b ", add, 1, 1, 0, 0;}"             \
                   : KG_SUMS_##sixteens(sums)                                                                \
                   : "l"(left), "l"(right), "r"(static_cast<int>(add))                                       \
                   : "memory");                                                                              \
    }                                                                                                        \
    static KG_DEVICE void multiply(Sum* sums, const MatrixUnit<type>::Part& left, u64 right, bool add) {     \
      asm volatile("{.reg .pred add; setp.ne.b32 add, %" f ", 0; wgmma.mma_async.sync.aligned.m64n" #columns \
                   "k16.f32." name "." name " {" operands "}, {%" a ", %" b ", %" c ", %" d "}, %" e         \
                   ", add, 1, 1, 1;}"                                                                        \
                   : KG_SUMS_##sixteens(sums)                                                                \
                   : "r"(left.word[0]), "r"(left.word[1]), "r"(left.word[2]), "r"(left.word[3]), "l"(right), \
                     "r"(static_cast<int>(add))                                                              \
                   : "memory");                                                                              \
    }                                                                                                        \
  };
KG_WARPGROUP(f16, "f16", 32, 2, KG_OPERANDS_16, "16", "17", "18", "19", "20", "21")
KG_WARPGROUP(f16, "f16", 64, 4, KG_OPERANDS_32, "32", "33", "34", "35", "36", "37")
KG_WARPGROUP(f16, "f16", 96, 6, KG_OPERANDS_48, "48", "49", "50", "51", "52", "53")
KG_WARPGROUP(f16, "f16", 128, 8, KG_OPERANDS_64, "64", "65", "66", "67", "68", "69")
KG_WARPGROUP(bf16, "bf16", 32, 2, KG_OPERANDS_16, "16", "17", "18", "19", "20", "21")
KG_WARPGROUP(bf16, "bf16", 64, 4, KG_OPERANDS_32, "32", "33", "34", "35", "36", "37")
KG_WARPGROUP(bf16, "bf16", 96, 6, KG_OPERANDS_48, "48", "49", "50", "51", "52", "53")
KG_WARPGROUP(bf16, "bf16", 128, 8, KG_OPERANDS_64, "64", "65", "66", "67", "68", "69")
#undef KG_WARPGROUP
#undef KG_OPERANDS_64
#undef KG_OPERANDS_48
#undef KG_OPERANDS_32
#undef KG_OPERANDS_16
#undef KG_SUMS_8
#undef KG_SUMS_6
#undef KG_SUMS_4
#undef KG_SUMS_2

#endif

}  // namespace kg
