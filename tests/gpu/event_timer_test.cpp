// Times of launches that a stream is held for: they come without a wait, and nothing waits for
// ever.
#include "gpu/launch/event_timer.hpp"

#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "gpu/contenders/memory.hpp"
#include "gpu/launch/check.hpp"

namespace tilewright {
namespace {

constexpr size_t kBytes = size_t{64} << 20;

class OwnStream {
 public:
  OwnStream() { TW_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
  ~OwnStream() { cudaStreamDestroy(stream_); }
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

TEST_CASE("a time comes once, is above 0, and a longer launch has a longer one") {
  const DeviceBuffer buffer(kBytes);
  EventTimer timer;
  for (const bool is_legacy : {false, true}) {
    const OwnStream own;
    auto* const stream = is_legacy ? nullptr : own.get();
    const auto us_of = [&](int count) {
      const std::optional<int> number = timer.time(stream, [&] {
        for (int i = 0; i < count; ++i) {
          TW_CHECK(cudaMemsetAsync(buffer.get(), i, buffer.bytes(), stream));
        }
      });
      REQUIRE(number);
      TW_CHECK(cudaStreamSynchronize(stream));
      const std::optional<double> us = timer.take(*number);
      REQUIRE(us);
      CHECK(*us > 0);
      return *us;
    };
    us_of(1);
    CHECK(us_of(100) > us_of(1));
  }
}

TEST_CASE("the device runs nothing of a launch before the host has enqueued all of it") {
  const DeviceBuffer buffer(16);
  const OwnStream stream;
  EventTimer timer;
  cudaEvent_t passed = nullptr;
  TW_CHECK(cudaEventCreate(&passed));
  for (int round = 0; round < 20; ++round) {
    const auto number = timer.time(stream.get(), [&] {
      TW_CHECK(cudaMemsetAsync(buffer.get(), round, buffer.bytes(), stream.get()));
      TW_CHECK(cudaEventRecord(passed, stream.get()));
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      CHECK(cudaEventQuery(passed) == cudaErrorNotReady);
    });
    TW_CHECK(cudaStreamSynchronize(stream.get()));
    CHECK(cudaEventQuery(passed) == cudaSuccess);
    CHECK((number && timer.take(*number)));
  }
  TW_CHECK(cudaEventDestroy(passed));
}

TEST_CASE("after a launch that throws the stream goes on, and there is no time") {
  const DeviceBuffer buffer(16);
  const OwnStream stream;
  EventTimer timer;
  for (int round = 0; round < 20; ++round) {
    CHECK_THROWS_WITH(timer.time(stream.get(),
                                 [&] {
                                   TW_CHECK(cudaMemsetAsync(buffer.get(), 0, 16, stream.get()));
                                   throw std::runtime_error("refused");
                                 }),
                      "refused");
    CHECK(cudaStreamSynchronize(stream.get()) == cudaSuccess);
  }
}

TEST_CASE("a launch that waits for its own stream is released, and soon no stream is held") {
  const DeviceBuffer buffer(16);
  const OwnStream stream;
  EventTimer timer;
  int timed = 0;
  for (int round = 0; round < 8; ++round) {
    const auto number = timer.time(stream.get(), [&] {
      TW_CHECK(cudaMemsetAsync(buffer.get(), 0, 16, stream.get()));
      TW_CHECK(cudaStreamSynchronize(stream.get()));
    });
    TW_CHECK(cudaStreamSynchronize(stream.get()));
    if (!number) continue;
    ++timed;
    CHECK(timer.take(*number));
  }
  // The first three holds were too long, and gave no time.
  CHECK(timed == 5);
}

TEST_CASE("times that are given up make room, and threads have times of their own") {
  constexpr int kThreads = 10;
  constexpr int kTimes = 100;
  EventTimer timer;
  std::vector<std::string> wrong(kThreads);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      const DeviceBuffer buffer(1 << 16);
      const OwnStream stream;
      std::vector<int> numbers;
      const auto launch = [&] {
        TW_CHECK(cudaMemsetAsync(buffer.get(), 0, buffer.bytes(), stream.get()));
      };
      for (int i = 0; i < kTimes; ++i) {
        const std::optional<int> number = timer.time(stream.get(), launch);
        if (!number) continue;  // a busy host may take longer than a hold
        if (i % 3 == 0) {
          timer.drop(*number);
        } else {
          numbers.push_back(*number);
        }
      }
      if (cudaStreamSynchronize(stream.get()) != cudaSuccess) wrong[t] = "the stream failed";
      for (const int number : numbers) {
        const std::optional<double> us = timer.take(number);
        if (!us || !(*us > 0)) wrong[t] = "a time is missing";
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : wrong) CHECK(text.empty());
}

}  // namespace
}  // namespace tilewright
