// `analyze access`: the cost of warp instructions in shared or global memory.

#include <string>
#include <vector>

#include "base/text.hpp"
#include "layout/smem/layout_access.hpp"
#include "store/layout_json.hpp"
#include "verbs/subjects.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

// How many words each bank serves, one character per bank: '.' none, '+' more than nine.
std::string bank_picture(const AccessPhase& phase) {
  std::string picture;
  for (const int words : phase.words_by_bank) {
    picture += words == 0 ? '.' : words > 9 ? '+' : static_cast<char>('0' + words);
  }
  return picture;
}

std::string shared_text(const WarpAccess& access, const Wavefronts& cost, bool show) {
  std::string text = format("{}: {} wavefronts, ideal {}, {} conflicts\n", to_string(access.op),
                            cost.wavefronts, cost.ideal, cost.conflicts);
  if (show) text += "  words by bank        0       8       16      24\n";
  for (const AccessPhase& phase : cost.phases) {
    const std::string lanes = format("lanes {}", lane_list(phase.lanes));
    if (show) {
      text += format("  {:<20} {}  {}\n", lanes, bank_picture(phase), phase.words);
    } else if (phase.words == 1) {
      text += format("  {}: 1 wavefront\n", lanes);
    } else {
      text += format("  {}: {} wavefronts: lanes {} access {} words of bank {}\n", lanes,
                     phase.words, lane_list(phase.bank_lanes), phase.words, phase.bank);
    }
  }
  return text;
}

std::string global_text(const WarpAccess& access, const Coalescing& cost) {
  return format(
      "{}: {} requests, {} sectors of 32 bytes in {} lines of 128 bytes\n"
      "  {} bytes used of {} moved: efficiency {:.2f} %\n",
      to_string(access.op), cost.requests, cost.sectors, cost.lines, cost.bytes_used,
      cost.bytes_moved, 100 * cost.efficiency);
}

std::vector<NamedNumber> numbers_of(const Wavefronts& cost) {
  return {{"wavefronts", static_cast<double>(cost.wavefronts)},
          {"ideal", static_cast<double>(cost.ideal)},
          {"conflicts", static_cast<double>(cost.conflicts)}};
}

std::vector<NamedNumber> numbers_of(const Coalescing& cost) {
  return {{"requests", static_cast<double>(cost.requests)},
          {"sectors", static_cast<double>(cost.sectors)},
          {"lines", static_cast<double>(cost.lines)},
          {"bytes_used", static_cast<double>(cost.bytes_used)},
          {"bytes_moved", static_cast<double>(cost.bytes_moved)},
          {"efficiency", cost.efficiency}};
}

// Checks every access against every check.
template <class Cost>
std::vector<std::string> violations(const std::vector<CheckExpression>& checks,
                                    const std::vector<Cost>& costs) {
  std::vector<std::string> violated;
  for (size_t i = 0; i < costs.size(); ++i) {
    for (const std::string& sentence : violated_checks(checks, numbers_of(costs[i]))) {
      violated.push_back(costs.size() == 1 ? sentence : format("access {}: {}", i, sentence));
    }
  }
  return violated;
}

Report analyze_shared(const AccessRequest& request) {
  const std::vector<WarpAccess>& accesses = request.accesses;
  std::vector<Wavefronts> costs;
  costs.reserve(accesses.size());
  for (const WarpAccess& access : accesses) costs.push_back(count_wavefronts(access));
  std::string text;
  for (size_t i = 0; i < accesses.size(); ++i)
    text += shared_text(accesses[i], costs[i], request.show);
  return {.text = {std::move(text)},
          .json = [accesses, costs] { return shared_access_json(accesses, costs); },
          .violated = violations(request.checks, costs)};
}

Report analyze_global(const AccessRequest& request) {
  const std::vector<WarpAccess>& accesses = request.accesses;
  std::vector<Coalescing> costs;
  costs.reserve(accesses.size());
  for (const WarpAccess& access : accesses) costs.push_back(count_sectors(access));
  std::string text;
  for (size_t i = 0; i < accesses.size(); ++i) text += global_text(accesses[i], costs[i]);
  return {.text = {std::move(text)},
          .json = [accesses, costs] { return global_access_json(accesses, costs); },
          .violated = violations(request.checks, costs)};
}

}  // namespace

Report run_analyze_access(const AccessRequest& request) {
  return request.space == MemorySpace::Shared ? analyze_shared(request) : analyze_global(request);
}

}  // namespace tilewright
