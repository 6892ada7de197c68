// fake_worker FAULT...: serves a fake GPU with kernels that fail as each FAULT describes:
// WHEN:STAGES:HOW, with WHEN one of prepare, build (both with 0 stages), verify, round and "verify
// round", and HOW one of crash, hang, exit and fault. With :FILE appended the fault occurs only
// once: the worker then writes the file.

#include "support/fake_worker.hpp"

#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "worker/serve_runner.hpp"

namespace tilewright {
namespace {

struct Fault {
  std::string when;
  int stages = 0;
  std::string how;
  std::string file;
};

Fault fault_of(const std::string& text) {
  const std::vector<std::string_view> parts = split(text, ':');
  return {.when = std::string(parts.at(0)),
          .stages = std::stoi(std::string(parts.at(1))),
          .how = std::string(parts.at(2)),
          .file = parts.size() > 3 ? std::string(parts[3]) : std::string()};
}

class FaultyRunner : public testing::FakeRunner {
 public:
  explicit FaultyRunner(std::vector<Fault> faults) : faults_(std::move(faults)) {
    testing::make_worker_times(*this);
  }

  void prepare(const Workload& workload) override {
    misbehave("prepare", std::nullopt);
    FakeRunner::prepare(workload);
  }
  std::vector<BuildResult> build(std::span<const TileConfig> configs) override {
    misbehave("build", std::nullopt);
    return FakeRunner::build(configs);
  }
  Verification verify(const Contender& contender) override {
    misbehave("verify", contender.config);
    return FakeRunner::verify(contender);
  }
  std::vector<LaunchTime> time_round(std::span<const Contender> contenders) override {
    for (const Contender& contender : contenders) {
      misbehave("round", contender.config);
    }
    return FakeRunner::time_round(contenders);
  }
  Verification verify_in_round(std::span<const Contender> contenders) override {
    misbehave("verify round", contenders.back().config);
    return FakeRunner::verify_in_round(contenders);
  }
  bool is_usable() override { return is_usable_; }

 private:
  void misbehave(const std::string& when, const std::optional<TileConfig>& config) {
    for (const Fault& fault : faults_) {
      if (fault.when != when || (config ? config->stages : 0) != fault.stages) continue;
      if (!fault.file.empty()) {
        if (std::filesystem::exists(fault.file)) continue;
        std::ofstream(fault.file) << "once\n";
      }
      if (fault.how == "crash") std::raise(SIGSEGV);
      if (fault.how == "exit") _exit(3);
      while (fault.how == "hang") pause();
      is_usable_ = false;
      throw environment_error("an illegal memory access was encountered");
    }
  }

  std::vector<Fault> faults_;
  bool is_usable_ = true;
};

}  // namespace
}  // namespace tilewright

int main(int argc, char** argv) {
  // An intended crash prints no report.
  std::signal(SIGSEGV, SIG_DFL);
  tilewright::serve_runner([&] {
    std::vector<tilewright::Fault> faults;
    for (int i = 1; i < argc; ++i) faults.push_back(tilewright::fault_of(argv[i]));
    return std::make_unique<tilewright::FaultyRunner>(std::move(faults));
  });
}
