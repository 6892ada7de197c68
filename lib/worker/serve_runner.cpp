#include "worker/serve_runner.hpp"

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "store/best_table.hpp"
#include "worker/line_socket.hpp"
#include "worker/messages.hpp"

namespace tilewright {
namespace {

using field_value::written;

// Answers requests, one after the other, with a runner.
class RequestHandler {
 public:
  explicit RequestHandler(Runner& runner) : runner_(runner) {}

  Document handle(const Node& request) {
    const std::string kind = request.at("request").text();
    if (kind == "prepare") return prepare(request);
    if (kind == "build") return build(request);
    if (kind == "describe") return to_document(runner_.describe(request.at("file").text()));
    if (kind == "build_foreign") return written(runner_.build_foreign(contenders(request)));
    if (kind == "mapping") {
      return message_of(runner_.mapping_of(contender(request.at("contender"))));
    }
    if (kind == "round") return written(runner_.time_round(contenders(request)));
    if (kind == "verify") return to_document(runner_.verify(contender(request.at("contender"))));
    if (kind == "verify_round") return to_document(runner_.verify_in_round(contenders(request)));
    if (kind == "count") return written(runner_.count(contenders(request)));
    if (kind == "energy") return energy(request);
    if (kind == "neighbour") return to_document(runner_.measure_neighbour(contenders(request)));
    if (kind == "trace") return message_of(runner_.trace(contender(request.at("contender"))));
    if (kind == "timer_check") return runner_.timer_check();
    throw internal_error(format("a worker process received the unknown request '{}'", kind));
  }

 private:
  Document prepare(const Node& request) {
    known_.clear();
    runner_.prepare(read_workload(request.at("workload")));
    return {{"method", to_document(runner_.method())},
            {"references", written(runner_.reference_contenders())},
            {"library", written(runner_.library_algorithms())}};
  }

  Document build(const Node& request) {
    std::vector<TileConfig> configs;
    field_value::read(request.at("configs"), configs);
    return written(runner_.build(configs));
  }

  Document energy(const Node& request) {
    return to_document(
        runner_.measure_energy(contenders(request).front(), request.at("seconds").number()));
  }

  std::vector<Contender> contenders(const Node& request) {
    std::vector<Contender> all;
    for (const Node& node : request.at("contenders").items()) all.push_back(contender(node));
    return all;
  }

  // A contender that was sent before comes as its name alone.
  const Contender& contender(const Node& node) {
    if (node.is_text()) return known_.at(node.text());
    auto sent = record_from<Contender>(node);
    return known_[sent.name] = std::move(sent);
  }

  Runner& runner_;
  std::map<std::string, Contender> known_;
};

Document refusal(const Error& error, bool is_usable) {
  return {{"error", error.what()}, {"code", static_cast<int>(error.code())}, {"usable", is_usable}};
}

// Empty once the other side has closed.
std::optional<std::string> next_line(LineSocket& socket) {
  while (true) {
    if (std::optional<std::string> line = socket.pop_line()) return line;
    if (!socket.receive(-1)) return std::nullopt;
  }
}

// Takes the socket away from standard output, so that printed text does not reach it.
int take_socket() {
  const int socket = dup(STDIN_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  return socket;
}

// Ends this process once the other side has closed, even while a launch keeps the main thread from
// noticing. The system's parent-death signal is no use: it comes when the parent's thread ends.
class PeerWatchdog {
 public:
  explicit PeerWatchdog(int socket) : thread_([this, socket] { watch(socket); }) {}
  ~PeerWatchdog() {
    is_over_ = true;
    thread_.join();
  }
  PeerWatchdog(const PeerWatchdog&) = delete;
  PeerWatchdog& operator=(const PeerWatchdog&) = delete;

 private:
  void watch(int socket) const {
    constexpr int kLookMs = 50;
    constexpr int kGraceMs = 1000;  // for the main thread to return by itself
    int closed_ms = 0;
    while (!is_over_) {
      pollfd waiting{.fd = socket, .events = POLLRDHUP, .revents = 0};
      const bool is_closed = poll(&waiting, 1, closed_ms > 0 ? 0 : kLookMs) > 0;
      if (!is_closed) continue;
      std::this_thread::sleep_for(std::chrono::milliseconds(kLookMs));
      closed_ms += kLookMs;
      if (closed_ms >= kGraceMs) kill(getpid(), SIGKILL);
    }
  }

  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

}  // namespace

void serve_runner(const std::function<std::unique_ptr<Runner>()>& open) {
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_DFL);
  const int descriptor = take_socket();
  LineSocket socket(descriptor);
  const PeerWatchdog watch(descriptor);
  std::unique_ptr<Runner> runner;
  std::optional<RequestHandler> handler;
  while (true) {
    const std::optional<std::string> line = next_line(socket);
    if (!line) return;
    bool is_usable = true;
    Document message;
    try {
      if (!runner) {
        runner = open();
        handler.emplace(*runner);
      }
      message["answer"] = handler->handle(Node::parse_json(*line, "a request"));
    } catch (const std::exception& exception) {
      const Error error = as_error(exception);
      const bool is_known =
          !is_internal(error) || dynamic_cast<const Error*>(&exception) != nullptr;
      is_usable = is_known && runner && runner->is_usable();
      message = refusal(error, is_usable);
    }
    socket.send_line(line_of(message));
    // Exits without destructors, which would call a device that no longer answers.
    if (!is_usable) _exit(static_cast<int>(ExitCode::Environment));
  }
}

}  // namespace tilewright
