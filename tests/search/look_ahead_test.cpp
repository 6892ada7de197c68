// Work done ahead of a search equals the first work of the search.
#include "search/look_ahead.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

#include "base/error.hpp"
#include "search/predict.hpp"
#include "support/error_message.hpp"
#include "support/fake_runner.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

// Records what it builds.
class NotingCompiler : public KernelCompiler {
 public:
  explicit NotingCompiler(std::vector<std::string>& built) : built_(built) {}
  std::vector<BuildResult> build(std::span<const Plan> plans,
                                 const std::string& architecture) override {
    CHECK(architecture == "sm_90a");
    for (const Plan& plan : plans) built_.push_back(to_string(plan.config));
    return std::vector<BuildResult>(plans.size());
  }

 private:
  std::vector<std::string>& built_;
};

class BrokenCompiler : public KernelCompiler {
 public:
  std::vector<BuildResult> build(std::span<const Plan>, const std::string&) override {
    throw std::runtime_error("no compiler");
  }
};

// Records the first configs that a search builds.
class NotingRunner : public testing::FakeRunner {
 public:
  std::vector<BuildResult> build(std::span<const TileConfig> configs) override {
    if (first.empty()) {
      for (const TileConfig& config : configs) first.push_back(to_string(config));
    }
    return FakeRunner::build(configs);
  }
  std::vector<std::string> first;
};

const std::vector<Workload> kProblems = {
    workload_of(Problem{{512, 1024, 512}}), workload_of(Problem{{64, 1536, 4096}}),
    Workload{.shapes = {{100, 256, 512}, {300, 256, 512}, {0, 256, 512}}}};

// Part of the space: the size of the ranking does not matter here.
TunePolicy small_policy() {
  TunePolicy policy;
  policy.spaces = requested_spaces(parse_config("family=sm90,schedule=cooperative,cluster=1x1"));
  return policy;
}

TEST_CASE("look_ahead() builds what the search builds first, and the answer is the same") {
  for (const Workload& problem : kProblems) {
    CAPTURE(to_string(problem));
    for (const int kernels : {5, 28}) {
      TunePolicy policy = small_policy();
      policy.kernels = kernels;
      ProgressListener silent;
      NotingRunner alone;
      const TuneResult known = tune(problem, alone, policy, silent);
      std::vector<std::string> built;
      Ranking ranking =
          look_ahead(problem, policy, testing::h200(), std::make_unique<NotingCompiler>(built))
              .get();
      CHECK(built == alone.first);
      NotingRunner prepared;
      CHECK(tune(problem, prepared, policy, silent, std::move(ranking)) == known);
    }
  }
}

TEST_CASE("without a compiler, or with one that fails, the ranking is the same") {
  const TunePolicy policy = small_policy();
  const Ranking ranking = rank_to_tune(kProblems.front(), policy, testing::h200());
  CHECK(look_ahead(kProblems.front(), policy, testing::h200(), nullptr).get() == ranking);
  CHECK(look_ahead(kProblems.front(), policy, testing::h200(), std::make_unique<BrokenCompiler>())
            .get() == ranking);
}

TEST_CASE("only the search in the model's order builds ahead") {
  for (const Strategy strategy : {Strategy::Exhaustive, Strategy::Random, Strategy::Local}) {
    TunePolicy policy = small_policy();
    policy.strategy = strategy;
    std::vector<std::string> built;
    look_ahead(kProblems.front(), policy, testing::h200(), std::make_unique<NotingCompiler>(built))
        .get();
    CHECK(built.empty());
  }
}

TEST_CASE("where nothing is legal, taking the ranking throws the same error as a search") {
  TunePolicy policy;
  policy.spaces = {};
  const auto error_message = [&](const auto& call) {
    return testing::error_message_of(call, ExitCode::No);
  };
  testing::FakeRunner runner;
  ProgressListener silent;
  const std::string usual = error_message([&] { tune(kProblems.front(), runner, policy, silent); });
  CHECK(!usual.empty());
  CHECK(error_message([&] {
          look_ahead(kProblems.front(), policy, testing::h200(), nullptr).get();
        }) == usual);
}

}  // namespace
}  // namespace tilewright
