#include "verbs/profile_verb.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "app/fake_device.hpp"
#include "app/outcome.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "record/document.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

using testing::FakeRunner;
using testing::Outcome;

Outcome run_profile(const ProfileOptions& options, const ResolvedDevice& device) {
  return testing::printed(options.format, [&](Console& console) {
    ProfileOptions cube = options;
    cube.problem = "4096x4096x4096";
    return profile_config(read_profile(cube), device, console);
  });
}

TEST_CASE("every predicted number is printed beside the counted one") {
  ProfileOptions options;
  options.format = Format::Json;
  const auto json = Document::parse(run_profile(options, testing::fake_gpu()).out);
  CHECK(json.at("predicted") == false);
  const auto& reads = json.at("values").at("dram_read_bytes");
  CHECK(reads.at("counted") == 1e9);
  CHECK(reads.at("predicted").get<double>() >= 2.0 * 4096 * 8192);
  CHECK(json.at("values").at("us").at("counted").get<double>() ==
        doctest::Approx(100).epsilon(0.02));
}

TEST_CASE("a preset shows predictions only, marked; its trace is refused") {
  ProfileOptions options;
  const Outcome text = run_profile(options, testing::fake_preset());
  CHECK(text.code == ExitCode::Good);
  CHECK(text.out.find("predicted, nothing ran") != std::string::npos);
  CHECK(text.out.find("counted") == std::string::npos);
  options.trace = "-";
  CHECK(run_profile(options, testing::fake_preset()).code == ExitCode::Environment);
}

TEST_CASE("the regime is printed with the counts; hot launches have no predictions") {
  ProfileOptions options;
  options.config = "raster=row,cta=128x128x64,cluster=1x1";
  for (const std::string regime : {"rotate", "hot", "cold"}) {
    options.regime = parse_regime(regime);
    options.format = Format::Json;
    const bool is_hot = regime == "hot";
    const ResolvedDevice gpu = testing::fake_gpu_of(regime);
    const auto json = Document::parse(run_profile(options, gpu).out);
    CHECK(testing::asked_regime(gpu) == regime);
    CHECK(json.at("regime") == regime);
    for (const char* const key : {"us", "dram_read_bytes", "l2_hit_pct"}) {
      CHECK(json.at("values").at(key).at("predicted").is_null() == is_hot);
      CHECK(json.at("values").at(key).at("counted").is_number());
    }
    options.format = Format::Text;
    const std::string text = run_profile(options, gpu).out;
    CHECK((text.find(regime + " launches\n") == std::string::npos) == (regime == "rotate"));
    CHECK(run_profile(options, testing::fake_preset()).code ==
          (is_hot ? ExitCode::Environment : ExitCode::Good));
  }
}

TEST_CASE("exit codes: no counters 4, wrong results 5, refused by the compiler 1") {
  CHECK(run_profile(
            {}, testing::fake_gpu([](FakeRunner& runner) { runner.counters_permitted = false; }))
            .code == ExitCode::Environment);
  CHECK(run_profile({}, testing::fake_gpu([](FakeRunner& runner) {
                      runner.is_wrong = [](const TileConfig&) { return true; };
                    }))
            .code == ExitCode::WrongResult);
  CHECK(run_profile({}, testing::fake_gpu([](FakeRunner& runner) {
                      runner.compiles = [](const TileConfig&) { return false; };
                    }))
            .code == ExitCode::No);
}

TEST_CASE("the trace is written as the kernel recorded it, times from the first start") {
  const auto path = std::filesystem::temp_directory_path() / format("trace-{}", ::getpid());
  ProfileOptions options;
  options.trace = path.string();
  options.config = "raster=split-merge:4,cta=128x128x64,cluster=1x1";
  const Outcome outcome =
      run_profile(options, testing::fake_gpu([](FakeRunner& runner) {
                    runner.recorded.records = {{0, 5, 0, 0, 0, true, 1000, 1500},
                                               {1, 6, 1, 32, 0, false, 1010, 1020}};
                  }));
  CHECK(outcome.code == ExitCode::Good);
  const auto json = Document::parse(read_file(path));
  CHECK(json.at("slots") == 1024);
  CHECK(json.at("records").size() == 2);
  CHECK(json.at("records")[1].at("inside") == false);
  CHECK(json.at("records")[1].at("start_ns") == 10);
  CHECK(json.at("records")[0].at("sm") == 5);
  std::filesystem::remove(path);
}

TEST_CASE("a trace written to a picture file is drawn beside the prediction") {
  const auto path = std::filesystem::temp_directory_path() / format("trace-{}.svg", ::getpid());
  ProfileOptions options;
  options.trace = path.string();
  options.config = "raster=row,cta=128x128x64,cluster=1x1";
  options.picture.look.title = "measured beside predicted";
  const Outcome outcome =
      run_profile(options, testing::fake_gpu([](FakeRunner& runner) {
                    runner.recorded.records = {{0, 5, 0, 0, 0, true, 1000, 51000},
                                               {1, 6, 1, 0, 1, true, 1500, 51500}};
                  }));
  CHECK(outcome.code == ExitCode::Good);
  const std::string svg = read_file(path);
  CHECK(svg.find("<svg") != std::string::npos);
  CHECK(svg.find("measured beside predicted") != std::string::npos);
  CHECK(outcome.out.find("counted") != std::string::npos);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace tilewright
