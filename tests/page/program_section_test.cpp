#include "page/program_section.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/error_message.hpp"

namespace tilewright {
namespace {

using testing::contains;

Workload product_of(int64_t m) {
  return {.kind = {}, .shapes = {{m, 64, 64}}};
}

TuneEntry entry_of(int64_t m, double library_us, double ours_us) {
  TuneEntry entry;
  entry.problem = product_of(m);
  Timing timing;
  timing.median_us = ours_us;
  entry.timing = timing;
  const double ratio = library_us / ours_us;
  ReferenceResult reference;
  reference.median_us = library_us;
  reference.ratio.ratio = ratio;
  reference.ratio.interval = {ratio, ratio};
  entry.reference = reference;
  return entry;
}

TEST_CASE("the library's loss is its time less the winner's, times the calls") {
  Artefact first;
  first.entries = {entry_of(64, 10, 8), entry_of(128, 10, 12)};
  Artefact second;
  second.entries = {entry_of(64, 100, 1), entry_of(256, 30, 20)};
  const auto products = program_products(
      {{product_of(64), 5}, {product_of(128), 7}, {product_of(256), 3}, {product_of(512), 9}},
      {first, second});
  REQUIRE(products.size() == 4);
  CHECK(lost_us(products[0]) == 10);  // by the first answer
  CHECK(lost_us(products[1]) == 0);   // the library wins
  CHECK(lost_us(products[2]) == 30);
  CHECK_FALSE(lost_us(products[3]));
  const PageSection section = program_section(products, "p.yaml");
  CHECK(section.rows.size() == 4);
  CHECK(
      section.verdict ==
      "24 calls of 4 products, 3 of them timed: the library's 210 us would be 40 us less with the "
      "winners, 19.0 %.");
  CHECK(section.rows[2].cells[4].value == 10);
  CHECK(section.rows[3].cells[5].text == "-");
}

TEST_CASE("predicted answers have no times to compare") {
  Artefact artefact;
  artefact.entries.emplace_back().problem = product_of(64);
  const PageSection section =
      program_section(program_products({{product_of(64), 5}}, {artefact}), "p.yaml");
  CHECK(contains(section.verdict, "no file here has times"));
}

}  // namespace
}  // namespace tilewright
