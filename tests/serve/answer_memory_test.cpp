#include "serve/answer_memory.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace tilewright {
namespace {

// An answer that counts those alive.
struct CountedAnswer {
  explicit CountedAnswer(int of_key) : key(of_key) { ++alive; }
  CountedAnswer(const CountedAnswer&) = delete;
  CountedAnswer& operator=(const CountedAnswer&) = delete;
  ~CountedAnswer() { --alive; }

  int key = 0;
  static inline std::atomic<int> alive = 0;
};

using CountedAnswers = AnswerMemory<int, CountedAnswer>;

CountedAnswers::Shared answer_of(int key) {
  return std::make_shared<const CountedAnswer>(key);
}

constexpr AnswerLimits kLimits{.count = 10, .device_bytes = 1000};

TEST_CASE("as many answers stay as the limits of count and of device memory leave room for") {
  for (const int64_t bytes : {0, 1, 99, 100, 101, 300, 501, 1000}) {
    const auto fitting = static_cast<int>(std::min<int64_t>(
        kLimits.count, bytes == 0 ? kLimits.count : kLimits.device_bytes / bytes));
    CountedAnswers answers(kLimits);
    int most = 0;
    for (int key = 0; key < 100; ++key) {
      CHECK(answers.find(key) == nullptr);
      CHECK(answers.add(key, answer_of(key), bytes)->key == key);
      CHECK(answers.find(key)->key == key);
      most = std::max(most, CountedAnswer::alive.load());
      CHECK(CountedAnswer::alive == key % fitting + 1);
    }
    CHECK(most == fitting);
  }
  CHECK(CountedAnswer::alive == 0);
}

TEST_CASE("an answer larger than the limit is remembered alone") {
  CountedAnswers answers(kLimits);
  answers.add(1, answer_of(1), 10);
  answers.add(2, answer_of(2), kLimits.device_bytes + 1);
  CHECK(answers.find(1) == nullptr);
  CHECK(answers.find(2)->key == 2);
  answers.add(3, answer_of(3), 0);
  CHECK(answers.find(2) == nullptr);
  CHECK(answers.find(3)->key == 3);
}

TEST_CASE("only kept answers live on after they were dropped, each once") {
  CountedAnswers answers(kLimits);
  for (int key = 0; key < 100; ++key) {
    const CountedAnswers::Shared answer = answers.add(key, answer_of(key), 100);
    if (key % 20 != 0) continue;
    for (int launch = 0; launch < 3; ++launch) answers.keep(answer);
  }
  CHECK(CountedAnswer::alive == 10 + 5);
  CHECK(answers.find(0) == nullptr);
}

TEST_CASE("a caller's answer outlives its place among the remembered ones") {
  CountedAnswers answers(kLimits);
  const CountedAnswers::Shared used = answers.add(0, answer_of(0), 1000);
  answers.add(1, answer_of(1), 1000);
  CHECK(answers.find(0) == nullptr);
  CHECK(used->key == 0);
  CHECK(CountedAnswer::alive == 2);
}

TEST_CASE("threads that ask the same get one answer") {
  CountedAnswers answers({.count = 1000, .device_bytes = 1000});
  constexpr int kThreads = 4;
  constexpr int kKeys = 200;
  std::vector<std::vector<CountedAnswers::Shared>> got(kThreads);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&answers, &mine = got[static_cast<size_t>(thread)]] {
      for (int key = 0; key < kKeys; ++key) mine.push_back(answers.add(key, answer_of(key), 1));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& of_thread : got) CHECK(of_thread == got.front());
  CHECK(CountedAnswer::alive == kKeys);
}

}  // namespace
}  // namespace tilewright
