#pragma once
/// Attention of a few rows of q by FMA instructions: groups of lanes process different keys, several at a
/// time, and update softmax's maximum and sum online (Milakov and Gimelshein, "Online normalizer calculation
/// for softmax", 2018).
#include "attention/tile.hpp"
#include "device/group.hpp"
#include "device/pack.hpp"

namespace kg::detail {

/// Elements of a row per lane, and products of a row of q and a key that lanes sum at a time.
inline constexpr u32 lane_elements = 8, lane_products = 8;
/// Maximum rows of which a lane holds elements.
inline constexpr u32 lane_rows = 4;
static_assert(2 * lane_rows == attention_simt_rows, "a block has two groups' rows");

/// Shared between the threads of a block: rows of q, later their sums; the states of the waves that have keys; per group of lanes
/// the first key whose page is outside the cache, or no_key.
struct AttentionRowsShared {
  static constexpr u32 no_key = Limits<u32>::highest;

  f32 rows[attention_simt_rows][attention_widest];
  AttentionState states[max_waves][attention_simt_rows];
  u32 waves;
  u32 bad_page_keys[max_waves * 32 / lane_products];
};

/// How a block divides `count` keys: groups of enough lanes for a row's elements each take a stream, which is every `streams`-th key,
/// `together` of them at a time. If there are more rows than a group holds, every other group takes the second half of the rows.
/// Of `most` whole waves, only as many take part as have keys.
struct AttentionStreams {
  u32 lanes, halves, waves, streams;

  KG_DEVICE AttentionStreams(u32 width, u32 rows, u32 most, u32 count, u32 together)
      : lanes(lane_products), halves(rows > lane_rows ? 2 : 1) {
    while (lanes * lane_elements < width) lanes *= 2;
    const u32 needed = count > together ? (count + together - 1) / together : 1;
    const u32 groups_each = wave_size() / lanes,
              enough = (needed * halves + groups_each - 1) >> native::lowest_bit(groups_each);
    waves = enough < most ? enough : most;
    streams = waves * groups_each / halves;
  }
};

/// One group with R rows of q, in accesses of W elements. All lanes of a wave must call every function here.
template <class T, class K, u32 R, u32 W>
struct AttentionLanes {
  static constexpr u32 pieces = lane_elements / W;
  /// Keys in flight per group, in batches of lane_products products.
  static constexpr u32 keys = R == 1 ? 8 : R == 4 && Pack<K, W>::words * pieces > 4 ? 2 : 4;
  static constexpr u32 batch_keys = lane_products / R, batches = keys / batch_keys;
  using Held = Pack<K, W>;
  /// `key_begin` of a lane whose row is past the tile's end; that row's results are not stored.
  static constexpr u32 no_row = Limits<u32>::highest;

  const AttentionHead<T, K>& sequence;
  const KeyRange range;
  const Group group;
  u32 width;                      ///< of a row
  u32 halves, streams;            ///< of the block
  u32 first_row, stream;          ///< of this group
  u32 slot;                       ///< the product of a batch whose sum this lane receives
  u32 query, key_begin, key_end;  ///< of that product's row, which sees keys [key_begin, key_end)
  AttentionHead<T, K> head;       ///< of that row
  f32 q[R][lane_elements], sum[R][lane_elements] = {};
  AttentionState state{negative_infinity(), 0};  ///< of that row; the weight covers this slot's keys
  Held k[keys][pieces], v[keys][pieces];
  /// First key with an invalid page (see AttentionRowsShared)
  u32 first_bad_page_key = AttentionRowsShared::no_key;

  KG_DEVICE AttentionLanes(const AttentionTile<T, K>& tile, const AttentionStreams& of,
                           const AttentionRowsShared& shared)
      : sequence(tile.sequence),
        range(tile.keys),
        group(of.lanes),
        width(sequence.all.shape.width),
        halves(of.halves),
        streams(of.streams),
        first_row(group.index % halves * R),
        stream(group.index / halves),
        slot(group.rank % lane_products),
        query(tile.query(row())),
        head(tile.head(row())) {
    key_begin = row() < tile.count ? head.first_key(query) : no_row;
    key_end = row() < tile.count ? head.end_key(query) : 0;
    KG_UNROLL for (u32 r = 0; r < R; ++r) {
      KG_UNROLL for (u32 e = 0; e < lane_elements; ++e) q[r][e] = shared.rows[first_row + r][element(e)];
    }
  }

  /// Iterates over the tile's keys. Values are in flight while the logits of their keys are computed, and the
  /// next keys while the values are added.
  KG_DEVICE void run() {
    const Attention<T, K>& all = sequence.all;
    const u32 step = streams * keys;
    u32 first = range.begin, left = range.end - first;
    if (left == 0) return;
    u32 bad_page_keys = load(all.k, all.shape.k, first, left, k);  // a bit per key
    while (true) {
      // Recomputes in each iteration which pieces are inside a row: keeping the masks would take two scalar
      // registers per piece.
      width = uniform_optimization_barrier(width);
      load(all.v, all.shape.v, first, left, v);
      f32 s[batches];
      multiply_keys(s);
      sched_barrier();
      make_logits(s, first, left, bad_page_keys);
      sched_barrier();
      const u32 next_left = left > step ? left - step : 0;
      if (next_left) bad_page_keys = load(all.k, all.shape.k, first + step, next_left, k);
      sched_barrier();
      add_values(s);
      if (!next_left) break;
      first += step;
      left = next_left;
    }
  }

  /// Combines the groups of the wave that have the same rows. Afterwards each has the combined sums and
  /// states.
  KG_DEVICE void join() {
    const u32 next = group.size * halves;
    f32 top = state.row_max;
    for (u32 mask = next; mask < wave_size(); mask *= 2) top = higher(top, lane_xor(group, top, mask));
    const f32 factor = attention_decay(state.row_max, top);
    state = {top, state.row_sum * factor};
    KG_UNROLL for (u32 mask = R; mask < lane_products; mask *= 2) state.row_sum +=
        lane_xor(group, state.row_sum, mask);
    for (u32 mask = next; mask < wave_size(); mask *= 2)
      state.row_sum += lane_xor(group, state.row_sum, mask);
    scale(factor);
    for (u32 mask = next; mask < wave_size(); mask *= 2) {
      KG_UNROLL for (u32 r = 0; r < R; ++r) {
        KG_UNROLL for (u32 e = 0; e < lane_elements; ++e) sum[r][e] += lane_xor(group, sum[r][e], mask);
      }
    }
  }
  /// Whether this is the first group of its wave with these rows; it stores their results.
  KG_DEVICE bool is_leader() const { return group.lane < group.size * halves; }
  /// Whether this lane is the first with the state of row().
  KG_DEVICE bool has_state() const { return group.rank < R; }
  /// The row of this lane's products.
  KG_DEVICE u32 row() const { return first_row + slot % R; }

  /// Position in the row of this lane's element e.
  KG_DEVICE u32 element(u32 e) const { return (e / W * group.size + group.rank) * W + e % W; }

 private:
  static KG_DEVICE f32 higher(f32 a, f32 b) { return b > a ? b : a; }
  /// The value of the group's lane `of`.
  KG_DEVICE f32 from_slot(f32 value, u32 of) const {
    return lane_value(value, (group.lane & ~(group.size - 1)) + of);
  }

  /// Loads this lane's pieces of its group's keys, from an iteration's keys that begin at `first`, of which
  /// `left` remain. Indices past the last key repeat it. Returns a bit for each key on an invalid page.
  KG_DEVICE u32 load(const K* from, const AttentionStrides& rows, u32 first, u32 left,
                     Held (&held)[keys][pieces]) {
    const AttentionShape& shape = sequence.all.shape;
    u32 bad_page_keys = 0;
    if (!shape.page_rows) {
      KG_UNROLL for (u32 i = 0; i < keys; ++i)
          load_key(from + sequence.key_offset(rows, key(i, first, left)), held[i]);
    } else {
      u32 page[keys];
      KG_UNROLL for (u32 i = 0; i < keys; ++i) page[i] =
          sequence.all.block_table[sequence.page_entry(key(i, first, left))];
      KG_UNROLL for (u32 i = 0; i < keys; ++i) {
        const u32 j = key(i, first, left);
        if (page[i] < shape.page_count) {
          load_key(from + sequence.in_page(rows, page[i], j), held[i]);
        } else {
          KG_UNROLL for (u32 p = 0; p < pieces; ++p) held[i][p] = {};
          bad_page_keys |= 1u << i;
          first_bad_page_key = j < first_bad_page_key ? j : first_bad_page_key;
        }
      }
    }
    return bad_page_keys;
  }
  KG_DEVICE u32 key(u32 i, u32 first, u32 left) const {
    const u32 in_step = stream + i * streams;
    return first + (in_step < left ? in_step : left - 1);
  }
  /// Lanes past the row's end load its first element, which is not used.
  KG_DEVICE void load_key(const K* row, Held (&held)[pieces]) const {
    KG_UNROLL for (u32 p = 0; p < pieces; ++p) held[p] =
        load_pack<W>(row + (element(p * W) < width ? element(p * W) : 0));
  }

  /// Products of all rows and the group's keys, summed over its lanes: one sum per batch.
  KG_DEVICE void multiply_keys(f32 (&s)[batches]) const {
    KG_UNROLL for (u32 b = 0; b < batches; ++b) {
      f32 product[lane_products];
      KG_UNROLL for (u32 i = 0; i < batch_keys; ++i) {
        f32 key[lane_elements];
        widen_key(k[b * batch_keys + i], key);
        KG_UNROLL for (u32 r = 0; r < R; ++r) product[i * R + r] = multiply(q[r], key);
        sched_barrier();
      }
      s[b] = add_up(product);
    }
  }
  static KG_DEVICE void widen_key(const Held (&held)[pieces], f32 (&key)[lane_elements]) {
    KG_UNROLL for (u32 p = 0; p < pieces; ++p) {
      Held piece = held[p];
      KG_UNROLL for (int i = 0; i < Held::words; ++i) piece.word[i] = keep_in_vector_register(piece.word[i]);
      KG_UNROLL for (u32 e = 0; e < W; ++e) {
        key[p * W + e] = widen(piece.get(static_cast<int>(e)));
        if (sizeof(K) == 1 && e % 4 == 3) sched_barrier();
      }
    }
  }
  KG_DEVICE f32 multiply(const f32 (&row)[lane_elements], const f32 (&key)[lane_elements]) const {
    f32 product = 0;
    KG_UNROLL for (u32 p = 0; p < pieces; ++p) {
      f32 piece = p == 0 ? 0 : product;
      KG_UNROLL for (u32 e = p * W; e < (p + 1) * W; ++e) piece = native::fma(row[e], key[e], piece);
      // Discards elements past the row's end.
      product = element(p * W) < width ? piece : product;
    }
    // Prevents pairing with another row's product for packed instructions, which would need both rows again
    // as pairs.
    return bit_cast<f32>(keep_in_vector_register(bit_cast<u32>(product)));
  }
  /// Sums eight products over the lanes of a group: each half of eight lanes keeps half of the products, and
  /// so on.
  KG_DEVICE f32 add_up(f32 (&product)[lane_products]) const {
    KG_UNROLL for (u32 kept = lane_products / 2; kept > 0; kept /= 2) {
      const bool upper = (group.rank & kept) != 0;
      KG_UNROLL for (u32 i = 0; i < kept; ++i) {
        // Selects by value: selecting by index would place the products in memory.
        const f32 low = product[i], high = product[i + kept];
        product[i] = (upper ? high : low) + lane_xor(group, upper ? low : high, kept);
      }
    }
    for (u32 mask = lane_products; mask < group.size; mask *= 2)
      product[0] += lane_xor(group, product[0], mask);
    return product[0];
  }

  /// Turns this lane's product of each batch into a logit; -inf if the row does not see the key.
  KG_DEVICE void make_logits(f32 (&s)[batches], u32 first, u32 left, u32 bad_page_keys) const {
    KG_UNROLL for (u32 b = 0; b < batches; ++b) {
      const u32 i = b * batch_keys + slot / R, in_step = stream + i * streams, j = first + in_step;
      const bool is_seen = in_step < left && j >= key_begin && j < key_end && (bad_page_keys >> i & 1) == 0;
      s[b] = is_seen ? head.logit(s[b], query, j) : negative_infinity();
    }
  }

  /// Adds the weighted values to the sums.
  KG_DEVICE void add_values(const f32 (&s)[batches]) {
    f32 top = state.row_max;
    bool all_seen = true;
    KG_UNROLL for (u32 b = 0; b < batches; ++b) {
      top = higher(top, s[b]);
      all_seen = all_seen && (s[b] != negative_infinity() || key_begin == no_row);
    }
    KG_UNROLL for (u32 mask = R; mask < lane_products; mask *= 2) top =
        higher(top, lane_xor(group, top, mask));
    f32 weight[batches];
    const f32 factor = attention_decay(state.row_max, top);
    state = {top, state.row_sum * factor};
    KG_UNROLL for (u32 b = 0; b < batches; ++b) {
      weight[b] = attention_decay(s[b], top);
      state.row_sum += weight[b];
    }
    scale(factor);
    if (native::ballot(!all_seen) != 0) add_nonfinite(weight);
    // Uses separate partial sums if the registers suffice.
    constexpr bool apart = R <= 2;
    f32 added[R][lane_elements] = {};
    f32(&to)[R][lane_elements] = apart ? added : sum;
    KG_UNROLL for (u32 i = 0; i < keys; ++i) {
      f32 value[lane_elements];
      widen_key(v[i], value);
      KG_UNROLL for (u32 r = 0; r < R; ++r) {
        const f32 w = weight_of(weight, i, r);
        KG_UNROLL for (u32 e = 0; e < lane_elements; ++e) to[r][e] = native::fma(w, value[e], to[r][e]);
      }
      sched_barrier();
    }
    if constexpr (apart) {
      KG_UNROLL for (u32 r = 0; r < R; ++r) {
        KG_UNROLL for (u32 e = 0; e < lane_elements; ++e) sum[r][e] += added[r][e];
      }
    }
  }
  /// Non-finite values of keys that not every row sees are added only to the rows that see them, and then
  /// zeroed.
  KG_DEVICE void add_nonfinite(const f32 (&weight)[batches]) {
    KG_UNROLL for (u32 i = 0; i < keys; ++i) {
      f32 value[lane_elements];
      widen_key(v[i], value);
      u32 largest = 0;
      KG_UNROLL for (u32 e = 0; e < lane_elements; ++e) largest =
          magnitude(value[e]) > largest ? magnitude(value[e]) : largest;
      if (native::ballot(largest >= infinity) == 0) continue;
      KG_UNROLL for (u32 r = 0; r < R; ++r) {
        const f32 w = weight_of(weight, i, r);
        KG_UNROLL for (u32 e = 0; e < lane_elements; ++e) {
          if (w != 0 && magnitude(value[e]) >= infinity) sum[r][e] = native::fma(w, value[e], sum[r][e]);
        }
        sched_barrier();
      }
      KG_UNROLL for (u32 p = 0; p < pieces; ++p) {
        const Held piece = v[i][p];
        v[i][p] = {};
        KG_UNROLL for (u32 e = 0; e < W; ++e) {
          if (magnitude(value[p * W + e]) < infinity)
            v[i][p].set(static_cast<int>(e), piece.get(static_cast<int>(e)));
          if (e % 4 == 3) sched_barrier();
        }
      }
      sched_barrier();
    }
  }
  /// A finite x has a magnitude less than `infinity`.
  static KG_DEVICE u32 magnitude(f32 x) { return bit_cast<u32>(x) & 0x7fffffffu; }
  static constexpr u32 infinity = 0x7f800000;
  KG_DEVICE f32 weight_of(const f32 (&weight)[batches], u32 i, u32 r) const {
    return from_slot(weight[i / batch_keys], i % batch_keys * R + r);
  }
  /// Multiplies each row's sums by its slot's factor.
  KG_DEVICE void scale(f32 factor) {
    KG_UNROLL for (u32 r = 0; r < R; ++r) {
      const f32 of_row = from_slot(factor, r);
      KG_UNROLL for (u32 e = 0; e < lane_elements; ++e) sum[r][e] *= of_row;
    }
  }
};

}  // namespace kg::detail
