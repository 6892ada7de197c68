// Arguments and constants of the kernel that finishes a product of a library.
#pragma once

#include "map/element_type.cuh"
#include "map/epilogue.cuh"

namespace tw {

/// Compile-time constants: the types, and the part of the epilogue that the library lacks.
struct ElementwiseParams {
  ElementType sums = ElementType::BF16;     // the product as the library stored it
  ElementType element = ElementType::BF16;  // of the bias
  ElementType output = ElementType::BF16;
  EpilogueParams epilogue = {};  // without C and alpha
  bool operator==(const ElementwiseParams&) const = default;

  /// Elements of D that a thread computes at once: 16 bytes of 16-bit sums.
  static constexpr int kVector = 8;
  /// Vectors of a thread, whose loads are all in flight at once.
  static constexpr int kVectors = 4;
  static constexpr int kThreads = 256;

  /// Calls visit(name, value) for every constant, in order; the host writes a kernel's text from
  /// these calls.
  template <class Visit>
  constexpr void for_each_constant(Visit visit) const {
    visit("sums", sums);
    visit("element", element);
    visit("output", output);
    visit("epilogue", epilogue);
  }
};

/// Run-time arguments; the rows of the sums and of D are tight. In a gated kernel the sums have
/// twice D's columns. D may lie where the sums are, if the elements have equal sizes.
struct ElementwiseArgs {
  const void* sums = nullptr;  // 16-byte aligned, like D
  void* d = nullptr;
  long long rows = 0;
  long long columns = 0;  // of D
  EpilogueArgs epilogue;
};

}  // namespace tw
