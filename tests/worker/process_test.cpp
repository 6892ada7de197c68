// Workers that do not read, do not end, or outlive the process that started them.
#include "worker/process.hpp"

#include <doctest/doctest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "support/error_message.hpp"

namespace tilewright {
namespace {

using Clock = std::chrono::steady_clock;
using testing::contains;

const std::vector<std::string> kDeaf = {"/bin/sh", "-c", "trap '' TERM; exec sleep 20"};
const std::string kRequest = R"({"request":"timer_check"})";
constexpr double kAtMostS = 5;  // the deaf worker lives 20 s

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

TEST_CASE("a request that the worker does not read is given up in time, long or short") {
  for (const size_t length : {size_t{10}, size_t{8} << 20}) {
    const auto begin = Clock::now();
    WorkerProcess worker(kDeaf);
    CHECK(!worker.exchange(std::string(length, 'x'), 0.1));
    CHECK(contains(worker.exit_reason(), "gave no answer"));
    CHECK(!worker.is_running());
    CHECK(seconds_since(begin) < kAtMostS);
  }
}

TEST_CASE("Ctrl-C ends a request that the worker does not read") {
  WorkerProcess worker(kDeaf);
  std::thread ctrl_c([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    request_interruption();
  });
  CHECK_THROWS_AS(worker.exchange(std::string(size_t{8} << 20, 'x'), 20), Error);
  ctrl_c.join();
  clear_interruption();
}

TEST_CASE("a request longer than the pipe's buffer arrives whole") {
  WorkerProcess worker({TILEWRIGHT_FAKE_WORKER});
  const std::string line =
      R"({"request":"timer_check","padding":")" + std::string(size_t{4} << 20, 'y') + "\"}";
  CHECK(worker.exchange(line, 20) == worker.exchange(kRequest, 5));
}

TEST_CASE("a worker that cannot be killed is left running, as an environment error") {
  std::array<pid_t, 2> killed{};
  const KillPolicy unkillable{.kill =
                                  [&killed](pid_t id, int signal) {
                                    killed = {id, signal};
                                    return 0;
                                  },
                              .grace = std::chrono::milliseconds(50)};
  const auto begin = Clock::now();
  {
    WorkerProcess worker(kDeaf, unkillable);
    const std::string error_message =
        testing::error_message_of([&] { worker.exchange("x", 0.1); }, ExitCode::Environment);
    CHECK(contains(error_message, "gave no answer for 0 s and was ended and still exists"));
    CHECK(!worker.is_running());
  }
  { const WorkerProcess unasked(kDeaf, unkillable); }
  CHECK(seconds_since(begin) < kAtMostS);
  CHECK(killed[1] == SIGKILL);
}

TEST_CASE("a worker outlives the thread that made it") {
  std::optional<WorkerProcess> worker;
  std::thread([&worker] {
    worker.emplace(std::vector<std::string>{TILEWRIGHT_FAKE_WORKER});
    CHECK(worker->exchange(kRequest, 5));
  }).join();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK(worker->exchange(kRequest, 5));
}

// The id of a worker that hangs. The process that started it has ended.
pid_t orphan() {
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  const pid_t parent = fork();
  if (parent == 0) {
    WorkerProcess worker({TILEWRIGHT_FAKE_WORKER, "prepare:0:hang"});
    const pid_t id = worker.id();
    if (write(ends[1], &id, sizeof(id)) != sizeof(id)) _exit(1);
    std::thread([&worker] {
      const std::string shape = R"("problem":"64x64x64","dtype":"bf16","layout":"tn")";
      worker.exchange(R"({"request":"prepare","workload":{)" + shape + "}}", 20);
    }).detach();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    _exit(0);
  }
  pid_t id = 0;
  REQUIRE(read(ends[0], &id, sizeof(id)) == sizeof(id));
  for (const int end : ends) close(end);
  REQUIRE(waitpid(parent, nullptr, 0) == parent);
  return id;
}

TEST_CASE("a worker that hangs ends with the process that made it") {
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // so that this process can wait for its end
  const pid_t id = orphan();
  const auto begin = Clock::now();
  pid_t ended = 0;
  while (ended == 0 && seconds_since(begin) < kAtMostS) {
    ended = waitpid(id, nullptr, WNOHANG);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  prctl(PR_SET_CHILD_SUBREAPER, 0);
  CHECK(ended == id);
  if (ended == 0) kill(id, SIGKILL);
}

}  // namespace
}  // namespace tilewright
