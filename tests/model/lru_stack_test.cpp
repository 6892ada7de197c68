#include "model/lru_stack.hpp"

#include <doctest/doctest.h>

#include <list>
#include <utility>

#include "stats/random.hpp"

namespace tilewright {
namespace {

constexpr int64_t kNameless = -1;

// A reference implementation: a list that is searched from the newest block on.
class SearchedStack {
 public:
  explicit SearchedStack(std::vector<int64_t> bounds) : bounds_(std::move(bounds)) {}

  // The class of the block's depth: bytes of the blocks above it and of itself.
  size_t depth_class(int64_t block) const {
    int64_t bytes = 0;
    for (const auto& held : blocks_) {
      bytes += held.second;
      if (held.first != block) continue;
      size_t cls = 0;
      while (cls < bounds_.size() && bytes > bounds_[cls]) ++cls;
      return cls;
    }
    return bounds_.size();
  }

  size_t use(int64_t block, int64_t bytes) {
    const size_t before = block == kNameless ? bounds_.size() : depth_class(block);
    if (block != kNameless)
      blocks_.remove_if([&](const auto& held) { return held.first == block; });
    blocks_.emplace_front(block, bytes);
    return before;
  }

 private:
  std::vector<int64_t> bounds_;
  std::list<std::pair<int64_t, int64_t>> blocks_;
};

TEST_CASE("depth classes equal those of a searched list, for any sequence of uses") {
  Random random(3);
  for (int round = 0; round < 40; ++round) {
    const std::vector<int64_t> bounds = {40 + random.below(60), 150, 200 + random.below(200), 900};
    const uint32_t count = 2 + random.below(40);
    LruStack stack(count, bounds);
    SearchedStack expected(bounds);
    std::vector<int64_t> sizes;
    for (uint32_t i = 0; i < count; ++i) sizes.push_back(1 + random.below(40));
    for (int i = 0; i < 400; ++i) {
      // Often several in a row, and sometimes one that is larger than every bound.
      if (random.below(3) == 0) {
        const int64_t bytes = random.below(50) == 0 ? 1000 : random.below(40);
        stack.use_once(bytes);
        expected.use(kNameless, bytes);
        continue;
      }
      const uint32_t block = random.below(count);
      const int64_t size = sizes[block];
      CHECK(stack.depth_class(block) == expected.depth_class(block));
      CHECK(stack.use(block, size) == expected.use(block, size));
    }
  }
}

TEST_CASE("the newest block stays on top, however large; a block below the bounds is gone") {
  LruStack stack(3, {10, 20});
  CHECK(stack.use(0, 50) == 2);  // never used
  CHECK(stack.use(0, 50) == 0);
  stack.use(1, 5);
  CHECK(stack.depth_class(0) == 2);
  CHECK(stack.depth_class(1) == 0);
  stack.use(2, 6);
  CHECK(stack.depth_class(1) == 1);
}

}  // namespace
}  // namespace tilewright
