#pragma once
#include <cstdint>

#include "common/quotient.hpp"
#include "plan/attention.hpp"
#include "plan/divisor.hpp"

namespace kernelgen {

/// Key heads of all sequences.
inline std::int64_t key_heads_of(const kg::AttentionShape& call) {
  return std::int64_t{call.batch} * (call.heads / call.group);
}
/// Tiles of a key head without splits.
inline std::int64_t row_tiles_of(const kg::AttentionShape& call, unsigned rows_each) {
  return quotient_up(std::int64_t{call.group} * call.queries, std::int64_t{rows_each});
}
/// The number of tiles without splits.
inline std::int64_t tiles_of(const kg::AttentionShape& call, unsigned rows_each) {
  return row_tiles_of(call, rows_each) * key_heads_of(call);
}

/// Tiles of up to `rows_each` rows and `splits` splits of the keys, with sections of `together` key heads. The call has at least
/// one row.
inline kg::AttentionTiles attention_tiles(const kg::AttentionShape& call, unsigned rows_each,
                                          std::uint32_t splits, std::int64_t together = 1) {
  const std::int64_t heads = key_heads_of(call), section = row_tiles_of(call, rows_each) * splits * together;
  return {static_cast<unsigned>(quotient_up(heads, together) * section),
          static_cast<unsigned>(heads),
          divisor(static_cast<unsigned>(section)),
          divisor(static_cast<unsigned>(together)),
          divisor(splits),
          divisor(call.heads / call.group),
          divisor(call.group)};
}

}  // namespace kernelgen
