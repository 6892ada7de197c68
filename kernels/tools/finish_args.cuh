// Arguments and constants for turning a sum into an element of D.
#pragma once

#include "map/element_type.cuh"
#include "map/epilogue.cuh"

namespace tw {

/// Run-time arguments; D and C are m x n, D of a gated epilogue m x n / 2.
struct FinishArgs {
  EpilogueArgs epilogue;
  void* d = nullptr;
  long long ldd = 0;  // elements between its rows
  int n = 0;          // columns of the sums
};

/// Compile-time constants: the types and the epilogue.
struct FinishParams {
  ElementType element = ElementType::BF16;  // of C and the bias
  ElementType output = ElementType::BF16;
  EpilogueParams epilogue = {};
  bool operator==(const FinishParams&) const = default;

  /// Calls visit(name, value) for every constant, in order; the host writes a kernel's text from
  /// these calls.
  template <class Visit>
  constexpr void for_each_constant(Visit visit) const {
    visit("element", element);
    visit("output", output);
    visit("epilogue", epilogue);
  }

  constexpr int output_bytes() const { return bytes_of(output); }
};

}  // namespace tw
