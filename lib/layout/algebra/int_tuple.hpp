// Nested tuples of integers, for the shapes, strides and coordinates of layouts: 8, (8,64),
// ((2,4),3).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tilewright {

/// An integer, an integer times a basis vector ("2@1", a stride of coordinate layouts), or a tuple
/// of these.
class IntTuple {
 public:
  IntTuple() = default;                       // the integer 0
  IntTuple(int64_t value) : value_(value) {}  // NOLINT(google-explicit-constructor)
  explicit IntTuple(std::vector<IntTuple> items) : items_(std::move(items)), is_tuple_(true) {}
  /// `value` times the basis vector of mode path[0], inside it of mode path[1], and so on.
  static IntTuple scaled_basis(int64_t value, std::vector<int> path);

  bool is_tuple() const { return is_tuple_; }
  bool is_basis() const { return !basis_.empty(); }
  /// Only for an integer or a scaled basis vector.
  int64_t value() const { return value_; }
  /// Empty for a plain integer.
  const std::vector<int>& basis() const { return basis_; }
  /// Only for a tuple.
  const std::vector<IntTuple>& items() const { return items_; }
  /// Modes: the items of a tuple, 1 for an integer.
  size_t rank() const { return is_tuple_ ? items_.size() : 1; }
  /// Mode i; an integer is its own mode 0.
  const IntTuple& operator[](size_t i) const { return is_tuple_ ? items_[i] : *this; }
  bool operator==(const IntTuple&) const = default;

 private:
  int64_t value_ = 0;
  std::vector<int> basis_;
  std::vector<IntTuple> items_;
  bool is_tuple_ = false;
};

/// The deepest nesting and the largest number of integers in texts and results.
inline constexpr int kMaxDepth = 32;
inline constexpr int64_t kMaxLeaves = 4096;

/// a + b and a * b; throw a usage error if the result does not fit in 64 bits.
int64_t checked_add(int64_t a, int64_t b);
int64_t checked_mul(int64_t a, int64_t b);
/// |a|; throws a usage error for the least integer, which has none.
int64_t checked_abs(int64_t a);

/// The product of all integers, checked.
int64_t product(const IntTuple& tuple);
/// 0 for an integer, else 1 + the deepest item.
int depth(const IntTuple& tuple);
int64_t leaf_count(const IntTuple& tuple);
/// The integers (and scaled basis vectors) from left to right.
std::vector<IntTuple> leaves(const IntTuple& tuple);
/// True if both have the same nesting; the integers may differ.
bool congruent(const IntTuple& a, const IntTuple& b);
/// True if a stride is a scaled basis vector.
bool has_basis(const IntTuple& tuple);
/// Replaces every integer (or scaled basis vector) x by f(x); the nesting stays.
IntTuple map_leaves(const IntTuple& tuple, const std::function<IntTuple(const IntTuple&)>& f);
/// A single item itself, or several as a flat tuple.
IntTuple unwrap(std::vector<IntTuple> items);
/// The product of each mode; an integer stays one.
IntTuple product_each(const IntTuple& tuple);
/// Tuple by integer: passes the rest of the divisor from mode to mode. Tuple by tuple: mode by
/// mode; missing modes of `b` are 1.
IntTuple ceil_div(const IntTuple& a, const IntTuple& b);

/// "((2,4),3)", basis vectors innermost mode first: "1@1@0".
std::string to_string(const IntTuple& tuple);

}  // namespace tilewright
