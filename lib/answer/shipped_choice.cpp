#include "answer/shipped_choice.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "answer/answer_range.hpp"
#include "answer/group_key.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "model/coarse_price.hpp"
#include "model/estimate.hpp"
#include "model/l2_replay.hpp"
#include "model/price.hpp"
#include "model/timeline.hpp"
#include "search/shortlist.hpp"
#include "tile/plan/legality.hpp"
#include "tile/plan/partial_store.hpp"
#include "tile/plan/sum_order.hpp"

namespace tilewright {
namespace {

// The places without pitches that equal the row length.
OperandPlaces plain_places(const Workload& workload, OperandPlaces places) {
  const Pitches tight = pitches_of(problem_of(workload, 0), {});
  const auto plain = [](MatrixPlace& place, int64_t row) {
    if (place.pitch == row) place.pitch = 0;
    place.alignment = std::min(place.alignment, MatrixPlace{}.alignment);
  };
  plain(places.a, tight.a);
  plain(places.b, tight.b);
  plain(places.c, tight.d);
  plain(places.d, tight.d);
  return places;
}

// True if the kernel is the one for operands with tight rows.
bool runs_as_tight(const Plan& plan) {
  const FamilyRecord& family = record_of(plan.config.family);
  const bool copied_alike =
      !family.loads_by_tma || plan.copies == repacked_operands(plan.product, OperandPlaces{});
  return copied_alike && plan.kernel == family.params(plan.workload, plan.config, {});
}

// A config that can run, with its plan; `us` is the key to sort by.
struct Runnable {
  TileConfig config;
  Plan plan;
  double us = 0;
};

void sort_by_time(std::vector<Runnable>& all) {
  std::stable_sort(all.begin(), all.end(),
                   [](const Runnable& a, const Runnable& b) { return a.us < b.us; });
}

// True for configs of which one stands for both in a short list.
bool is_of_one_kind(const TileConfig& a, const TileConfig& b) {
  return a.family == b.family && a.cta == b.cta && a.cluster == b.cluster &&
         a.decomposition == b.decomposition;
}

// Answers one call.
class Chooser {
 public:
  Chooser(const AnswerTable& table, Workload workload, const OperandPlaces& places,
          const ShippedLimits& limits)
      : table_(table),
        workload_(std::move(workload)),
        places_(plain_places(workload_, places)),
        limits_(limits),
        rules_(workload_, table.device) {}

  std::optional<ShippedChoice> choose() const {
    for (const bool pinned : {true, false}) {
      if (std::optional<ShippedChoice> answer = of_row(pinned)) return answer;
    }
    if (std::optional<ShippedChoice> answer = of_routing()) return answer;
    if (std::optional<ShippedChoice> answer = of_trial()) return answer;
    if (std::optional<ShippedChoice> answer = of_range()) return answer;
    return of_model();
  }

  std::vector<ShippedChoice> shortlist(size_t most, ShortlistSums sums) const {
    const std::optional<ShippedChoice> first = choose();
    if (!first || most == 0) return {};
    std::vector<ShippedChoice> list = {*first};
    const Plan plain = *plan_of(first->config);
    std::vector<Runnable> others = runnable();
    std::erase_if(others, [&](const Runnable& one) {
      return sums == ShortlistSums::SameAsFirst && !has_same_sums(plain, one.plan);
    });
    constexpr size_t kReplayed = 3;  // for each that joins the list
    std::vector<PricedConfig> priced = {{plain.config, replay_us(plain, table_.device)}};
    for (const Runnable& one : distinct(std::move(others), plain.config, kReplayed * most)) {
      priced.push_back({one.config, one.us});
    }
    for (const size_t index : tilewright::shortlist(priced, most)) {
      if (index == 0) continue;
      list.push_back(answer(priced[index].config, AnswerSource::Model, priced[index].us));
    }
    return list;
  }

  // Why the config does not run; empty if it does.
  std::string why_not(const TileConfig& config) const {
    if (needs_host_table(config)) return "it needs a table of the groups' rows from the host";
    if (varies(config)) return "it adds in another order than whole tiles of sm90";
    if (const auto rejection = rules_.reject(config)) {
      return format("rule {}: {}", rejection->rule, rejection->reason);
    }
    const std::optional<Plan> plan = plan_of(config);
    if (!plan) return format("{}: no plan", to_string(config));
    if (std::string why = record_of(config.family).why_no_kernel_for_places(*plan); !why.empty())
      return why;
    return is_shipped(table_, *plan) ? "" : "no shipped kernel takes operands of this layout";
  }

 private:
  bool is_left_out(const TileConfig& config) const {
    const auto& without = limits_.without;
    return std::find(without.begin(), without.end(), config) != without.end();
  }

  // True where an order of sums for every M is asked for, and the config adds otherwise.
  bool varies(const TileConfig& config) const {
    return limits_.invariant && !(workload_.op == MatrixOp::Gemm &&
                                  adds_like(workload_, config, Family::Sm90, DataParallel{}));
  }

  bool needs_host_table(const TileConfig& config) const {
    return limits_.device_rows && grouping_of(workload_, config) == tw::Grouping::Table;
  }

  // Nothing if parts of the config do not fit together at this size.
  std::optional<Plan> plan_of(const TileConfig& config) const {
    try {
      return make_plan(workload_, config, table_.device, {.places = places_});
    } catch (const Error& error) {
      if (is_internal(error)) throw;
      return std::nullopt;
    }
  }

  // The plan of a config that can run.
  std::optional<Plan> served(const TileConfig& config) const {
    if (is_left_out(config) || needs_host_table(config) || varies(config)) return std::nullopt;
    if (rules_.reject(config)) return std::nullopt;
    std::optional<Plan> plan = plan_of(config);
    if (!plan || !record_of(config.family).why_no_kernel_for_places(*plan).empty())
      return std::nullopt;
    if (!is_shipped(table_, *plan)) return std::nullopt;
    return plan;
  }

  const AnswerRow* row_of(const TileConfig& config) const {
    for (const AnswerRow& row : table_.rows) {
      if (row.choice == config && answers_alike(row.problem, workload_)) return &row;
    }
    return nullptr;
  }

  ShippedChoice answer(const TileConfig& config, AnswerSource source, double us) const {
    return {.config = config,
            .options = {.places = places_},
            .source = source,
            .row = row_of(config),
            .predicted_us = us};
  }

  std::optional<ShippedChoice> of_row(bool pinned) const {
    for (const AnswerRow& row : table_.rows) {
      if (row.pinned != pinned || !is_same_call(row.problem, workload_) || !served(row.choice))
        continue;
      ShippedChoice found =
          answer(row.choice, pinned ? AnswerSource::Pinned : AnswerSource::Tuned, row.predicted_us);
      found.row = &row;
      return found;
    }
    return std::nullopt;
  }

  // The row of a group of this layer with the most similar routing.
  std::optional<ShippedChoice> of_routing() const {
    const AnswerRow* nearest = nullptr;
    double least = 0;
    for (const AnswerRow& row : table_.rows) {
      if (!serves(row.problem, workload_)) continue;
      const double distance = routing_distance(row.problem, workload_);
      if (nearest != nullptr && distance >= least) continue;
      if (!served(row.choice)) continue;
      nearest = &row;
      least = distance;
    }
    if (nearest == nullptr) return std::nullopt;
    ShippedChoice found = answer(nearest->choice, AnswerSource::Range, nearest->predicted_us);
    found.row = nearest;
    return found;
  }

  std::optional<ShippedChoice> of_trial() const {
    for (const Trial& trial : table_.trials) {
      if (trial.problem != workload_) continue;
      const Trial::Time* fastest = nullptr;
      for (const Trial::Time& time : trial.times) {
        if (fastest != nullptr && time.us >= fastest->us) continue;
        if (served(time.config)) fastest = &time;
      }
      if (fastest == nullptr) continue;
      const Plan plan = *plan_of(fastest->config);
      ShippedChoice found =
          answer(fastest->config, AnswerSource::Tried, replay_us(plan, table_.device));
      found.trial = &trial;
      return found;
    }
    return std::nullopt;
  }

  std::optional<ShippedChoice> of_range() const {
    const AnswerRange* const range = find_answer_range(table_.ranges, workload_);
    if (range == nullptr) return std::nullopt;
    const std::optional<Plan> plan = served(range->config);
    if (!plan || !runs_as_tight(*plan)) return std::nullopt;
    ShippedChoice found = answer(range->config, range->source, screening_us(*plan, table_.device));
    if (range->source == AnswerSource::Range) found.bucket = find_bucket(table_.buckets, workload_);
    return found;
  }

  // The table's configs, then the same kernels with as many parts as fill the device.
  std::vector<TileConfig> configs() const {
    std::vector<TileConfig> all = configs_alike(table_, workload_);
    const size_t of_table = all.size();
    for (size_t i = 0; i < of_table; ++i) {
      for (const TileConfig& other : other_parts(all[i], workload_, table_.device)) {
        add_config(all, other);
      }
    }
    return all;
  }

  // In the order of configs(); for each, the first form that can run.
  std::vector<Runnable> runnable() const {
    std::vector<Runnable> found;
    for (const TileConfig& config : configs()) {
      for (const TileConfig& form : forms_of(config)) {
        if (rules_.reject(form)) continue;
        if (std::optional<Plan> plan = served(form)) found.push_back({form, std::move(*plan), 0});
        break;
      }
    }
    return found;
  }

  // The kernels in front by the coarse price get the price of a replay. On 2000 random products the
  // choice differed from the one with estimate() for all in 1.3 %, and lost 0.065 % in the mean. A
  // replay of a long product takes up to a millisecond, and the coarse price orders long products
  // better. Replays of a group's many products take longer, and fewer of them are worth it.
  void price(std::vector<Runnable>& all) const {
    constexpr double kCloseProduct = 2.5;
    constexpr double kCloseGroup = 1.5;
    constexpr double kLongUs = 60;
    constexpr size_t kMax = 12;
    constexpr size_t kMaxOfLong = 6;
    constexpr size_t kMaxOfGroup = 4;
    const bool is_several = is_group(workload_);
    const double close_by = is_several ? kCloseGroup : kCloseProduct;
    for (Runnable& one : all) one.us = screening_us(one.plan, table_.device);
    sort_by_time(all);
    const double least_us = all.front().us;
    const auto behind = std::find_if(
        all.begin(), all.end(), [&](const Runnable& one) { return one.us > least_us * close_by; });
    const auto close = static_cast<size_t>(behind - all.begin());
    const size_t most = is_several ? kMaxOfGroup : least_us > kLongUs ? kMaxOfLong : kMax;
    all.resize(std::min(close, most));
    for (Runnable& one : all) one.us = replay_us(one.plan, table_.device);
    sort_by_time(all);
  }

  // The first `most` by the coarse price that differ in kind from `taken` and from each other, by
  // the price of a replay.
  std::vector<Runnable> distinct(std::vector<Runnable> all, const TileConfig& taken,
                                 size_t most) const {
    for (Runnable& one : all) one.us = screening_us(one.plan, table_.device);
    sort_by_time(all);
    std::vector<Runnable> kept;
    for (Runnable& one : all) {
      const bool is_new = !is_of_one_kind(one.config, taken) &&
                          std::none_of(kept.begin(), kept.end(), [&one](const Runnable& other) {
                            return is_of_one_kind(one.config, other.config);
                          });
      if (is_new && kept.size() < most) kept.push_back(std::move(one));
    }
    for (Runnable& one : kept) one.us = replay_us(one.plan, table_.device);
    sort_by_time(kept);
    return kept;
  }

  std::optional<ShippedChoice> of_model() const {
    std::vector<Runnable> all = runnable();
    if (all.empty()) return std::nullopt;
    const Bucket* const bucket = find_bucket(table_.buckets, workload_);
    const auto winner = std::find_if(all.begin(), all.end(), [bucket](const Runnable& one) {
      return bucket != nullptr && !bucket->by_model && one.config == bucket->choice;
    });
    std::optional<double> winner_us;
    if (winner != all.end() && runs_as_tight(winner->plan)) {
      winner_us = replay_us(winner->plan, table_.device);
    }
    price(all);
    if (winner_us && *winner_us <= all.front().us * (1 + kMaxBucketRegret)) {
      ShippedChoice found = answer(bucket->choice, AnswerSource::Range, *winner_us);
      found.bucket = bucket;
      return found;
    }
    return answer(all.front().config, AnswerSource::Model, all.front().us);
  }

  const AnswerTable& table_;
  const Workload workload_;
  const OperandPlaces places_;
  const ShippedLimits limits_;
  WorkloadRules rules_;
};

// A library zeroes counters and sums in the stream before the kernel; in a bench the kernel itself
// leaves zeros for the next launch. 65x253x4096 in graphs of 20 launches takes 1.6 us more than
// other small products do over their kernels' times (H200, 2026-11-25).
double zeroing_us(const Plan& plan) {
  constexpr double kZeroingUs = 1.6;
  const PartialStore store = partial_store(plan);
  return store.tickets > 0 || store.zeroed ? kZeroingUs : 0;
}

Workload normalised_workload(Workload workload) {
  workload.kind = normalised(workload.kind);
  return workload;
}

}  // namespace

double replay_us(const Plan& plan, const DeviceSpec& device) {
  // The places have determined the kernel; no price depends on them beyond that.
  Plan priced = plan;
  priced.options.places = {};
  const double zeroing = zeroing_us(plan);
  if (priced.problems.size() != 1) {
    return zeroing + predict_timeline(priced, price_of(priced, device, ReplayDetail::Coarse)).us;
  }
  return zeroing + estimate(priced, device, replay_l2(priced, device, ReplayDetail::Coarse)).us;
}

double screening_us(const Plan& plan, const DeviceSpec& device) {
  const bool is_tma = record_of(plan.config.family).loads_by_tma;
  return is_tma ? zeroing_us(plan) + coarse_us(plan, device) : replay_us(plan, device);
}

std::optional<ShippedChoice> choose_shipped(const AnswerTable& table, const Workload& workload,
                                            const OperandPlaces& places,
                                            const ShippedLimits& limits) {
  return Chooser(table, normalised_workload(workload), places, limits).choose();
}

std::vector<ShippedChoice> shipped_shortlist(const AnswerTable& table, const Workload& workload,
                                             const OperandPlaces& places,
                                             const ShippedLimits& limits, size_t most,
                                             ShortlistSums sums) {
  return Chooser(table, normalised_workload(workload), places, limits).shortlist(most, sums);
}

std::string why_none_shipped(const AnswerTable& table, const Workload& workload,
                             const OperandPlaces& places, const ShippedLimits& limits) {
  const Workload asked = normalised_workload(workload);
  const std::vector<TileConfig> configs = configs_alike(table, asked);
  if (configs.empty()) return format("no kernel for {} is shipped", to_string(asked));
  if (const auto rejection = reject_workload_kind(asked)) return rejection->reason;
  if (!limits.without.empty()) {
    return format("none of {} shipped configs runs {} on this device", configs.size(),
                  to_string(asked));
  }
  const Chooser chooser(table, asked, places, limits);
  std::string why;
  for (const TileConfig& config : configs) {
    why = chooser.why_not(forms_of(config).back());
    if (why.empty()) return "";
  }
  return format("none of {} shipped configs runs {}: {}", configs.size(), to_string(asked), why);
}

}  // namespace tilewright
