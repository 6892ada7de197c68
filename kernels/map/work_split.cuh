// How a tile's main loop is divided: slices of split-K, and stream-K's even shares.
//
// K is counted in k-steps, each one CTA tile deep. Host and kernels call the same arithmetic.
#pragma once

namespace tw {

/// Steps or tiles [begin, end).
template <class Index>
struct Span {
  Index begin = 0;
  Index end = 0;
  bool operator==(const Span&) const = default;
  constexpr Index size() const { return end - begin; }
};

/// Part `part` of `total` in `parts` parts; sizes differ by one at most, the larger first.
template <class Index>
constexpr Span<Index> even_share(Index total, Index parts, Index part) {
  const Index least = total / parts;
  const Index larger = total % parts;
  const Index before = part < larger ? part : larger;
  const Index begin = part * least + before;
  return {begin, begin + least + (part < larger ? 1 : 0)};
}

/// The number of slices that get at least one k-step.
constexpr int useful_slices(int k_steps, int slices) {
  return slices < k_steps ? slices : k_steps;
}

/// How tiles are divided along k.
enum class Division : int { None, SplitK, StreamK };

/// Which tiles stream-K divides by k-steps; the others stay whole.
enum class StreamKVariant : int {
  TwoTile,  // the ragged last wave and the full one before it: one to two tiles' steps per worker
  OneTile,  // the ragged last wave: less than one tile's steps per worker
  All,      // every tile
};

/// The number of leading tiles of `tiles` that stream-K divides when `workers` run at once; 0 where
/// the waves are full.
template <class Index>
constexpr Index stream_k_tile_count(StreamKVariant variant, Index tiles, Index workers) {
  if (variant == StreamKVariant::All) return tiles;
  const Index ragged = tiles % workers;
  if (ragged == 0 || variant == StreamKVariant::OneTile || tiles < workers) return ragged;
  return ragged + workers;
}

}  // namespace tw
