#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>

#include "app/fake_device.hpp"
#include "app/outcome.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "store/best_table.hpp"
#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"
#include "verbs/tune_verb.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

using testing::contains;
using testing::FakeRunner;
using testing::Outcome;

// A host with one version of cuBLASLt and times of its algorithms.
struct Host {
  int64_t version = 130100;
  std::vector<double> library_us = {120, 90};
  double ours_us = 100;
  int64_t rounds_before_interrupt = -1;

  BackendLoader loader() const {
    return [host = *this] {
      const auto open = [host] {
        auto runner = std::make_unique<FakeRunner>();
        runner->library_version = host.version;
        runner->reference_us = host.library_us;
        runner->time_us = [host](const TileConfig&) { return host.ours_us; };
        runner->rounds_before_interrupt = host.rounds_before_interrupt;
        return runner;
      };
      auto backend = std::make_shared<testing::FakeHost>(open);
      backend->library = library_version(host.version);
      return BackendOrReason{backend, ""};
    };
  }
};

Outcome run(const TuneOptions& options, const Host& host) {
  return testing::shown(options.format, [&](const ReportSink& show, Console& console) {
    return run_tune(read_tune(options), show, console, host.loader());
  });
}

// Two products and a group, tuned on a host.
void tune_three(const std::filesystem::path& path, const Host& host) {
  TuneOptions options;
  options.problems = {"512x512x512", "1024x1024x1024", "256x512x512,256x512x512"};
  options.config = "family=sm90,schedule=pingpong,cluster=1x1,raster=row,stages=4";
  options.budget.configs = 4;
  options.rounds = 10;
  options.output = path.string();
  REQUIRE(run(options, host).code == ExitCode::Good);
}

TuneOptions pins_of(const std::filesystem::path& path) {
  TuneOptions options;
  options.pin_library = path.string();
  options.output = path.string();
  options.rounds = 10;
  return options;
}

std::map<int64_t, const LibraryPin*> pins_by_version(const TuneEntry& entry) {
  std::map<int64_t, const LibraryPin*> pins;
  for (const LibraryPin& pin : entry.library_pins) pins[pin.version] = &pin;
  return pins;
}

TEST_CASE("pins of another version are added to a tuned file, and nothing else changes") {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "best.yaml";
  tune_three(path, {});
  const Artefact before = load_best(path);
  const Outcome outcome = run(pins_of(path), {.version = 130200, .library_us = {80, 130, 140}});
  CHECK(outcome.code == ExitCode::Good);
  CHECK(contains(outcome.err, "is not a single product: skipped"));
  Artefact after = load_best(path);
  REQUIRE(after.entries.size() == 3);
  for (size_t i = 0; i < 3; ++i) {
    TuneEntry& entry = after.entries[i];
    if (is_group(entry.problem)) {
      CHECK(entry.library_pins.empty());
      continue;
    }
    const auto pins = pins_by_version(entry);
    REQUIRE(pins.size() == 2);
    CHECK(*pins.at(130100) == before.entries[i].library_pins.front());
    CHECK(pins.at(130200)->name == "reference algorithm 0");
    CHECK(pins.at(130200)->ratio.ratio == doctest::Approx(0.8).epsilon(0.02));
    CHECK(pins.at(130200)->first_ratio == pins.at(130200)->ratio);
    entry.library_pins = before.entries[i].library_pins;
  }
  CHECK(after.entries == before.entries);
  // A product with a pin of this version is timed again only if the command names it.
  const std::string text = read_file(path);
  const Outcome again = run(pins_of(path), {.version = 130200, .library_us = {70}});
  CHECK(again.code == ExitCode::Good);
  CHECK(contains(again.err, "2 products have a pin of cublasLt 13.2.0 already"));
  CHECK(read_file(path) == text);
  TuneOptions named = pins_of(path);
  named.problems = {"512x512x512"};
  CHECK(run(named, {.version = 130200, .library_us = {70}}).code == ExitCode::Good);
  const Artefact anew = load_best(path);
  CHECK(pins_by_version(anew.entries[0]).at(130200)->median_us < 75);
  CHECK(pins_by_version(anew.entries[1]).at(130200)->median_us > 75);
}

TEST_CASE("a tune with another version keeps the pins that are there, and -o may be a new file") {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "best.yaml";
  tune_three(path, {});
  tune_three(path, {.version = 130200});
  for (const TuneEntry& entry : load_best(path).entries) {
    CHECK(pins_by_version(entry).size() == (is_group(entry.problem) ? 0 : 2));
  }
  TuneOptions aside = pins_of(path);
  aside.output = (folder.path() / "pinned.yaml").string();
  const std::string text = read_file(path);
  CHECK(run(aside, {.version = 120804}).code == ExitCode::Good);
  CHECK(read_file(path) == text);
  const Artefact pinned = load_best(aside.output);
  CHECK(pinned.entries.size() == 3);
  CHECK(pins_by_version(pinned.entries.front()).size() == 3);
}

TEST_CASE("an interrupt keeps the measured pins, and the next run measures the others") {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "best.yaml";
  tune_three(path, {});
  // A product takes a warm-up round, 3 pilot rounds and at least 20 more.
  const Host host{.version = 130200, .rounds_before_interrupt = 30};
  const Outcome outcome = run(pins_of(path), host);
  CHECK(outcome.code == ExitCode::Interrupted);
  CHECK(contains(outcome.err, "interrupted: 1 of 2 products were pinned"));
  const auto pinned = [&path] {
    const Artefact artefact = load_best(path);
    return std::count_if(artefact.entries.begin(), artefact.entries.end(),
                         [](const TuneEntry& e) { return pins_by_version(e).contains(130200); });
  };
  CHECK(pinned() == 1);
  const Outcome rest = run(pins_of(path), {.version = 130200});
  CHECK(contains(rest.err, "1 product has a pin of cublasLt 13.2.0 already"));
  CHECK(pinned() == 2);
}

TEST_CASE("a request that cannot be pinned is an error before anything runs") {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "best.yaml";
  tune_three(path, {});
  const auto error_message = [&](const std::function<void(TuneOptions&)>& change) {
    TuneOptions options = pins_of(path);
    change(options);
    const Outcome outcome = run(options, {});
    CHECK(outcome.code != ExitCode::Good);
    return outcome.err;
  };
  CHECK(contains(error_message([](TuneOptions& o) { o.problems = {"640x512x512"}; }),
                 "640x512x512 bf16 tn is not tuned in"));
  CHECK(contains(error_message([](TuneOptions& o) { o.problems = {"256x512x512,256x512x512"}; }),
                 "is not a single product"));
  CHECK(contains(error_message([](TuneOptions& o) { o.budget.configs = 3; }),
                 "--pin-library does not search: omit --budget"));
  CHECK(contains(error_message([](TuneOptions& o) { o.store = "s.jsonl"; }), "omit --store"));
  CHECK(contains(error_message([](TuneOptions& o) { o.device = "h200"; }), "h200 is a preset"));
  CHECK(contains(error_message([](TuneOptions& o) { o.pin_library = "none.yaml"; }),
                 "'none.yaml' does not exist"));
}

}  // namespace
}  // namespace tilewright
