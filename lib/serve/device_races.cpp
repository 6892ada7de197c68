#include "serve/device_races.hpp"

#include <exception>
#include <utility>

#include "base/text.hpp"
#include "base/version.hpp"
#include "gpu/launch/device_guard.hpp"
#include "search/library_pin.hpp"

namespace tilewright {
namespace {

// This library's kernels in a race, the plain answer among them.
constexpr size_t kMaxOwnCandidates = 8;

std::string product_text(AnswerPolicy policy, const RequestKey& key) {
  std::string text(kAnswerPolicies[static_cast<size_t>(policy)]);
  for (const int64_t word : key.words) text += format(",{}", word);
  return text;
}

// The GPU without what differs between two of a kind.
std::string gpu_text() {
  const std::optional<DeviceFingerprint> gpu = current_device_fingerprint();
  return gpu ? format("{}, {} bytes", to_string(*gpu), gpu->memory_bytes) : "no GPU";
}

}  // namespace

std::string why_not_raced(const RequestKey& key, const ShippedChoice& choice) {
  if (is_grouped(key)) return "it is a group";
  if (is_shared(key)) return "GPUs share the product";
  switch (choice.source) {
    case AnswerSource::Range:
    case AnswerSource::Model: return "";
    case AnswerSource::Tuned: return "the product was tuned";
    case AnswerSource::Pinned: return "the answer is pinned";
    case AnswerSource::Tried: return "its kernels were tried";
  }
  return "";
}

RaceFile& DeviceRaces::file() {
  std::call_once(is_read_, [this] {
    const CacheFolder folder =
        identity_.empty() ? CacheFolder{{}, "the library has no identity"} : open_cache_folder();
    const std::string gpu = gpu_text();
    const std::optional<int64_t> cublaslt = device_.found_library().version;
    file_.emplace(folder, identity_ + "; " + gpu,
                  format("library {} of version {}; {}; driver {}; {}", identity_, kVersion, gpu,
                         driver_version(),
                         cublaslt ? "cuBLASLt " + library_version(*cublaslt) : "no cuBLASLt"));
  });
  return *file_;
}

std::vector<RaceCandidate> DeviceRaces::rivals(AnswerPolicy policy, const RequestKey& key,
                                               const ServedAnswer& plain) {
  const bool is_bitwise = policy == AnswerPolicy::Bitwise;
  const std::vector<ShippedChoice> list = shipped_shortlist(
      table_, workload_of(key), places_of(key), {.device_rows = false, .without = plain.without},
      kMaxOwnCandidates, is_bitwise ? ShortlistSums::SameAsFirst : ShortlistSums::Any);
  std::vector<RaceCandidate> rivals;
  for (const ShippedChoice& choice : list) {
    if (!plain.library && choice.config == plain.choice.config) continue;
    const LaunchMemory memory = launch_memory(plan_of(table_, key, choice));
    rivals.push_back({.name = to_string(choice.config),
                      .choice = choice,
                      .workspace_bytes = workspace_of(memory).bytes()});
  }
  if (is_bitwise || plain.library) return rivals;
  if (const std::shared_ptr<const ServedAnswer> first = device_.make_first_choice(key)) {
    rivals.push_back({.name = first_choice_text(*device_.found_library().version),
                      .workspace_bytes = first->workspace.bytes(),
                      .ready = first});
  }
  return rivals;
}

DeviceRaces::Entry DeviceRaces::make_entry(AnswerPolicy policy, const RequestKey& key,
                                           const std::shared_ptr<const ServedAnswer>& plain) {
  if (std::string why = why_not_raced(key, plain->choice); !why.empty()) return {nullptr, why};
  if (policy == AnswerPolicy::Bitwise && plain->library) {
    return {nullptr, "cuBLASLt answers, whose order of sums is not known"};
  }
  std::vector<RaceCandidate> others = rivals(policy, key, *plain);
  if (others.empty()) return {nullptr, "no other kernel here can take part"};
  RaceCandidate first{.name = "", .workspace_bytes = plain->workspace.bytes(), .ready = plain};
  return {std::make_shared<RacedAnswer>(RaceTrack{device_, timer_, file()}, key,
                                        product_text(policy, key), std::move(first),
                                        std::move(others))};
}

std::shared_ptr<RacedAnswer> DeviceRaces::race(AnswerPolicy policy, const RequestKey& key,
                                               const std::shared_ptr<const ServedAnswer>& plain) {
  if (const std::shared_ptr<const Entry> known = find(policy, key)) return known->race;
  const CaptureModeGuard capture_guard;
  auto made = std::make_shared<Entry>();
  try {
    *made = make_entry(policy, key, plain);
  } catch (const std::exception& error) {
    // The plain answer needs no race.
    clear_launch_error();
    made->why_not = error.what();
  }
  return slots(policy).add(key, made, 0)->race;
}

}  // namespace tilewright
