#include "serve/raced_calls.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "support/error_message.hpp"

namespace tilewright {
namespace {

// A timer with the times that the test sets.
class FakeTimer : public LaunchTimer {
 public:
  std::optional<int> time(void*, const std::function<void()>& launch) override {
    launch();
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!gives_times) return std::nullopt;
    open_[next_] = us_of_last_;
    return next_++;
  }
  std::optional<double> take(int number) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    REQUIRE(open_.count(number) == 1);
    if (is_slow) return std::nullopt;
    const double us = open_[number];
    open_.erase(number);
    return us;
  }
  void drop(int number) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    CHECK(open_.erase(number) == 1);
  }

  // The time of the launch that is being timed.
  void set(double us) {
    const std::lock_guard<std::mutex> lock(mutex_);
    us_of_last_ = us;
  }
  size_t open_count() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return open_.size();
  }

  std::atomic<bool> gives_times = true;
  std::atomic<bool> is_slow = false;

 private:
  std::mutex mutex_;
  std::map<int, double> open_;
  int next_ = 0;
  double us_of_last_ = 1;
};

// Candidates that take fixed times, and may refuse.
struct FakeKernels {
  std::vector<double> us;
  std::set<int> refused_in_prepare = {};
  std::set<int> refused_in_launch = {};
  std::vector<int> launched = {};
  int cleared = 0;

  CandidateActions actions(FakeTimer& timer) {
    return {.prepare =
                [this](int candidate) {
                  if (refused_in_prepare.count(candidate) > 0) throw usage_error("no room");
                },
            .launch =
                [this, &timer](int candidate) {
                  if (refused_in_launch.count(candidate) > 0) throw std::runtime_error("refused");
                  launched.push_back(candidate);
                  timer.set(us[static_cast<size_t>(candidate)]);
                },
            .clear = [this] { ++cleared; }};
  }
};

constexpr int kMaxCalls = 4 * ProductRace::kCallsPerCandidate + ProductRace::kGraceCalls + 1;

TEST_CASE("each call launches exactly one candidate, and the fastest stays") {
  FakeTimer timer;
  FakeKernels kernels{.us = {10, 9, 7, 8}};
  RacedCalls calls(4, timer);
  size_t count = 0;
  bool was_decided = false;
  while (!was_decided) {
    REQUIRE(count < kMaxCalls);
    CHECK(calls.winner() == -1);
    was_decided = calls.run(nullptr, kernels.actions(timer));
    CHECK(kernels.launched.size() == ++count);
  }
  CHECK(calls.winner() == 2);
  CHECK(timer.open_count() == 0);
  for (int i = 0; i < 5; ++i) {
    CHECK(!calls.run(nullptr, kernels.actions(timer)));
    CHECK(kernels.launched.back() == 2);
  }
  CHECK(timer.open_count() == 0);
  CHECK(kernels.cleared == 0);
}

TEST_CASE("a candidate that throws leaves, and the plain answer runs in that very call") {
  for (const bool in_launch : {false, true}) {
    FakeTimer timer;
    FakeKernels kernels{.us = {10, 1, 7, 8}};
    (in_launch ? kernels.refused_in_launch : kernels.refused_in_prepare) = {1, 3};
    RacedCalls calls(4, timer);
    size_t count = 0;
    while (!calls.run(nullptr, kernels.actions(timer))) {
      REQUIRE(++count < kMaxCalls);
      CHECK(kernels.launched.size() == count);
    }
    CHECK(calls.winner() == 2);
    CHECK(kernels.cleared == 2);
    const std::string reason = in_launch ? "refused" : "no room";
    CHECK(calls.snapshot().failures() == std::vector<std::string>{"", reason, "", reason});
  }
}

TEST_CASE("a candidate that throws only when it is timed leaves no time open") {
  FakeTimer timer;
  FakeKernels kernels{.us = {10, 1}};
  RacedCalls calls(2, timer);
  for (int i = 0; i < 2; ++i) calls.run(nullptr, kernels.actions(timer));
  kernels.refused_in_launch = {1};
  while (calls.winner() < 0) calls.run(nullptr, kernels.actions(timer));
  CHECK(calls.winner() == 0);
  CHECK(timer.open_count() == 0);
}

TEST_CASE("what the plain answer throws reaches the caller, and the race goes on") {
  FakeTimer timer;
  FakeKernels kernels{.us = {10, 5}, .refused_in_launch = {0}};
  RacedCalls calls(2, timer);
  CHECK_THROWS_WITH(calls.run(nullptr, kernels.actions(timer)), "refused");
  kernels.refused_in_launch.clear();
  while (calls.winner() < 0) calls.run(nullptr, kernels.actions(timer));
  CHECK(calls.winner() == 1);
  CHECK(calls.snapshot().failures() == std::vector<std::string>{"", ""});
}

TEST_CASE("without times, and with times that never come, the plain answer stays in the end") {
  for (const bool gives_times : {false, true}) {
    FakeTimer timer;
    timer.gives_times = gives_times;
    timer.is_slow = true;
    FakeKernels kernels{.us = {10, 5, 6, 7}};
    RacedCalls calls(4, timer);
    int count = 0;
    while (calls.winner() < 0) {
      REQUIRE(++count <= kMaxCalls);
      calls.run(nullptr, kernels.actions(timer));
    }
    CHECK(calls.winner() == 0);
    CHECK(timer.open_count() == 0);
  }
}

TEST_CASE("a race that ends undecided gives its times up") {
  FakeTimer timer;
  timer.is_slow = true;
  FakeKernels kernels{.us = {10, 5}};
  {
    RacedCalls calls(2, timer);
    for (int i = 0; i < 4; ++i) calls.run(nullptr, kernels.actions(timer));
    CHECK(timer.open_count() == 2);
  }
  CHECK(timer.open_count() == 0);
}

TEST_CASE("ten threads make one race: one call decides it, and each launches one kernel") {
  constexpr int kThreads = 10;
  constexpr int kCalls = 40;
  for (int trial = 0; trial < 20; ++trial) {
    FakeTimer timer;
    timer.set(3);
    RacedCalls calls(9, timer);
    std::atomic<int> decided = 0;
    std::atomic<int> launched = 0;
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < kCalls; ++i) {
          const int winner = calls.winner();
          const CandidateActions actions{.prepare = [](int) {},
                                         .launch =
                                             [&](int candidate) {
                                               ++launched;
                                               if (winner >= 0 && candidate != winner) ++wrong;
                                               if (candidate % 3 == 2)
                                                 throw std::runtime_error("refused");
                                             }};
          if (calls.run(nullptr, actions)) ++decided;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(decided == 1);
    CHECK(wrong == 0);
    // Three of the nine refuse, each perhaps in several threads before it has left.
    CHECK(launched >= kThreads * kCalls + 3);
    CHECK(calls.winner() >= 0);
    CHECK(calls.winner() % 3 != 2);
    CHECK(timer.open_count() == 0);
  }
}

}  // namespace
}  // namespace tilewright
