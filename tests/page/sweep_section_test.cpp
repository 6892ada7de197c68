#include "page/sweep_section.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "store/schedule_json.hpp"
#include "support/error_message.hpp"

using namespace tilewright;

namespace {

Sweep made_up() {
  return {.subject = "grid 8x8, factor {factor}",
          .parameter = "factor",
          .at = {1, 2, 4, 8},
          .why_not = {"", "no such factor", "", ""},
          .numbers = {{"dram_read_bytes", {4e9, std::nullopt, 2.5e9, 3e9}},
                      {"waves", {3, std::nullopt, 3, 3}}}};
}

}  // namespace

TEST_CASE("a sweep reads back as it was written") {
  const Sweep sweep = made_up();
  const Sweep read = read_sweep(sweep_json(sweep), "s.json");
  CHECK(sweep_json(read) == sweep_json(sweep));
  CHECK(read.why_not == sweep.why_not);
  for (size_t i = 0; i < sweep.numbers.size(); ++i) {
    CHECK(read.numbers[i].values == sweep.numbers[i].values);
  }
}

TEST_CASE("each value of the parameter has a row, and the verdict names the extremes") {
  const PageSection section = sweep_section(made_up(), "s.json");
  CHECK(section.verdict ==
        "dram_read_bytes is smallest, 2.50 GB, at factor 4 and largest, 4.00 GB, at 1.");
  CHECK(section.notes.back() == "waves is 3 everywhere.");
  REQUIRE(section.rows.size() == 4);
  for (const PageRow& row : section.rows) REQUIRE(row.cells.size() == section.columns.size());
  CHECK(section.rows[2].cells[0].value == 4.0);
  CHECK(section.rows[2].cells[1].value == 2.5e9);
  CHECK_FALSE(section.rows[1].cells[1].value);
  CHECK(section.rows[1].cells[3].text == "no such factor");
}

TEST_CASE("a file that no sweep wrote is refused") {
  using testing::contains;
  using testing::error_message_of;
  for (const char* const text :
       {"", "[1]", "{}", R"({"subject":"s","parameter":"p","points":[{"p":"x"}]})",
        R"({"subject":"s","parameter":"p","points":[{"q":1}]})",
        R"({"subject":"s","parameter":"p","points":[{"p":1}]})", R"({"points":7})",
        R"({"subject":"s","parameter":"p","points":[{"p":2,"n":1},{"p":1,"n":1}]})",
        R"({"subject":"s","parameter":"p","points":[{"p":1,"n":"one"}]})"}) {
    CAPTURE(text);
    CHECK(contains(error_message_of([text] { read_sweep(text, "s.json"); }), "s.json"));
  }
}
