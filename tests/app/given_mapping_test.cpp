// Mappings from files through the verbs: priced like the raster that they were printed from.
#include <doctest/doctest.h>

#include <filesystem>

#include "app/outcome.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "draw/grid_diagram.hpp"
#include "schedule_subject.hpp"
#include "store/schedule_json.hpp"
#include "subjects.hpp"
#include "support/complaint.hpp"
#include "verbs.hpp"

using namespace tilewright;
using testing::complaint_of;
using testing::contains;

namespace {

// A file that lives as long as the test.
class Scratch {
 public:
  explicit Scratch(const std::string& content)
      : path_(std::filesystem::temp_directory_path() /
              format("tilewright_given_{}.txt", static_cast<const void*>(this))) {
    write_file(path_, content);
  }
  ~Scratch() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

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
    const GridReport ours = report_grid(o);
    const std::vector<TileCoord> order = slot_order(ours);
    const Scratch file(grid_json(ours, &order));
    o.raster = "file:" + file.path();
    const GridReport read = report_grid(o);
    CHECK(read.proof == ours.proof);
    CHECK(read.waves == ours.waves);
    CHECK(read.traffic == ours.traffic);
    o.cluster = "2x1";
    CHECK(contains(complaint_of([&] { report_grid(o); }), "leave --cluster out"));
  }
}

TEST_CASE("work from a file takes nothing that the file settles, and stands beside a raster") {
  const Scratch file("cta,m,n\n0,0,0\n1,0,1\n2,1,0\n3,1,1\n");
  ScheduleOptions o;
  o.problem = "256x256x256";
  o.cta = "128x128x64";
  o.device = "h200";
  o.from = file.path();
  CHECK(report_schedule(read_schedule(o)).report.proof.complete);
  ScheduleOptions other = o;
  other.raster = "row";
  CHECK(contains(complaint_of([&] { read_schedule(other); }), "leave --raster out"));
  other = o;
  other.decomposition = "split-k:2";
  CHECK(contains(complaint_of([&] { read_schedule(other); }), "stream-k:REDUCTION"));
  CHECK(with_changes(o, "raster=hilbert,ctas=4").from.empty());
  CHECK(with_changes(o, "device=a100").from == file.path());
  CHECK(changed_values(o, "raster=hilbert,ctas=4") == "from=" + file.path());
}

TEST_CASE("a grid of which a file has no tile is priced as nothing") {
  const Scratch file("7,7\n-1,-1\n");
  GridOptions o;
  o.grid = "4x4";
  o.raster = "file:" + file.path();
  o.device = "h200";
  o.cta = "128x128x64";
  o.k = 64;
  const GridReport read = report_grid(o);
  CHECK(read.proof.missing_count == 16);
  CHECK(read.proof.overhang == 2);
  CHECK(read.traffic->dram_read_bytes == 0);
  CHECK(read.traffic->l2_hit_rate == 0);
}

TEST_CASE("a picture says what an order lacks, and holds no pile of slots on one tile") {
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
  o.color = "l2";
  o.picture.output = "-";
  std::string drawn;
  for (const SceneItem& item : grid_diagram(report_grid(o), GridColor::L2).items) {
    if (const auto* label = std::get_if<LabelItem>(&item)) drawn += label->text + '\n';
  }
  CHECK(contains(drawn, "NOT COMPLETE: 2 tiles missing, 1398 more than once"));
  CHECK_FALSE(contains(drawn, "exactly once"));
  o.raster = "file:" + pile.path();
  CHECK(contains(complaint_of([&] { grid_diagram(report_grid(o)); }), "counts duplicates"));
}
