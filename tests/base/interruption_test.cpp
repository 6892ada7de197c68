#include "base/interruption.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "model/l2_replay.hpp"
#include "support/devices.hpp"
#include "tile/plan/grid_proof.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {
namespace {

// The exit code of work that runs after Ctrl-C.
template <class Work>
ExitCode interrupted(const Work& work) {
  request_interruption();
  ExitCode code = ExitCode::Good;
  try {
    work();
  } catch (const Error& error) {
    code = error.code();
  }
  clear_interruption();
  return code;
}

TEST_CASE("a poll throws while an interruption is requested") {
  CHECK(interrupted([] { throw_if_interrupted(); }) == ExitCode::Interrupted);
  CHECK_NOTHROW(throw_if_interrupted());
  CHECK(interrupted([] {}) == ExitCode::Good);
}

TEST_CASE(
    "work that is to be finished is not ended by an interruption; its thread's other work is") {
  CHECK(interrupted([] {
          const FinishingWork outer;
          {
            const FinishingWork inner;
            throw_if_interrupted();
          }
          throw_if_interrupted();
          CHECK(is_interrupted());
        }) == ExitCode::Good);
  CHECK(interrupted([] {
          { const FinishingWork work; }
          throw_if_interrupted();
        }) == ExitCode::Interrupted);
}

TEST_CASE("polls read the flag that poll_interruption_of() names") {
  const std::atomic<bool> other = true;
  const std::atomic<bool>& own = interruption_flag();
  poll_interruption_of(other);
  CHECK_THROWS_AS(throw_if_interrupted(), Error);
  poll_interruption_of(own);
  CHECK_NOTHROW(throw_if_interrupted());
}

TEST_CASE("an interrupted replay, proof or walk ends within its first steps") {
  const Problem problem{.shape = {65536, 65536, 8192}};
  TileConfig config;
  config.cta = {128, 256, 64};
  CHECK(interrupted([&] {
          replay_l2(make_plan(problem, config, testing::h200()), testing::h200());
        }) == ExitCode::Interrupted);
  CHECK(interrupted([] { prove_grid({}, {4096, 4096}); }) == ExitCode::Interrupted);
  const Plan plan = make_plan(problem, config, testing::h200());
  CHECK(interrupted([&] { for_each_unit(plan, [](const ScheduledUnit&) {}); }) ==
        ExitCode::Interrupted);
}

TEST_CASE("an interruption ends a wait for a pipe without a writer") {
  const auto pipe =
      std::filesystem::temp_directory_path() / format("tilewright-{}-pipe", ::getpid());
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(interrupted([&] { read_file(pipe); }) == ExitCode::Interrupted);
  std::filesystem::remove(pipe);
}

}  // namespace
}  // namespace tilewright
