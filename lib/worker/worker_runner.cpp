#include "worker/worker_runner.hpp"

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "store/best_table.hpp"
#include "tile/config/config_keys.hpp"
#include "worker/messages.hpp"
#include "worker/process.hpp"

namespace tilewright {
namespace {

// What a worker wrote for a record.
template <class Record>
Record from(const Node& node) {
  return record_from<Record>(node);
}

constexpr int kMaxWorkers = 64;  // for one workload

class WorkerRunner : public Runner {
 private:
  // The worker's answer, parsed. Throws an environment error if it has another form.
  template <typename Reader>
  auto read(const Node& node, const Reader& reader) const {
    try {
      return reader(node);
    } catch (const Error& error) {
      throw environment_error(format("the worker process of {} sent an unexpected answer: {}",
                                     device_.name, error.what()));
    }
  }

  template <typename Reader>
  auto read_list(const Node& nodes, size_t count, const Reader& reader) const {
    return read(nodes, [&](const Node& list) {
      std::vector<decltype(reader(list))> all;
      for (const Node& node : list.items(count)) all.push_back(reader(node));
      return all;
    });
  }

 public:
  WorkerRunner(std::vector<std::string> command, const DeviceSpec& device, WorkerLimits limits)
      : command_(std::move(command)), device_(device), limits_(limits) {}

  const DeviceSpec& device() const override { return device_; }

  void prepare(const Workload& workload) override {
    workload_.reset();
    built_.clear();
    lost_.clear();
    started_ = 0;
    is_starting_ = false;
    prepare_here(workload);
    workload_ = workload;
  }

  MeasuringMethod method() const override { return method_; }

  std::vector<BuildResult> build(std::span<const TileConfig> configs) override {
    const Node answer = require(build_request(configs), limits_.other_s);
    std::vector<BuildResult> results = read_list(answer, configs.size(), from<BuildResult>);
    for (const TileConfig& config : configs) built_.push_back(config);
    return results;
  }

  HarnessText describe(const std::string& file) override {
    const Answer answer = exchange({{"request", "describe"}, {"file", file}}, limits_.launch_s);
    if (answer.document) return read(*answer.document, from<HarnessText>);
    return {.json = {}, .build = {}, .why_not = answer.lost};
  }

  // One by one: what ends the process costs the contender that was prepared.
  std::vector<BuildResult> build_foreign(std::span<const Contender> contenders) override {
    std::vector<BuildResult> results;
    for (const Contender& contender : contenders) {
      const Answer answer = ask_field("build_foreign", {&contender, 1}, limits_.other_s);
      if (answer.document) {
        results.push_back(read_list(*answer.document, 1, from<BuildResult>).front());
      } else {
        lost_[contender.name] = answer.lost;
        results.push_back({.reason = answer.lost});
      }
    }
    return results;
  }

  ForeignMapping mapping_of(const Contender& contender) override {
    return launch<ForeignMapping>("mapping", contender, mapping_from, [](const std::string& why) {
      return ForeignMapping{.tiles = {}, .why_not = why};
    });
  }

  std::vector<Contender> reference_contenders() override { return references_; }
  LibraryAlgorithms library_algorithms() override { return library_; }

  Verification verify(const Contender& contender) override {
    return launch<Verification>("verify", contender, from<Verification>,
                                [](const std::string& why) {
                                  return Verification{.ok = false, .rel_error = 0, .detail = why};
                                });
  }

  std::vector<LaunchTime> time_round(std::span<const Contender> contenders) override {
    std::vector<Contender> field;
    for (const Contender& contender : contenders) {
      if (lost_.count(contender.name) == 0) field.push_back(contender);
    }
    std::map<std::string, LaunchTime> times = times_of(field);
    std::vector<LaunchTime> round;
    for (const Contender& contender : contenders) {
      const auto lost = lost_.find(contender.name);
      round.push_back(lost != lost_.end() ? LaunchTime{.us = 0, .failure = lost->second}
                                          : times.at(contender.name));
    }
    return round;
  }

  // If the round ends the process, the launch that was to be verified takes the blame.
  Verification verify_in_round(std::span<const Contender> contenders) override {
    const Answer answer =
        ask_field("verify_round", contenders, launch_limit_s(contenders.size() + 1));
    if (answer.document) return read(*answer.document, from<Verification>);
    lost_[contenders.back().name] = answer.lost;
    return {.ok = false, .rel_error = 0, .detail = answer.lost};
  }

  EnergyReading measure_energy(const Contender& contender, double seconds) override {
    const Answer answer =
        ask_field("energy", {&contender, 1}, limits_.other_s, {{"seconds", seconds}});
    if (answer.document) return read(*answer.document, from<EnergyReading>);
    return {.energy = std::nullopt, .why_not = answer.lost};
  }

  NeighbourRates measure_neighbour(std::span<const Contender> contenders) override {
    const Answer answer = ask_field("neighbour", contenders, limits_.other_s);
    if (!answer.document) return {.beside_gb_per_s = {}, .why_not = answer.lost};
    return read(*answer.document, [&contenders](const Node& node) {
      auto rates = record_from<NeighbourRates>(node);
      if (rates.why_not.empty() && rates.beside_gb_per_s.size() != contenders.size()) {
        throw node.fail("has another number of rates");
      }
      return rates;
    });
  }

  using Runner::count;
  std::vector<CounterReading> count(std::span<const Contender> contenders) override {
    Answer answer = ask_field("count", contenders, limits_.other_s);
    if (answer.document)
      return read_list(*answer.document, contenders.size(), from<CounterReading>);
    std::vector<CounterReading> readings;
    // A failing profiler proves nothing about a kernel, so each contender is counted alone.
    if (contenders.size() == 1) return {{std::nullopt, answer.lost}};
    for (const Contender& contender : contenders) readings.push_back(Runner::count(contender));
    return readings;
  }

  KernelTrace trace(const Contender& contender) override {
    return launch<KernelTrace>(
        "trace", contender, trace_from,
        [](const std::string& why) -> KernelTrace { throw Error(ExitCode::WrongResult, why); });
  }

  std::string timer_check() override {
    return read(require({{"request", "timer_check"}}, limits_.other_s),
                [](const Node& node) { return node.text(); });
  }

 private:
  // The worker's answer, or why there is none and the worker has ended.
  struct Answer {
    std::optional<Node> document;
    std::string lost;
  };

  struct RemoteError {
    std::string what;
    bool is_usable = false;
    int code = 0;
  };

  bool is_running() const { return process_ && process_->is_running(); }

  // Throws the worker's own error if its device is still usable.
  Answer exchange(const Document& request, double limit_s) {
    if (!is_running()) start();
    const std::optional<std::string> line = process_->exchange(line_of(request), limit_s);
    if (!line)
      return drop_worker(format("the process that launched it {}", process_->exit_reason()));
    const auto message = Node::find_json(*line, "its message", 1);
    const bool is_map = message && message->is_map();
    if (const auto answer = is_map ? message->find("answer") : std::nullopt) return {answer, {}};
    if (!is_map || !message->find("error")) {
      return drop_worker("the process that launched it sent an unexpected answer");
    }
    const auto remote = read(*message, [](const Node& node) {
      return RemoteError{node.at("error").text(), node.at("usable").flag(),
                         node.at("code").small_count()};
    });
    if (!remote.is_usable) return drop_worker(remote.what);
    throw Error(static_cast<ExitCode>(remote.code), remote.what);
  }

  Answer drop_worker(const std::string& why) {
    process_.reset();
    sent_contenders_.clear();
    return {std::nullopt, why};
  }

  // For requests that run no contender's kernel: a worker lost in one was ended from outside, so
  // the request is sent a second time.
  Node require(const Document& request, double limit_s) {
    Answer answer = exchange(request, limit_s);
    if (!answer.document && !is_starting_) answer = exchange(request, limit_s);
    if (answer.document) return *std::move(answer.document);
    throw environment_error(format("the worker process of {} ended during the request to {}: {}",
                                   device_.name, request.at("request").get<std::string>(),
                                   answer.lost));
  }

  // Starts a worker and restores the state of the previous one.
  void start() {
    if (started_++ == kMaxWorkers) {
      throw environment_error(
          format("{} worker processes of {} ended; tilewright device doctor checks the causes",
                 kMaxWorkers, device_.name));
    }
    process_.emplace(command_);
    sent_contenders_.clear();
    if (!workload_) return;
    is_starting_ = true;
    prepare_here(*workload_);
    if (!built_.empty()) require(build_request(built_), limits_.other_s);
    is_starting_ = false;
  }

  void prepare_here(const Workload& workload) {
    const Node answer =
        require({{"request", "prepare"}, {"workload", to_document(workload)}}, limits_.other_s);
    method_ = read(
        answer, [](const Node& node) { return record_from<MeasuringMethod>(node.at("method")); });
    references_ = read(answer, [](const Node& node) {
      std::vector<Contender> references;
      for (const Node& one : node.at("references").items()) {
        references.push_back(record_from<Contender>(one));
      }
      return references;
    });
    library_ = read(answer, [](const Node& node) {
      return record_from<LibraryAlgorithms>(node.at("library"));
    });
    sent_contenders_.clear();
  }

  static Document build_request(std::span<const TileConfig> configs) {
    Document texts = Document::array();
    for (const TileConfig& config : configs) texts.push_back(to_string(config));
    return {{"request", "build"}, {"configs", texts}};
  }

  double launch_limit_s(size_t launches) const {
    constexpr double kSlowest = 1e12;  // operations a second that any kernel reaches
    return limits_.launch_s + static_cast<double>(launches) * flops(*workload_) / kSlowest;
  }

  Document contender_reference(const Contender& contender) {
    if (!sent_contenders_.insert(contender.name).second) return contender.name;
    return to_document(contender);
  }

  template <typename Result, typename Reader, typename Lost>
  Result launch(const std::string& verb, const Contender& contender, const Reader& reader,
                const Lost& lost) {
    const auto known = lost_.find(contender.name);
    if (known != lost_.end()) return lost(known->second);
    if (!is_running()) start();
    const double limit_s = verb == "verify" ? launch_limit_s(2) : limits_.other_s;
    const Answer answer =
        exchange({{"request", verb}, {"contender", contender_reference(contender)}}, limit_s);
    if (answer.document) return this->read(*answer.document, reader);
    lost_[contender.name] = answer.lost;
    return lost(answer.lost);
  }

  Answer ask_field(const char* verb, std::span<const Contender> contenders, double limit_s,
                   Document request = Document::object()) {
    if (!is_running()) start();
    request["request"] = verb;
    request["contenders"] = Document::array();
    for (const Contender& contender : contenders) {
      request["contenders"].push_back(contender_reference(contender));
    }
    return exchange(request, limit_s);
  }

  Answer ask_round(std::span<const Contender> contenders) {
    return ask_field("round", contenders, launch_limit_s(contenders.size()));
  }

  // If a round is lost, each contender runs alone to find the cause; then the round is repeated
  // without those.
  std::map<std::string, LaunchTime> times_of(std::vector<Contender> field) {
    constexpr int kMaxTries = 3;
    std::string why;
    for (int attempt = 0; attempt < kMaxTries; ++attempt) {
      if (field.empty()) return {};
      const Answer answer = ask_round(field);
      if (answer.document) {
        const std::vector<LaunchTime> round =
            read_list(*answer.document, field.size(), from<LaunchTime>);
        std::map<std::string, LaunchTime> times;
        for (size_t i = 0; i < field.size(); ++i) times[field[i].name] = round[i];
        return times;
      }
      why = answer.lost;
      std::erase_if(field, [this](const Contender& contender) { return is_lost_alone(contender); });
    }
    throw environment_error(
        format("rounds of {} end the worker process, and each launch alone does not: {}",
               shapes_text(*workload_), why));
  }

  bool is_lost_alone(const Contender& contender) {
    const Answer answer = ask_round({&contender, 1});
    if (answer.document) return false;
    lost_[contender.name] = answer.lost;
    return true;
  }

  std::vector<std::string> command_;
  DeviceSpec device_;
  WorkerLimits limits_;
  std::optional<WorkerProcess> process_;
  bool is_starting_ = false;
  int started_ = 0;  // workers, since the workload was prepared
  std::set<std::string> sent_contenders_;
  std::optional<Workload> workload_;
  std::vector<TileConfig> built_;
  std::vector<Contender> references_;
  LibraryAlgorithms library_;
  std::map<std::string, std::string> lost_;  // contender -> why
  MeasuringMethod method_;
};

}  // namespace

std::unique_ptr<Runner> make_worker_runner(std::vector<std::string> command,
                                           const DeviceSpec& device, WorkerLimits limits) {
  return std::make_unique<WorkerRunner>(std::move(command), device, limits);
}

}  // namespace tilewright
