// Mappings from files in the verbs; their costs equal those of the raster that printed them.
#include <doctest/doctest.h>

#include <filesystem>

#include "app/outcome.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "draw/grid_diagram.hpp"
#include "store/schedule_json.hpp"
#include "support/error_message.hpp"
#include "support/scenes.hpp"
#include "verbs/schedule_subject.hpp"
#include "verbs/subjects.hpp"
#include "verbs/sweep.hpp"
#include "verbs/verbs.hpp"

using namespace tilewright;
using testing::contains;
using testing::error_message_of;

namespace {

// A temporary file, removed by the destructor.
class Scratch {
 public:
  explicit Scratch(const std::string& content)
      : path_(std::filesystem::temp_directory_path() /
              format("tilewright_given_{}.txt", static_cast<const void*>(this))) {
    write_file(path_, content);
  }
  ~Scratch() {
    std::filesystem::remove(path_);
    std::filesystem::remove(picture());
  }
  std::string path() const { return path_.string(); }
  std::string picture() const { return path_.string() + ".svg"; }

 private:
  std::filesystem::path path_;
};

}  // namespace

TEST_CASE("an order from a file costs what its raster costs") {
  for (const char* raster : {"row", "swizzle-merge:4", "split-merge:4", "morton"}) {
    GridOptions o;
    o.grid = "40x24";
    o.raster = raster;
    o.device = "h200";
    o.cta = "128x256x64";
    o.k = 4096;
    const GridReport ours = report_grid(read_grid_request(o));
    const std::vector<TileCoord> order = slot_order(ours);
    const Scratch file(grid_json(ours, &order));
    o.raster = "file:" + file.path();
    const GridReport read = report_grid(read_grid_request(o));
    CHECK(read.proof == ours.proof);
    CHECK(read.waves == ours.waves);
    CHECK(read.traffic == ours.traffic);
    o.cluster = "2x1";
    CHECK(contains(error_message_of([&] { report_grid(read_grid_request(o)); }), "omit --cluster"));
  }
}

TEST_CASE("options that a file of work replaces are refused; a raster may be compared with it") {
  const Scratch file("cta,m,n\n0,0,0\n1,0,1\n2,1,0\n3,1,1\n");
  ScheduleOptions o;
  o.problem = "256x256x256";
  o.cta = "128x128x64";
  o.device = "h200";
  o.from = file.path();
  CHECK(report_schedule(plan_schedule(read_schedule_request(o))).report.proof.complete);
  ScheduleOptions other = o;
  other.raster = "row";
  CHECK(contains(error_message_of([&] { read_schedule_request(other); }), "omit --raster"));
  other = o;
  other.decomposition = "split-k:2";
  CHECK(contains(error_message_of([&] { read_schedule_request(other); }), "stream-k:REDUCTION"));
  CHECK(with_changes(o, "raster=hilbert,ctas=4").from.empty());
  CHECK(with_changes(o, "device=a100").from == file.path());
  CHECK(changed_values(o, "raster=hilbert,ctas=4") == "from=" + file.path());
}

TEST_CASE("a broken order ends with 1 after its numbers or its picture, a whole one with 0") {
  struct Case {
    const char* rows;
    ExitCode code;
    const char* said;
  };
  constexpr Case kCases[] = {
      {"0,0\n0,1\n1,0\n1,1\n", ExitCode::Good, ""},
      {"slot,m,n\n0,0,0\n2,0,1\n3,1,0\n5,1,1\n", ExitCode::Good, ""},  // two empty slots
      {"0,0\n0,1\n1,0\n1,1\n9,9\n", ExitCode::Good, ""},               // one CTA too many
      {"0,0\n0,1\n1,0\n", ExitCode::No, "1 tile missing"},
      {"0,0\n0,1\n1,0\n1,1\n1,1\n", ExitCode::No, "1 slot has a tile again"},
      {"0,0\n0,0\n-3,1\n", ExitCode::No, "3 tiles missing, 1 slot has a tile again"}};
  for (const Case& c : kCases) {
    CAPTURE(c.rows);
    const Scratch file(c.rows);
    GridOptions o;
    o.grid = "2x2";
    o.raster = "file:" + file.path();
    o.order = true;
    const auto analyzed = testing::outcome_of([&](Console& console) {
      return print(run_analyze_grid(read_grid_request(o)), o.format, console);
    });
    CHECK(analyzed.code == c.code);
    CHECK(contains(analyzed.out, "slot"));
    CHECK(contains(analyzed.err, c.said));
    o.format = Format::Json;
    const auto json = testing::outcome_of([&](Console& console) {
      return print(run_analyze_grid(read_grid_request(o)), o.format, console);
    });
    CHECK(json.code == c.code);
    CHECK(contains(json.out, "\"raster\": \"file:"));
    CHECK_FALSE(contains(json.out, "[-"));  // a slot without a tile is null
    o.order = false;
    o.picture.output = file.picture();
    const auto drawn = testing::outcome_of([&](Console& console) {
      return print(run_draw_grid(read_draw_grid_request(o)), Format::Text, console);
    });
    CHECK(drawn.code == c.code);
    CHECK(contains(drawn.err, c.said));
    CHECK(std::filesystem::file_size(file.picture()) > 1000);
  }
}

TEST_CASE("incomplete work from a file ends with 1 after the schedule is printed") {
  for (const bool broken : {false, true}) {
    const Scratch file(broken ? "cta,m,n\n0,0,0\n1,0,1\n2,1,0\n"
                              : "cta,m,n\n0,0,0\n1,0,1\n2,1,0\n3,1,1\n");
    DrawScheduleOptions o;
    o.schedule.problem = "256x256x256";
    o.schedule.cta = "128x128x64";
    o.schedule.device = "h200";
    o.schedule.from = file.path();
    const ExitCode code = broken ? ExitCode::No : ExitCode::Good;
    const auto analyzed = testing::outcome_of([&](Console& c) {
      return print(run_analyze_schedule(read_schedule_request(o.schedule)), Format::Text, c);
    });
    CHECK(analyzed.code == code);
    CHECK(contains(analyzed.out, "complete"));
    CHECK(contains(analyzed.err, "is broken: 1 tile missing") == broken);
    o.picture.output = file.picture();
    const auto drawn = testing::outcome_of([&](Console& c) {
      return print(run_draw_schedule(read_draw_schedule_request(o)), Format::Text, c);
    });
    CHECK(drawn.code == code);
    CHECK(std::filesystem::file_size(file.picture()) > 1000);
  }
}

TEST_CASE(
    "a picture marks missing and repeated tiles, and slots outside the grid do not enlarge it") {
  for (const int side : {3, 12, 60, 300}) {
    // Row by row without the last row of tiles, then (0,0) twice more, (1,1) once more, and two
    // slots far outside.
    GridReport report;
    auto order = std::make_shared<GivenOrder>();
    for (int m = 0; m + 1 < side; ++m) {
      for (int n = 0; n < side; ++n) order->tiles.push_back({m, n});
    }
    for (const TileCoord more : {TileCoord{0, 0}, {0, 0}, {1, 1}, {5000, 2}, {-7, 1}}) {
      order->tiles.push_back(more);
    }
    order->name = "file:x.csv";
    report.given = order;
    report.proof = prove_order(order->tiles, {side, side});
    const Scene scene = grid_diagram(report);
    CAPTURE(side);
    const double tile = testing::outline_area(scene) / (side * side);
    double missing = 0;
    double repeated = 0;
    std::string words;
    int64_t tooltips = 0;
    for (const SceneItem& item : scene.items) {
      if (const auto* r = std::get_if<RectangleItem>(&item)) {
        if (r->role == "missing") missing += r->width * r->height / tile;
        if (r->role == "repeated") repeated += 1;
      }
      if (const auto* label = std::get_if<LabelItem>(&item)) words += label->text + '\n';
      tooltips += std::holds_alternative<TooltipItem>(item) ? 1 : 0;
    }
    CHECK(missing == doctest::Approx(side));  // the last row
    CHECK(repeated == 2);
    CHECK(tooltips == side * (side - 1));  // one for each tile that has a slot
    CHECK(contains(words, "missing: no slot"));
    CHECK(contains(words, "more than once"));
    CHECK(contains(words, "2 slots outside of the grid, not drawn: slot"));
    CHECK(contains(words, "at 5000,2"));
    CHECK(testing::outside_items(scene) == "");
    CHECK(testing::overlapping_labels(scene, {"title", "subtitle", "axis", "legend", "slot"}) ==
          "");
    if (side == 3) CHECK(contains(words, "0+2\n"));
  }
}

TEST_CASE("a file without a tile of the grid costs no traffic") {
  const Scratch file("7,7\n-1,-1\n");
  GridOptions o;
  o.grid = "4x4";
  o.raster = "file:" + file.path();
  o.device = "h200";
  o.cta = "128x128x64";
  o.k = 64;
  const GridReport read = report_grid(read_grid_request(o));
  CHECK(read.proof.missing_count == 16);
  CHECK(read.proof.overhang == 2);
  CHECK(read.traffic->dram_read_bytes == 0);
  CHECK(read.traffic->l2_hit_rate == 0);
}

TEST_CASE("a picture counts missing and repeated tiles; too many slots on one tile are refused") {
  std::string rows;
  for (int i = 0; i < 700; ++i) rows += "0,0\n0,1\n";
  const Scratch twice(rows);
  const Scratch pile(rows + rows + rows);
  GridOptions o;
  o.grid = "2x2";
  o.raster = "file:" + twice.path();
  o.device = "h200";
  o.cta = "128x256x64";
  o.k = 4096;
  o.color = GridColor::L2;
  o.picture.output = "-";
  std::string drawn;
  for (const SceneItem& item :
       grid_diagram(report_grid(read_grid_request(o)), GridColor::L2).items) {
    if (const auto* label = std::get_if<LabelItem>(&item)) drawn += label->text + '\n';
  }
  CHECK(contains(drawn, "NOT COMPLETE: 2 tiles missing, 1398 more than once"));
  CHECK_FALSE(contains(drawn, "exactly once"));
  o.raster = "file:" + pile.path();
  CHECK(contains(error_message_of([&] { grid_diagram(report_grid(read_grid_request(o))); }),
                 "counts duplicates"));
}

TEST_CASE("a sweep of a broken mapping ends with 1, once for each value where it is broken") {
  const Scratch order("0,0\n0,1\n1,0\n");
  GridOptions grid;
  grid.grid = "2x2";
  grid.raster = "file:" + order.path();
  grid.sweep.range = parse_sweep_range("ctas=1,2");
  const auto swept =
      testing::outcome_of([&](Console& c) { return print(sweep_grid(grid, c), grid.format, c); });
  CHECK(swept.code == ExitCode::No);
  CHECK(contains(swept.err, "ctas 1: "));
  CHECK(contains(swept.err, "ctas 2: "));
  CHECK(contains(swept.err, "missing"));
  const Scratch work("cta,m,n\n0,0,0\n1,0,1\n2,1,0\n");
  ScheduleOptions schedule;
  schedule.problem = "256x256x256";
  schedule.cta = "128x128x64";
  schedule.device = "h200";
  schedule.from = work.path();
  schedule.sweep.range = parse_sweep_range("k=256,512");
  CHECK(testing::outcome_of([&](Console& c) {
          return print(sweep_schedule(schedule, c), Format::Text, c);
        }).code == ExitCode::No);
  const Scratch whole("0,0\n0,1\n1,0\n1,1\n");
  grid.raster = "file:" + whole.path();
  CHECK(testing::outcome_of([&](Console& c) {
          return print(sweep_grid(grid, c), grid.format, c);
        }).code == ExitCode::Good);
}
