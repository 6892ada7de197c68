#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "app/fake_device.hpp"
#include "app/outcome.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "host/launcher.hpp"
#include "stats/random.hpp"
#include "store/best_table.hpp"
#include "store/record_store.hpp"
#include "support/temporary_folder.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

const std::vector<std::string> kSharedProblems = {"256x256x256",  "512x256x256",  "256x512x512",
                                                  "768x256x1024", "256x256x4096", "1024x768x512"};

// Runs ranks of one command one after the other in a temporary folder. Each rank has the GPU of its
// number, or a new one (`new_gpus`). The GPU fails in the rank's problem number `ends_at`, from 0,
// or never (-1).
class Ranks {
 public:
  explicit Ranks(bool new_gpus) : new_gpus_(new_gpus) {}

  testing::Outcome run(const Rank& rank, int ends_at) {
    TuneOptions options;
    options.problems = kSharedProblems;
    options.config =
        "family=sm90,cta=64x64x64,schedule=pingpong,cluster=1x1,stages=4,raster=row,"
        "decomposition=data-parallel,evict_first=none,swap_ab=false";
    options.rounds = 10;
    options.resume = true;
    options.store = (folder_.path() / "s.jsonl").string();
    options.output = (folder_.path() / "best.yaml").string();
    options.rank = format("{}/{}", rank.rank, rank.size);
    const std::string uuid = format("GPU-{}", new_gpus_ ? ++gpus_ : rank.rank);
    const auto load = [uuid, ends_at]() -> BackendOrReason {
      const auto open = [ends_at] { return std::make_unique<Ending>(ends_at); };
      return {std::make_shared<testing::FakeHost>(open, std::vector<std::string>{uuid}), ""};
    };
    return testing::shown(options.format, [&](const ReportSink& show, Console& console) {
      return run_tune(read_tune(options), show, console, load);
    });
  }

  // The number of (store, GPU) pairs that answer each problem.
  std::map<std::string, int> answers() const {
    std::set<std::string> seen;
    std::map<std::string, int> counts;
    for (const std::string& path : files_of_ranks((folder_.path() / "s.jsonl").string())) {
      for (const StoredRun& run : parse_records(read_file(path), path).runs) {
        for (const StoredAnswer& answer : run.answers) {
          const auto problem = shapes_text(answer.entry.problem);
          const std::string who = format("{} {} {}", problem, path, run.head.device_uuid);
          if (seen.insert(who).second) ++counts[problem];
        }
      }
    }
    return counts;
  }

  // How often each problem is in the artefacts of `size` ranks.
  std::map<std::string, int> entries(int size) const {
    std::map<std::string, int> counts;
    for (int rank = 0; rank < size; ++rank) {
      const std::string path =
          file_of_rank((folder_.path() / "best.yaml").string(), {.rank = rank, .size = size});
      if (is_missing(path)) continue;
      for (const TuneEntry& entry : load_best(path).entries) ++counts[shapes_text(entry.problem)];
    }
    return counts;
  }

 private:
  class Ending : public testing::FakeRunner {
   public:
    explicit Ending(int ends_at) : left_(ends_at) {
      noise = 0;
      time_us = [this](const TileConfig&) -> double {
        if (left_ < 0 && ends_) throw environment_error("the GPU fell off the bus");
        return 100;
      };
      ends_ = ends_at >= 0;
    }
    void prepare(const Workload& workload) override {
      --left_;
      FakeRunner::prepare(workload);
    }

   private:
    int left_;
    bool ends_ = false;
  };

  testing::TemporaryFolder folder_;
  bool new_gpus_;
  int gpus_ = 0;
};

std::map<std::string, int> each_once() {
  std::map<std::string, int> counts;
  for (const std::string& problem : kSharedProblems) counts[problem] = 1;
  return counts;
}

// A rank that starts late finds the answers of the others; they may change only which of its own
// problems it still has to tune.
TEST_CASE("ranks of changing number do each problem once, in any order of starts and ends") {
  Random random(3);
  for (int campaign = 0; campaign < 8; ++campaign) {
    CAPTURE(campaign);
    Ranks ranks(campaign % 2 == 0);
    int size = 0;
    for (int attempt = 0; attempt < 4; ++attempt) {
      size = 1 + static_cast<int>(random.below(5));
      std::vector<int> order(static_cast<size_t>(size));
      std::iota(order.begin(), order.end(), 0);
      shuffle(std::span(order), random);
      const bool is_last = attempt == 3;
      for (const int rank : order) {
        // Some ranks never start, some die in a problem, some finish.
        if (!is_last && random.below(3) == 0) continue;
        const int ends_at = is_last ? -1 : static_cast<int>(random.below(3));
        const testing::Outcome outcome = ranks.run({.rank = rank, .size = size}, ends_at);
        if (is_last) CHECK(outcome.code == ExitCode::Good);
      }
      for (const auto& answer : ranks.answers()) {
        CAPTURE(answer.first);
        CHECK(answer.second == 1);
      }
    }
    CHECK(ranks.answers() == each_once());
    CHECK(ranks.entries(size) == each_once());
  }
}

TEST_CASE("files_of_ranks() finds the files that ranks write, and the file without a rank") {
  const testing::TemporaryFolder folder;
  const std::string path = (folder.path() / "v1.s.jsonl").string();
  CHECK(files_of_ranks(path).empty());
  std::vector<std::string> files = {path};
  for (const int size : {2, 11}) {
    for (int rank = 0; rank < size; ++rank) {
      files.push_back(file_of_rank(path, {.rank = rank, .size = size}));
    }
  }
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) write_file(file, "");
  for (const char* const other :
       {"v1.s.yaml", "v1.s.rank-1of2.yaml", "v1.s.rank-of2.jsonl", "v1.s.rank-1of.jsonl",
        "v1.s.rank-1of2of3.jsonl", "v1.s.rank-1of2.jsonl~", "s.rank-0of2.jsonl", "v1.s.jsonl.jsonl",
        "v1.s.rank-1of2.rank-0of2.jsonl"}) {
    write_file(folder.path() / other, "");
  }
  CHECK(files_of_ranks(path) == files);
  CHECK(files_of_ranks((folder.path() / "none" / "s.jsonl").string()).empty());
}

}  // namespace
}  // namespace tilewright
