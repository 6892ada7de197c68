// GPUs of this host that reach each other's memory.
#pragma once

#include <cstddef>
#include <vector>

namespace tilewright {

/// Lets kernels on `on` access the memory of `of`, two CUDA devices of this process; it stays so.
/// Throws an environment error where they cannot.
void map_memory(int of, int on);

class PeerGroup {
 public:
  /// Maps the memory of every GPU on every other one; it stays mapped. Ranks may share a GPU that
  /// holds all of their CTAs at once. Throws an environment error where two GPUs cannot reach each
  /// other.
  explicit PeerGroup(std::vector<int> devices);

  int size() const { return static_cast<int>(devices_.size()); }
  /// The CUDA device of a rank.
  int device(int rank) const { return devices_[static_cast<size_t>(rank)]; }

 private:
  std::vector<int> devices_;
};

}  // namespace tilewright
