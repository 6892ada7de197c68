// Finds the function that a caller would have reached without the shim.
#pragma once

#include <atomic>

namespace tilewright {

/// A function of the libraries by its name, and what it is for each place of the programs that
/// calls it: two copies of a library in one process keep apart. A static object of zeros is ready.
class RealFunction {
 public:
  constexpr explicit RealFunction(const char* name) : name_(name) {}

  /// The function for code at this address: a caller's, or another function of the same library.
  /// Null where no library has it.
  void* at(const void* caller);

 private:
  struct Site {
    std::atomic<const void*> caller;
    std::atomic<void*> function;
  };
  static constexpr unsigned kMaxSites = 64;

  const char* name_;
  Site sites_[kMaxSites] = {};
};

}  // namespace tilewright
