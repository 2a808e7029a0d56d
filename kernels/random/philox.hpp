#pragma once
/// Philox 4x32-10: Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
#include "device/dialect.hpp"

namespace kg {

/// The output for one counter: 128 random bits.
struct PhiloxBits {
  u32 word[4];

  /// Two words as one number; `pair` is 0 or 1.
  KG_DEVICE u64 wide(int pair) const { return static_cast<u64>(word[2 * pair + 1]) << 32 | word[2 * pair]; }
};

/// The keys of the rounds.
struct PhiloxKeys {
  static constexpr int rounds = 10;
  u32 first[rounds], second[rounds];

  KG_DEVICE explicit PhiloxKeys(u64 seed) {
    u32 k0 = static_cast<u32>(seed), k1 = static_cast<u32>(seed >> 32);
    KG_UNROLL for (int round = 0; round < rounds; ++round) {
      first[round] = k0;
      second[round] = k1;
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
  }
};

/// The random bits of `block` of call `call`; these are the two halves of the counter.
KG_DEVICE PhiloxBits philox(const PhiloxKeys& keys, u64 call, u64 block) {
  u32 c0 = static_cast<u32>(block), c1 = static_cast<u32>(block >> 32);
  u32 c2 = static_cast<u32>(call), c3 = static_cast<u32>(call >> 32);
  KG_UNROLL for (int round = 0; round < PhiloxKeys::rounds; ++round) {
    const u64 a = static_cast<u64>(c0) * 0xD2511F53u, b = static_cast<u64>(c2) * 0xCD9E8D57u;
    const u32 n0 = static_cast<u32>(b >> 32) ^ c1 ^ keys.first[round];
    const u32 n2 = static_cast<u32>(a >> 32) ^ c3 ^ keys.second[round];
    c1 = static_cast<u32>(b);
    c3 = static_cast<u32>(a);
    c0 = n0;
    c2 = n2;
  }
  return {{c0, c1, c2, c3}};
}

}  // namespace kg
