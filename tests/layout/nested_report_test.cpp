#include "layout/text/nested_report.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "layout/text/layout_expression.hpp"
#include "layout/text/layout_report.hpp"
#include "stats/random.hpp"

namespace tilewright {
namespace {

// One element for each of 4x2 subgroups of one thread.
NestedLayout eight_subgroups() {
  return {.subgroup_tile = {4, 2},
          .batch_tile = {1, 1},
          .outer_tile = {1, 1},
          .thread_tile = {1, 1},
          .element_tile = {1, 1},
          .subgroup_strides = {1, 4},
          .thread_strides = {0, 0}};
}

bool has_lint(const NestedReport& report, std::string_view code) {
  for (const NestedLint& lint : report.lint) {
    if (lint.code == code) return true;
  }
  return false;
}

// The documented inverse gives half the subgroups two elements each, the forward map one.
TEST_CASE("with fewer subgroups than the layout has, ids repeat and elements stay uncovered") {
  const NestedReport report =
      report_nested(eight_subgroups(), {.subgroup_size = 1, .subgroups = 4}, std::nullopt);
  CHECK(report.subgroup_ids == std::vector<int64_t>{0, 0, 1, 1, 2, 2, 3, 3});
  CHECK(report.uncovered == 4);
  CHECK(has_lint(report, "uncovered"));
  CHECK(!has_lint(report, "replicated"));
}

TEST_CASE("with more threads than the layout has, elements are replicated") {
  const NestedReport report =
      report_nested(eight_subgroups(), {.subgroup_size = 2, .subgroups = 8}, std::nullopt);
  CHECK(report.replicated == 8);
  CHECK(report.uncovered == 0);
  CHECK(has_lint(report, "replicated"));
}

TEST_CASE("a dimension whose stride is 0 is not distributed") {
  NestedLayout layout = eight_subgroups();
  layout.subgroup_strides = {1, 0};
  const NestedReport report = report_nested(layout, {}, std::nullopt);
  CHECK(report.workgroup == Workgroup{1, 8});
  CHECK(report.uncovered == 4);
  CHECK(report.replicated == 4);
}

TEST_CASE("the layout's own workgroup has no warnings; a thread outside it is refused") {
  const NestedReport report = report_nested(eight_subgroups(), {}, 5);
  CHECK(report.lint.empty());
  REQUIRE(report.thread);
  CHECK(report.thread->at.subgroup == Extents{1, 1});
  CHECK(report.thread->elements == std::vector<Extents>{{1, 1}});
  CHECK_THROWS_AS(report_nested(eight_subgroups(), {}, 8), Error);
  CHECK_THROWS_AS(report_nested(eight_subgroups(), {.subgroup_size = 65536, .subgroups = 2}, {}),
                  Error);
}

// 16 virtual threads over subgroups of 8: the compiler's thread 8 is virtual thread 8, the
// documentation's is 0 again.
TEST_CASE("a subgroup that ends within the thread tile gets a warning and the compiler's ids") {
  NestedLayout layout = eight_subgroups();
  layout.subgroup_tile = {1, 2};
  layout.subgroup_strides = {0, 1};
  layout.thread_tile = {16, 1};
  layout.thread_strides = {1, 0};
  const NestedReport report = report_nested(layout, {.subgroup_size = 8, .subgroups = 2}, 8);
  CHECK(has_lint(report, "thread-ids"));
  CHECK(report.thread->at.thread == Extents{8, 0});
  CHECK(report.thread->elements == std::vector<Extents>{{8, 1}});
  CHECK(report.cute == "((8,2),1):((1,24),0)");  // thread 8 holds element 8 + 16 of 16 x 2
  CHECK_THROWS_AS(slice_of_subgroup(report, 1), Error);
  const NestedReport whole = report_nested(layout, {.subgroup_size = 16, .subgroups = 2}, 16);
  CHECK(!has_lint(whole, "thread-ids"));
  CHECK(whole.thread->at.thread == Extents{0, 0});
  CHECK_NOTHROW(slice_of_subgroup(whole, 1));
}

TEST_CASE("the levels list the requested thread at the position of its elements") {
  // Thread tiles of 32 over subgroups of 16 end within, of 16 and 32 they do not.
  for (const int64_t size : {16, 32}) {
    for (const Extents& tile : {Extents{8, 4}, Extents{4, 4}}) {
      NestedLayout layout = eight_subgroups();
      layout.subgroup_tile = {2, 1};
      layout.subgroup_strides = {1, 0};
      layout.thread_tile = tile;
      layout.thread_strides = {4, 1};
      for (int64_t thread = 0; thread < 2 * size; ++thread) {
        const NestedReport report =
            report_nested(layout, {.subgroup_size = size, .subgroups = 2}, thread);
        const NestedLevels levels = levels_of(report);
        CHECK(
            std::any_of(levels.threads.begin(), levels.threads.end(), [&](const NestedLevel& one) {
              return one.id % size == thread % size && one.virtual_id == report.thread->at.thread;
            }));
      }
    }
  }
}

// Strides that form a mixed radix with gaps in it, or 0; dimensions in a random order.
Extents random_strides(const Extents& tile, Random& random) {
  Extents strides(tile.size());
  int64_t reached = 1;
  const size_t first = random.below(static_cast<uint32_t>(tile.size()));
  for (size_t i = 0; i < tile.size(); ++i) {
    const size_t d = (first + i) % tile.size();
    if (random.below(6) == 0) continue;
    strides[d] = reached << random.below(3);
    reached = strides[d] * tile[d];
  }
  return strides;
}

NestedLayout gapped_layout(Random& random) {
  const size_t rank = 1 + random.below(2);
  const auto tile = [&](bool odd) {
    Extents extents;
    for (size_t d = 0; d < rank; ++d) {
      const int64_t power = int64_t{1} << random.below(3);
      extents.push_back(odd && random.below(6) == 0 ? 3 : power);
    }
    return extents;
  };
  NestedLayout layout{.subgroup_tile = tile(true),
                      .batch_tile = tile(false),
                      .outer_tile = tile(false),
                      .thread_tile = tile(true),
                      .element_tile = tile(false),
                      .subgroup_strides = {},
                      .thread_strides = {}};
  layout.subgroup_strides = random_strides(layout.subgroup_tile, random);
  layout.thread_strides = random_strides(layout.thread_tile, random);
  return layout;
}

// The virtual ids by the dialect's rule, (id / stride) % tile, 0 where the stride is 0.
Extents virtual_of(int64_t id, const Extents& tile, const Extents& strides) {
  Extents at;
  for (size_t d = 0; d < tile.size(); ++d) {
    at.push_back(strides[d] == 0 ? 0 : id / strides[d] % tile[d]);
  }
  return at;
}

// True if each virtual id whose undistributed dimensions are 0 belongs to an id below `count`.
bool reaches_all(int64_t count, const Extents& tile, const Extents& strides) {
  std::vector<Extents> found;
  for (int64_t id = 0; id < count; ++id) found.push_back(virtual_of(id, tile, strides));
  for (int64_t i = 0; i < volume(tile); ++i) {
    Extents at = row_major_coordinate(tile, i);
    for (size_t d = 0; d < tile.size(); ++d) at[d] = strides[d] == 0 ? 0 : at[d];
    if (std::find(found.begin(), found.end(), at) == found.end()) return false;
  }
  return true;
}

// The positions, first dimension fastest, of each pair of a virtual subgroup and a virtual thread.
using Holdings = std::map<std::pair<Extents, Extents>, std::vector<int64_t>>;
Holdings holdings_of(const NestedLayout& l) {
  Holdings holdings;
  const Extents shape = vector_shape(l);
  Extents subgroup(shape.size());
  Extents thread(shape.size());
  for (int64_t index = 0; index < volume(shape); ++index) {
    int64_t rest = index;
    for (size_t d = 0; d < shape.size(); ++d) {
      const int64_t tile = rest % shape[d] / l.element_tile[d];
      rest /= shape[d];
      thread[d] = tile % l.thread_tile[d];
      subgroup[d] = tile / l.thread_tile[d] / l.outer_tile[d] / l.batch_tile[d];
    }
    holdings[{subgroup, thread}].push_back(index);
  }
  return holdings;
}

// The positions that a thread holds, from the digits of its ids.
const std::vector<int64_t>& positions_held(const Holdings& holdings, const NestedLayout& l,
                                           int64_t thread, int64_t subgroup_size) {
  return holdings.at({virtual_of(thread / subgroup_size, l.subgroup_tile, l.subgroup_strides),
                      virtual_of(thread, l.thread_tile, l.thread_strides)});
}

// The offsets of a layout's mode at all its indices.
std::vector<int64_t> offsets_of(const Layout& layout, size_t mode_index) {
  const Layout part = mode(layout, mode_index);
  std::vector<int64_t> offsets;
  for (int64_t i = 0; i < size(part); ++i) offsets.push_back(offset_at(part, i));
  return offsets;
}

// True if each thread of a layout of threads and values holds the positions that `held` has for it.
template <typename Held>
bool holds_as(const Layout& threads_and_values, int64_t threads, const Held& held) {
  const std::vector<int64_t> begins = offsets_of(threads_and_values, 0);
  std::vector<int64_t> values = offsets_of(threads_and_values, 1);
  std::sort(values.begin(), values.end());
  for (int64_t thread = 0; thread < threads; ++thread) {
    const std::vector<int64_t>& expected = held(thread);
    const auto is_at = [&](int64_t value, int64_t position) {
      return begins.at(static_cast<size_t>(thread)) + value == position;
    };
    if (!std::equal(values.begin(), values.end(), expected.begin(), expected.end(), is_at)) {
      return false;
    }
  }
  return true;
}

TEST_CASE("the default subgroup is the smallest power of two that holds every virtual thread") {
  Random random(54);
  for (int round = 0; round < 400; ++round) {
    const NestedLayout layout = gapped_layout(random);
    CAPTURE(to_string(layout));
    int64_t size = 1;
    while (size < volume(layout.thread_tile) ||
           !reaches_all(size, layout.thread_tile, layout.thread_strides)) {
      size *= 2;
    }
    int64_t subgroups = volume(layout.subgroup_tile);
    while (!reaches_all(subgroups, layout.subgroup_tile, layout.subgroup_strides)) ++subgroups;
    const NestedReport report = report_nested(layout, {}, std::nullopt);
    REQUIRE(report.workgroup.subgroup_size == size);
    // The last virtual subgroup may come before the end of its stride.
    REQUIRE(report.workgroup.subgroups >= subgroups);
    REQUIRE(reaches_all(report.workgroup.subgroups, layout.subgroup_tile, layout.subgroup_strides));
    CHECK(report.size_from_strides);
    for (size_t i = 0; i < report.thread_ids.size(); ++i) {
      Extents at = row_major_coordinate(layout.thread_tile, static_cast<int64_t>(i));
      for (size_t d = 0; d < at.size(); ++d) at[d] = layout.thread_strides[d] == 0 ? 0 : at[d];
      REQUIRE(report.thread_ids[i] < size);
      REQUIRE(virtual_of(report.thread_ids[i], layout.thread_tile, layout.thread_strides) == at);
    }
    const int64_t threads = size * report.workgroup.subgroups;
    std::vector<int64_t> counts(report.owners.size());
    const bool has_cute = report.cute.rfind("none", 0) != 0;
    const bool has_triton = report.triton.rfind("none", 0) != 0;
    const Layout cute = has_cute ? parse_layout(report.cute).layout : Layout{};
    const Layout triton =
        has_triton ? as_layout(read_layout(report.triton), "linear").layout : Layout{};
    // A layout of Triton holds all elements.
    CHECK((report.uncovered == 0 || !has_triton));
    const Holdings holdings = holdings_of(layout);
    const auto held = [&](int64_t thread) -> const std::vector<int64_t>& {
      return positions_held(holdings, layout, thread, size);
    };
    for (int64_t thread = 0; thread < threads; ++thread) {
      for (const int64_t index : held(thread)) ++counts[static_cast<size_t>(index)];
    }
    if (has_cute) REQUIRE(holds_as(cute, threads, held));
    if (has_triton) REQUIRE(holds_as(triton, threads, held));
    CHECK(report.uncovered == std::count(counts.begin(), counts.end(), 0));
    CHECK(report.replicated ==
          std::count_if(counts.begin(), counts.end(), [](int64_t count) { return count > 1; }));
  }
}

TEST_CASE("strides with gaps ask for more threads than the thread tile has") {
  NestedLayout layout{.subgroup_tile = {4},
                      .batch_tile = {1},
                      .outer_tile = {1},
                      .thread_tile = {4},
                      .element_tile = {4},
                      .subgroup_strides = {1},
                      .thread_strides = {16}};
  const NestedReport report = report_nested(layout, {}, std::nullopt);
  CHECK(report.workgroup == Workgroup{64, 4});
  CHECK(report.thread_ids == std::vector<int64_t>{0, 16, 32, 48});
  CHECK(report.uncovered == 0);
  CHECK(report.cute == "((16,4,4),4):((0,4,16),1)");
  const Layout read = as_layout(read_layout(to_string(layout)), "the attribute").layout;
  CHECK(to_string(read) == report.cute);
  const NestedReport asked = report_nested(layout, {.subgroup_size = 4, .subgroups = 0}, {});
  CHECK(asked.workgroup == Workgroup{4, 4});
  CHECK(asked.uncovered == 48);
  CHECK(!asked.size_from_strides);
  layout.subgroup_strides = {4};
  CHECK(report_nested(layout, {}, {}).subgroup_ids == std::vector<int64_t>{0, 4, 8, 12});
}

TEST_CASE("odd combinations get warnings") {
  CHECK(has_lint(report_nested(eight_subgroups(), {.subgroup_size = 1, .subgroups = 3}, {}),
                 "subgroups"));
  NestedLayout layout = eight_subgroups();
  layout.thread_strides = {1, 0};
  CHECK(has_lint(report_nested(layout, {}, {}), "stride"));
}

}  // namespace
}  // namespace tilewright
