#include "layout/text/nested_report.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/error.hpp"

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

TEST_CASE("odd combinations get warnings") {
  CHECK(has_lint(report_nested(eight_subgroups(), {.subgroup_size = 1, .subgroups = 3}, {}),
                 "subgroups"));
  NestedLayout layout = eight_subgroups();
  layout.thread_strides = {1, 0};
  CHECK(has_lint(report_nested(layout, {}, {}), "stride"));
}

}  // namespace
}  // namespace tilewright
