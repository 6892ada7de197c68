#include "verbs/gate_trend.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "app/outcome.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "record/document.hpp"
#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

using testing::contains;
using testing::Outcome;

constexpr int kNights = 60;
constexpr int64_t kFirstNight = 1767225600;  // 2026-01-01
constexpr int64_t kDay = 86400;

std::string hash_of(int night) {
  return format("{:012x}{:028x}", 0xabc000 + night, 0);
}

// A history of nightly runs of one case; `numbers` gives the numbers of each night.
class Nights {
 public:
  using Numbers = std::function<std::vector<std::pair<std::string, double>>(int)>;

  explicit Nights(const std::string& mode, const Numbers& numbers) {
    std::string text;
    for (int night = 0; night < kNights; ++night) {
      HistoryRun run;
      run.time = kFirstNight + kDay * night;
      run.commit = hash_of(night);
      run.branch = "main";
      run.suite = "s.yaml";
      run.mode = mode;
      run.device = "NVIDIA H200";
      run.cases.push_back({"cube", "pass", numbers(night)});
      text += print_history(run);
    }
    options_.history = folder_.path() / "history.jsonl";
    write_file(options_.history, text);
  }
  Outcome trend(Format as = Format::Text) {
    options_.format = as;
    return testing::printed(as, [&](Console&) { return run_gate_trend(options_); });
  }
  const std::string& path() const { return options_.history; }

 private:
  testing::TemporaryFolder folder_;
  GateTrendOptions options_;
};

// Noise of 0.2 % without randomness, so that a change of 2 % is found for any night.
double wobble(int night) {
  return 1 + 0.001 * ((night * 7) % 5 - 2);
}

TEST_CASE("a change is a line with its case, number, percentage, commit and day") {
  for (const int step : {20, 40}) {
    Nights nights("baseline", [step](int night) {
      return std::vector<std::pair<std::string, double>>{
          {"ratio", (night < step ? 1.0 : 0.96) * wobble(night)}};
    });
    const Outcome found = nights.trend();
    CAPTURE(found.out);
    CHECK(found.code == ExitCode::Good);
    CHECK(found.out.starts_with("worse   cube ratio -"));
    CHECK(contains(found.out, "commit " + hash_of(step).substr(0, 12)));
    CHECK(contains(found.out, step == 20 ? "of 2026-01-21" : "of 2026-02-10"));
    CHECK(found.out.ends_with("1 change in 60 runs\n"));
    const Document changes = Document::parse(nights.trend(Format::Json).out).at("changes");
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].at("case") == "cube");
    CHECK(changes[0].at("worse") == true);
    CHECK(changes[0].at("commit") == hash_of(step));
    CHECK(changes[0].at("known_by_time") >= kFirstNight + kDay * step);
    CHECK(changes[0].at("known_by_time") <= kFirstNight + kDay * (step + 5));
    CHECK(changes[0].at("after").get<double>() == doctest::Approx(0.96).epsilon(0.002));
  }
}

TEST_CASE("a higher ratio is better, and a longer time or more bytes are worse") {
  const auto text_of = [](const std::string& mode, const std::string& number, double by) {
    Nights nights(mode, [&number, by](int night) {
      return std::vector<std::pair<std::string, double>>{{number, night < 30 ? 100.0 : by * 100}};
    });
    return nights.trend().out;
  };
  CHECK(text_of("baseline", "ratio", 1.02).starts_with("better  cube ratio +2.00 %"));
  CHECK(text_of("baseline", "ratio", 0.98).starts_with("worse   cube ratio -2.00 %"));
  for (const char* const number : {"predicted_us", "dram_read_bytes"}) {
    CHECK(text_of("static", number, 1.02).starts_with(format("worse   cube {} +2.00 %", number)));
    CHECK(text_of("static", number, 0.98).starts_with(format("better  cube {} -2.00 %", number)));
  }
  // A number that the gate only shows has no trend.
  CHECK(text_of("static", "registers", 1.02) == "0 changes in 60 runs\n");
}

TEST_CASE("a missing or damaged history is bad input, with the damaged line named") {
  Nights nights("baseline", [](int night) {
    return std::vector<std::pair<std::string, double>>{{"ratio", wobble(night)}};
  });
  CHECK(nights.trend().out == "0 changes in 60 runs\n");
  write_file(nights.path(), read_file(nights.path()) + "{\"schema\": 1}\n");
  const Outcome damaged = nights.trend();
  CHECK(damaged.code == ExitCode::Usage);
  CHECK(contains(damaged.err, "history.jsonl:61"));
  std::filesystem::remove(nights.path());
  CHECK(nights.trend().code == ExitCode::Usage);
}

}  // namespace
}  // namespace tilewright
