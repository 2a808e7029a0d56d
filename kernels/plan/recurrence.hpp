#pragma once
/// Division of linear recurrences into work and the arguments of their kernels, shared by kernels and their caller.
namespace kg {

/// Strides in elements of a vector for each token and head. If `heads` is not 0, head h reads the vector
/// (h / heads) · group + (h % heads) · head.
struct RecurrenceVectors {
  long long token, head, group;
  unsigned heads;
  unsigned step;  ///< 1, or 0 if all elements of a vector are one number
};

/// Extents and strides of a call.
struct RecurrenceShape {
  unsigned sequences, tokens, heads, rows, width;
  unsigned group;        ///< threads that share a row; tiles know it
  unsigned tile_tokens;  ///< tokens that a tile stages at a time
  unsigned
      span;  ///< consecutive rows of a sequence that have q and k in common: `rows`, or those of all heads
  unsigned vector_packs;  ///< 1 if all vectors consist of aligned packs of 4 elements
  unsigned state_packs;   ///< the same of the states' rows
  unsigned rate_step;     ///< 1, or 0 if a head has one rate
  unsigned discretize;    ///< 1: decay is softplus(decay), and v is multiplied by it
  unsigned id_type;       ///< IdType of the ids of the states before the first token
  float scale;
  long long row_step, element_step;  ///< strides between rows of a state and between elements of a row
  unsigned long long states;         ///< those before the first token that ids select from
  RecurrenceVectors q, k, v, decay, a, b;
};

/// Most elements of a row of a state.
inline constexpr unsigned recurrence_widest = 2048;

/// Elements of a row that a GPU thread holds in registers, except in tiles.
inline constexpr unsigned recurrence_each = 8;

/// Threads of a GPU that share a row, a power of two, except in tiles.
template <class Count>
constexpr unsigned recurrence_group(Count width) {
  unsigned group = 1;
  while (static_cast<Count>(group) * recurrence_each < width) group *= 2;
  return group;
}

/// Tokens, elements of vectors, and numbers of each kind for tokens and rows, that a tile stages at most. With asynchronous copies
/// half of the elements are computed with while the others arrive.
inline constexpr unsigned recurrence_staged_tokens = 16, recurrence_staged_elements = 4096,
                          recurrence_staged_numbers = 1024;

}  // namespace kg
