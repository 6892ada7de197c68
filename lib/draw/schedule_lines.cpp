#include "draw/schedule_lines.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "draw/gantt.hpp"
#include "tile/plan/external_schedule.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

bool waits(const PredictedSchedule& p) {
  return p.report.fix_up.parts > 0 && is_turnstile(p.plan.reduction);
}

std::string group_text(const Plan& plan) {
  if (plan.problems.size() == 1) return {};
  return format(", {}, order {}", to_string(plan.config.group_schedule),
                to_string(plan.config.problem_order));
}

// The order in which GPUs visit blocks.
std::string peers_text(const Plan& plan) {
  if (!is_across_gpus(plan.workload)) return {};
  const PeerOptions& keys = plan.config.peers;
  const std::string of_k =
      keys.k_chunks == 1 ? "" : format(", each in {} parts of K", keys.k_chunks);
  return format(", rank order {}, {} of each owner{}", to_string(keys.order),
                counted(keys.chunks, "chunk"), of_k);
}

// What crosses links, and whether all of it arrives.
std::string exchange_text(const PredictedSchedule& p) {
  const Workload& w = p.plan.workload;
  const PeerProof& proof = *p.report.peers;
  const std::string crosses = gathers_rows(w.parallel)
                                  ? format("{} of A cross links", counted(proof.parts, "block"))
                                  : format("{} cross links", counted(proof.parts, "part"));
  const double busiest = static_cast<double>(busiest_link(proof).bytes);
  return format("each GPU computes {}; {}, {} on the busiest{}", to_string(w.shapes.front()),
                crosses, human_bytes(busiest),
                !proof.ends       ? "; DEADLOCK: GPUs wait for each other's parts"
                : !proof.complete ? "; NOT COMPLETE: parts are missing"
                                  : "");
}

// "CTAs 1, 5 never compute".
std::string idle_text(const PredictedSchedule& p, std::span<const DealtUnit> units) {
  constexpr size_t kNamed = 8;
  std::vector<bool> works(static_cast<size_t>(p.report.ctas));
  for (const DealtUnit& dealt : units) {
    if (dealt.unit.kind == UnitKind::Work) works[static_cast<size_t>(dealt.unit.cta)] = true;
  }
  std::vector<std::string> idle;
  for (size_t cta = 0; cta < works.size(); ++cta) {
    if (!works[cta]) idle.push_back(format("{}", cta));
  }
  if (idle.empty()) return {};
  if (idle.size() > kNamed) return format("{} CTAs never compute", idle.size());
  return format("CTA{} {} never compute{}", idle.size() == 1 ? "" : "s", join(idle, ", "),
                idle.size() == 1 ? "s" : "");
}

// "6 of 32 problems are empty: 0, 3, 4, 6, 21, 22".
std::string empty_text(const Plan& plan) {
  constexpr size_t kNamed = 32;
  std::vector<std::string> empty;
  for (size_t i = 0; i < plan.problems.size(); ++i) {
    if (is_empty(plan.problems[i])) empty.push_back(format("{}", i));
  }
  if (empty.empty()) return {};
  const size_t count = empty.size();
  empty.resize(std::min(count, kNamed));
  return format("{} of {} problems are empty: {}{}", count, plan.problems.size(), join(empty, ", "),
                count > kNamed ? ", ..." : "");
}

std::string units_text(const PredictedSchedule& p) {
  const ScheduleReport& r = p.report;
  std::string text =
      format("{} on {}{}, imbalance {:.2f}", counted(r.units, "unit"), counted(r.ctas, "CTA"),
             r.waves ? format(" in {}", counted(*r.waves, "wave")) : "", r.imbalance);
  if (r.early_exit > 0) text += format(", {}", counted(r.early_exit, "early exit"));
  if (r.padded > 0) text += format(", {} for nothing", counted(r.padded, "unit"));
  return text;
}

std::string time_text(const PredictedSchedule& p) {
  const ScheduleReport& r = p.report;
  if (!r.ends) return "DEADLOCK: a part waits for one that cannot start";
  const std::string_view unit = unit_of(p);
  std::string text = r.predicted_us ? format("{}: {:.1f} us predicted", r.device, *r.predicted_us)
                                    : format("{}: no time is predicted", r.device);
  if (!p.spans.empty()) {
    const Tail tail = tail_of(p.spans, sms_of_lanes(p));
    text += format(", tail {:.1f} {}", tail.end_us - tail.begin_us, unit);
  }
  if (waits(p)) text += format(", waiting {:.1f} {} over all CTAs", p.waiting_us, unit);
  return text;
}

std::string fix_up_text(const PredictedSchedule& p) {
  const FixUp& f = p.report.fix_up;
  if (f.parts == 0) return {};
  std::string text =
      format("{} in {}, ", counted(f.divided_tiles, "divided tile"), counted(f.parts, "part"));
  if (waits(p)) text += format("{}, ", counted(p.report.turnstiles.waits, "wait"));
  return text + format("{} of workspace, {} of fix-up traffic",
                       human_bytes(static_cast<double>(f.workspace_bytes)),
                       human_bytes(static_cast<double>(f.traffic_bytes)));
}

}  // namespace

bool is_empty(const PlannedProblem& problem) {
  return problem.tiles.m == 0 || problem.tiles.n == 0;
}

std::string mapping_text(const Plan& plan) {
  const TileConfig& q = plan.config;
  if (plan.options.external) return format("from {}", plan.options.external->name);
  if (is_triangular(plan.workload)) {
    return format("{} of the {} triangle{}, {} scheduler, {}{}", to_string(plan.workload.op),
                  to_string(tw::computed_triangle(plan.workload.uplo)),
                  is_mirrored(plan.workload) ? ", mirrored" : "", to_string(plan.config.visitor),
                  to_string(q.decomposition), group_text(plan));
  }
  const std::string cluster =
      q.cluster == ClusterShape{} ? "" : format(", cluster {}", to_string(q.cluster));
  return format("{}, {}{}{}{}", to_string(q.raster), to_string(q.decomposition), cluster,
                group_text(plan), peers_text(plan));
}

std::vector<int64_t> sms_of_lanes(const PredictedSchedule& p) {
  const Plan& plan = p.plan;
  const int64_t sms = std::max<int64_t>(plan.resident / plan.ctas_per_sm, 1);
  std::vector<int64_t> of_lane;
  for (int64_t place = 0; place < std::min(plan.ctas(), plan.resident); ++place) {
    of_lane.resize(of_lane.size() + static_cast<size_t>(p.lanes_per_cta), place % sms);
  }
  return of_lane;
}

std::string_view unit_of(const PredictedSchedule& p) {
  return p.counts_k_steps ? "k-steps" : "us";
}

std::vector<std::string> number_lines(const PredictedSchedule& p,
                                      std::span<const DealtUnit> units) {
  std::vector<std::string> lines = {units_text(p), time_text(p)};
  if (p.report.peers) lines.insert(lines.begin(), exchange_text(p));
  if (!p.report.not_runnable.empty()) {
    lines.push_back(not_runnable_text(p.report.not_runnable));
  }
  for (const std::string& more : {fix_up_text(p), empty_text(p.plan), idle_text(p, units)}) {
    if (!more.empty()) lines.push_back(more);
  }
  const ScheduleProof& proof = p.report.proof;
  if (!proof.complete) {
    lines.push_back(format("NOT COMPLETE: {} missing, {} computed twice, {} outside",
                           counted(proof.missing_count, "tile"), proof.duplicated_count,
                           proof.outside_count));
  }
  return lines;
}

}  // namespace tilewright
