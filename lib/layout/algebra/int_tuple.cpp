#include "layout/algebra/int_tuple.hpp"

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "base/math.hpp"
#include "base/text.hpp"

namespace tilewright {

IntTuple IntTuple::scaled_basis(int64_t value, std::vector<int> path) {
  IntTuple leaf(value);
  leaf.basis_ = std::move(path);
  return leaf;
}

int64_t checked_add(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) {
    throw usage_error(format("integer overflow: {} + {} does not fit in 64 bits", a, b));
  }
  return sum;
}

int64_t checked_mul(int64_t a, int64_t b) {
  int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) {
    throw usage_error(format("integer overflow: {} * {} does not fit in 64 bits", a, b));
  }
  return result;
}

int64_t checked_abs(int64_t a) {
  if (a == std::numeric_limits<int64_t>::min()) {
    throw usage_error(format("integer overflow: |{}| does not fit in 64 bits", a));
  }
  return a < 0 ? -a : a;
}

int64_t product(const IntTuple& tuple) {
  if (!tuple.is_tuple()) return tuple.value();
  int64_t all = 1;
  for (const IntTuple& item : tuple.items()) all = checked_mul(all, product(item));
  return all;
}

int depth(const IntTuple& tuple) {
  if (!tuple.is_tuple()) return 0;
  int deepest = 0;
  for (const IntTuple& item : tuple.items()) deepest = std::max(deepest, depth(item));
  return deepest + 1;
}

int64_t leaf_count(const IntTuple& tuple) {
  if (!tuple.is_tuple()) return 1;
  int64_t count = 0;
  for (const IntTuple& item : tuple.items()) count += leaf_count(item);
  return count;
}

namespace {

void collect_leaves(const IntTuple& tuple, std::vector<IntTuple>& found) {
  if (!tuple.is_tuple()) {
    found.push_back(tuple);
    return;
  }
  for (const IntTuple& item : tuple.items()) collect_leaves(item, found);
}

}  // namespace

std::vector<IntTuple> leaves(const IntTuple& tuple) {
  std::vector<IntTuple> found;
  collect_leaves(tuple, found);
  return found;
}

bool congruent(const IntTuple& a, const IntTuple& b) {
  if (a.is_tuple() != b.is_tuple() || a.rank() != b.rank()) return false;
  if (!a.is_tuple()) return true;
  for (size_t i = 0; i < a.rank(); ++i) {
    if (!congruent(a[i], b[i])) return false;
  }
  return true;
}

bool has_basis(const IntTuple& tuple) {
  if (!tuple.is_tuple()) return tuple.is_basis();
  return std::any_of(tuple.items().begin(), tuple.items().end(),
                     [](const IntTuple& item) { return has_basis(item); });
}

IntTuple map_leaves(const IntTuple& tuple, const std::function<IntTuple(const IntTuple&)>& f) {
  if (!tuple.is_tuple()) return f(tuple);
  std::vector<IntTuple> items;
  items.reserve(tuple.rank());
  for (const IntTuple& item : tuple.items()) items.push_back(map_leaves(item, f));
  return IntTuple(std::move(items));
}

IntTuple unwrap(std::vector<IntTuple> items) {
  if (items.size() == 1) return items[0];
  return IntTuple(std::move(items));
}

IntTuple product_each(const IntTuple& tuple) {
  if (!tuple.is_tuple()) return tuple;
  std::vector<IntTuple> products;
  for (const IntTuple& item : tuple.items()) products.emplace_back(product(item));
  return IntTuple(std::move(products));
}

IntTuple ceil_div(const IntTuple& a, const IntTuple& b) {
  if (!a.is_tuple()) return ceil_div(a.value(), product(b));
  std::vector<IntTuple> quotients;
  if (b.is_tuple()) {
    for (size_t i = 0; i < a.rank(); ++i) {
      quotients.push_back(i < b.rank() ? ceil_div(a[i], b[i]) : a[i]);
    }
  } else {
    int64_t rest = b.value();
    for (const IntTuple& item : a.items()) {
      quotients.push_back(ceil_div(item, IntTuple(rest)));
      rest = ceil_div(rest, product(item));
    }
  }
  return IntTuple(std::move(quotients));
}

std::string to_string(const IntTuple& tuple) {
  if (!tuple.is_tuple()) {
    std::string text = format("{}", tuple.value());
    for (size_t i = tuple.basis().size(); i > 0; --i) text += format("@{}", tuple.basis()[i - 1]);
    return text;
  }
  std::vector<std::string> parts;
  for (const IntTuple& item : tuple.items()) parts.push_back(to_string(item));
  return format("({})", join(parts, ","));
}

}  // namespace tilewright
