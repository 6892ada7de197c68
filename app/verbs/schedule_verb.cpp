// `analyze schedule`: which CTA computes which work, proved and predicted.

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "host/console.hpp"
#include "model/group_modes.hpp"
#include "render/table.hpp"
#include "request/job.hpp"
#include "store/schedule_json.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/equal_decomposition.hpp"
#include "tile/plan/external_schedule.hpp"
#include "tile/plan/group_occupancy.hpp"
#include "tile/plan/legality.hpp"
#include "tile/plan/problem_search.hpp"
#include "tile/plan/schedule_proof.hpp"
#include "tile/plan/schedule_report.hpp"
#include "tile/plan/sum_order.hpp"
#include "verbs/schedule_subject.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

using SearchLists = std::vector<std::vector<ProblemSearchStep>>;

std::string work_text(const WorkTile& w) {
  return format("problem {} ({}, {}) k {}-{}", w.problem, w.m, w.n, w.k_begin, w.k_end);
}

std::string examples(int64_t count, const std::vector<WorkTile>& works) {
  constexpr size_t kShown = 4;
  if (count == 0) return "none";
  std::vector<std::string> shown;
  for (size_t i = 0; i < works.size() && i < kShown; ++i) shown.push_back(work_text(works[i]));
  return format("{} tiles: {}{}", count, join(shown, "; "), works.size() > kShown ? " ..." : "");
}

std::string fix_up_text(const ScheduleReport& r, Reduction reduction) {
  if (r.fix_up.parts == 0) return {};
  std::string text =
      row("divided tiles", format("{} in {} parts, summed by {}", r.fix_up.divided_tiles,
                                  r.fix_up.parts, to_string(reduction)));
  text += row("workspace",
              format("{} MB", megabytes_text(static_cast<double>(r.fix_up.workspace_bytes))));
  text += row("fix-up traffic",
              format("{} MB", megabytes_text(static_cast<double>(r.fix_up.traffic_bytes))));
  if (tw::waits_for_all_in_memory(reduction)) {
    return text +
           row("meetings",
               format("{} parts wait for all other parts of their tile; {}", r.exchanges.parts,
                      r.exchanges.ends ? "none waits forever"
                                       : "DEADLOCK: parts of one tile cannot run at once"));
  }
  if (!is_turnstile(reduction)) return text;
  const std::string verdict =
      r.turnstiles.ends ? "none waits forever" : "DEADLOCK: a part waits for one that cannot start";
  return text + row("turnstiles", format("{} parts wait, in chains of up to {}; {}",
                                         r.turnstiles.waits, r.turnstiles.longest_chain, verdict));
}

std::string waves_text(const ScheduleReport& r) {
  return r.waves ? format(", {} wave{}", *r.waves, *r.waves == 1 ? "" : "s") : "";
}

// The share of padded rows in tiles of several heights, that of the plan named.
std::string padding_text(const ScheduleReport& r) {
  std::vector<std::string> shares;
  shares.reserve(r.paddings.size());
  for (const RowPadding& p : r.paddings) {
    shares.push_back(format("{}{}: {:.1f} %", p.tile_rows,
                            p.tile_rows == r.padding.tile_rows ? " (these)" : "", padding_pct(p)));
  }
  return join(shares, ", ");
}

std::string peers_text(const Workload& workload, const PeerProof& proof) {
  const Parallel& parallel = workload.parallel;
  const bool gathers = gathers_rows(parallel);
  std::string text =
      row("across GPUs", format("{} over {}, each computes {}", to_string(parallel.collective),
                                parallel.gpus, to_string(workload.shapes.front())));
  text += row(gathers ? "blocks of A" : "parts",
              format("{} cross links; {}", proof.parts,
                     proof.complete ? "each GPU gets each of them once"
                                    : format("{} MISSING, {} in a place of two",
                                             proof.missing_count, proof.duplicated_count)));
  const LinkLoad busiest = busiest_link(proof);
  text += row("busiest link",
              format("{} MB from GPU {} to GPU {}",
                     megabytes_text(static_cast<double>(busiest.bytes)), busiest.from, busiest.to));
  return text + row("waits", proof.ends ? "no GPU waits forever"
                                        : "DEADLOCK: GPUs wait for each other's parts");
}

std::string report_text(const ScheduleSubject& subject, const ScheduleReport& r) {
  const Plan& plan = subject.plan;
  const TileConfig& c = plan.config;
  const ScheduleProof& p = r.proof;
  std::string text = row("problem", r.problem);
  if (is_triangular(plan.workload)) {
    text += row("operation", format("{}, {} triangle{}{}", to_string(plan.workload.op),
                                    to_string(tw::computed_triangle(plan.workload.uplo)),
                                    is_mirrored(plan.workload) ? ", mirrored" : "",
                                    visits_square(plan) ? ", plain scheduler" : ""));
  }
  if (plan.options.external) {
    text += row("from", plan.options.external->name);
    text += row("CTA tile", to_string(c.cta));
  } else {
    text += row("config", launch_config_text(c, plan.workload));
    if (!subject.defaults.empty()) {
      text += row("by default", subject.defaults + "; --config takes the fastest values instead");
    }
    text += row("raster", to_string(c.raster));
    text += row("decomposition", to_string(c.decomposition) +
                                     (r.equals ? format("; equals {}", to_string(*r.equals)) : ""));
  }
  if (plan.problems.size() > 1) {
    text += row("group", plan.options.external
                             ? format("{} problems", plan.problems.size())
                             : format("{} problems, {}, order {}", plan.problems.size(),
                                      to_string(c.group_schedule), to_string(c.problem_order)));
  }
  if (r.table_entries > 0) {
    text += row("table", format("{} entries of problem and unit, {}", r.table_entries,
                                human_bytes(static_cast<double>(r.table_bytes))));
  }
  text += row("units", format("{} on {} CTAs{}", r.units, r.ctas, waves_text(r)));
  if (plan.problems.size() > 1) {
    text += row("padded rows", "in tiles of " + padding_text(r));
  }
  text += row("early exits", format("{}", r.early_exit));
  if (r.padded > 0) text += row("padded", format("{} main loops without a result", r.padded));
  text += row("k-steps per CTA",
              format("{} to {}, mean {:.2f}", r.k_steps.min, r.k_steps.max, r.k_steps.mean));
  text += row("imbalance", format("{:.2f}{}", r.imbalance,
                                  r.idle_ctas > 0 ? format(" ({} CTAs idle)", r.idle_ctas) : ""));
  text += row("complete",
              p.complete ? format("yes: every k-step of {} tiles exactly once", p.wanted) : "NO");
  if (!p.complete) {
    text += row("missing", examples(p.missing_count, p.missing));
    text += row("duplicated", examples(p.duplicated_count, p.duplicated));
    text += row("outside", examples(p.outside_count, p.outside));
  }
  text += fix_up_text(r, reduction_of(c.decomposition));
  if (r.peers) text += peers_text(plan.workload, *r.peers);
  text += row("device", r.device);
  text += row("time", r.predicted_us ? format("{:.1f} us (predicted)", *r.predicted_us)
                      : r.ends       ? "-"
                                     : "it never ends");
  if (!r.not_runnable.empty()) text += row("not runnable", not_runnable_text(r.not_runnable));
  return text;
}

// A CTA's units that compute nothing.
struct ForNothing {
  int64_t early_exits = 0;
  int64_t padded = 0;
};

std::vector<ForNothing> units_for_nothing(const Plan& plan, size_t ctas) {
  std::vector<ForNothing> counts(ctas);
  for_each_unit(plan, [&](const ScheduledUnit& unit) {
    ForNothing& of_cta = counts[static_cast<size_t>(unit.cta)];
    if (unit.kind == UnitKind::EarlyExit) ++of_cta.early_exits;
    if (unit.kind == UnitKind::Padded) ++of_cta.padded;
  });
  return counts;
}

// "time: problem 12 60 %, 3 40 %; " of a CTA of a group.
std::string shares_text(const std::vector<ProblemTime>& problems) {
  double all = 0;
  for (const ProblemTime& p : problems) all += p.time;
  std::vector<std::string> shares;
  shares.reserve(problems.size());
  for (const ProblemTime& p : problems) {
    shares.push_back(format("{} {:.0f} %", p.problem, 100 * p.time / all));
  }
  return shares.empty() ? "" : format("time: problem {}; ", join(shares, ", "));
}

std::string assignment_lines(const Plan& plan, const std::vector<std::vector<WorkTile>>& ctas,
                             const std::optional<GroupOccupancy>& occupancy) {
  const std::vector<ForNothing> for_nothing = units_for_nothing(plan, ctas.size());
  std::string text = format("\n{:>6}  {}\n", "cta", "work, k in steps");
  for (size_t cta = 0; cta < ctas.size(); ++cta) {
    std::vector<std::string> works;
    for (const WorkTile& work : ctas[cta]) works.push_back(work_text(work));
    const ForNothing& none = for_nothing[cta];
    if (none.early_exits > 0) {
      works.push_back(
          format("{} early exit{}", none.early_exits, none.early_exits == 1 ? "" : "s"));
    }
    if (none.padded > 0) works.push_back(format("{} padded", none.padded));
    text += format("{:>6}  {}{}\n", cta, occupancy ? shares_text(occupancy->ctas[cta]) : "",
                   works.empty() ? "idle" : join(works, "; "));
  }
  return text;
}

std::string worker_line(size_t worker, const std::vector<std::string>& entries) {
  return format("{:>6}  {}\n", worker, entries.empty() ? "none" : join(entries, "; "));
}

// Adds to our entries the starting tile that CUTLASS's table stores instead of the unit.
std::string table_lines(const Plan& plan, const ScheduleTable& table) {
  const std::vector<int64_t> starts = starting_tiles(plan);
  std::string text =
      format("\n{:>6}  {}\n", "worker",
             "table: problem and unit (slot x slices + slice) @ the problem's starting tile");
  for (size_t worker = 0; worker < table.of_worker.size(); ++worker) {
    std::vector<std::string> entries;
    for (const tw::TableEntry& entry : table.of_worker[worker]) {
      const auto place = static_cast<size_t>(entry.problem);
      entries.push_back(format("{} {} @ {}", plan.order[place], entry.unit, starts[place]));
    }
    text += worker_line(worker, entries);
  }
  return text;
}

std::string search_lines(const Plan& plan, const SearchLists& search) {
  std::string text =
      format("\n{:>6}  {}\n", "worker",
             "search: tile -> problem @ its starting tile, by the lane that holds it");
  for (size_t worker = 0; worker < search.size(); ++worker) {
    std::vector<std::string> looks;
    for (const ProblemSearchStep& step : search[worker]) {
      const auto place = static_cast<size_t>(step.first_place) + static_cast<size_t>(step.lane);
      const std::string sums = step.prefix_sums == 0
                                   ? ""
                                   : format(" after {} prefix sum{}", step.prefix_sums,
                                            step.prefix_sums == 1 ? "" : "s");
      looks.push_back(format("{} -> {} @ {} lane {}{}", step.unit, plan.order[place], step.start,
                             step.lane, sums));
    }
    text += worker_line(worker, looks);
  }
  return text;
}

// Only groups with a host-precomputed schedule have a table to print.
bool has_table(const Plan& plan) {
  return plan.config.group_schedule == GroupSchedule::HostPrecompute;
}
bool has_search(const Plan& plan) {
  return plan.problems.size() > 1 && !plan.options.external &&
         plan.config.group_schedule == GroupSchedule::DeviceOnly &&
         plan.options.emulation == Emulation::None;
}

void require_table(const ScheduleRequest& request, const Plan& plan) {
  if (!request.table || has_table(plan) || has_search(plan)) return;
  throw usage_error(
      "--table prints the host's table, or a group's search on the device: add --group-schedule "
      "host-precompute, or device-only with several problems");
}

std::string modes_text(const GroupModes& compared) {
  std::vector<std::string> modes;
  bool has_times = false;
  for (const GroupMode& mode : compared.modes) {
    const std::optional<double> us = believed_us(mode.predicted);
    has_times |= us.has_value();
    modes.push_back(format("{}{}{}", to_string(mode.schedule), us ? format(" {:.2f} us", *us) : "",
                           mode.not_runnable.empty() ? "" : " (no kernel)"));
  }
  return row("group modes", join(modes, ", ") + (has_times ? " (predicted)" : "")) +
         row("advised",
             to_string(compared.advised) + (has_times ? "" : ", by k-steps of the busiest CTA"));
}

// How a second config's sums compare with the schedule's.
struct Invariance {
  TileConfig with;
  std::optional<SumParting> parting;  // none: every element's terms are added in the same order
};

std::string sums_text(const Plan& plan) {
  const std::optional<SumOrder> order = sum_order_of(plan);
  return order ? to_string(*order) + "; the same order for every M"
               : "in an order that depends on the tile, on M or on which part arrives first";
}

std::string invariance_text(const Invariance& compared) {
  if (!compared.parting) return "yes: every element's terms are added in the same order";
  return format("NO: sums part at k = {}: {}", compared.parting->k, compared.parting->why);
}

// The schedule with its numbers, and the lists that the request asks for.
struct Answer {
  ScheduleSubject subject;
  ScheduleReport report;
  std::optional<std::vector<std::vector<WorkTile>>> assignments;
  std::optional<ScheduleTable> table;
  std::optional<SearchLists> search;
  std::optional<GroupModes> modes;
  std::optional<GroupOccupancy> occupancy;
  std::optional<Invariance> invariance;
  std::vector<LinkSpan> links;
};

Invariance compare_sums(const ScheduleRequest& request, const Plan& plan) {
  if (plan.problems.size() > 1 || plan.options.external) {
    throw usage_error("--invariant-with compares the sums of one product's configs");
  }
  ScheduleRequest other = request;
  other.config = *request.invariant_with;
  other.completes = true;
  const Plan second = plan_schedule(other).plan;
  return {second.config, first_parting(plan, second)};
}

void add_lists(const ScheduleRequest& request, Answer& answer) {
  const Plan& plan = answer.subject.plan;
  if (request.assignments) answer.assignments = assignments(plan);
  if (request.table && has_table(plan)) answer.table = schedule_table(plan);
  if (request.table && has_search(plan)) answer.search = problem_search_steps(plan);
  const bool of_group = plan.problems.size() > 1 && !plan.options.external;
  if (of_group) answer.modes = compare_group_modes(plan, answer.subject.device);
}

std::string json_of(const Answer& answer) {
  const auto address = [](const auto& part) { return part ? &*part : nullptr; };
  return schedule_json(
      answer.subject.plan, answer.report,
      {.assignments = address(answer.assignments),
       .table = address(answer.table),
       .search = address(answer.search),
       .group_modes = address(answer.modes),
       .occupancy = address(answer.occupancy),
       .links = &answer.links,
       .parting = answer.invariance ? address(answer.invariance->parting) : nullptr,
       .compared = answer.invariance ? &answer.invariance->with : nullptr});
}

// The problems that take most of the time, and a line for the others.
void add_problems(const Answer& answer, std::vector<TextPart>& text) {
  constexpr size_t kShown = 12;
  const GroupOccupancy& occupancy = *answer.occupancy;
  std::vector<size_t> ranked;
  for (size_t i = 0; i < occupancy.problems.size(); ++i) {
    if (occupancy.problems[i].ctas > 0) ranked.push_back(i);
  }
  const auto share_of = [&](size_t i) { return 100 * occupancy.problems[i].time / occupancy.time; };
  std::stable_sort(ranked.begin(), ranked.end(),
                   [&](size_t a, size_t b) { return share_of(a) > share_of(b); });
  if (ranked.empty()) return;
  const bool is_time = answer.report.predicted_us.has_value();
  Table table({{"problem", false},
               {is_time ? "time" : "k-steps"},
               {"CTAs"},
               {is_time ? "most of their time" : "most of their k-steps"}});
  double others = 0;
  for (size_t place = 0; place < ranked.size(); ++place) {
    const size_t i = ranked[place];
    const ProblemShare& share = occupancy.problems[i];
    if (place >= kShown) {
      others += share_of(i);
      continue;
    }
    table.add_row({format("{}: {}", i, to_string(answer.subject.plan.workload.shapes[i])),
                   format("{:.1f} %", share_of(i)), format("{}", share.ctas),
                   format("{}", share.mostly)});
  }
  text.emplace_back("\n");
  text.emplace_back(std::move(table));
  std::vector<std::string> rest;
  if (ranked.size() > kShown) {
    rest.push_back(format("{} more problems take {:.1f} %", ranked.size() - kShown, others));
  }
  if (answer.report.empty_problems > 0) {
    rest.push_back(format("{} are empty", answer.report.empty_problems));
  }
  if (!rest.empty()) text.emplace_back(join(rest, "; ") + "\n");
}

std::vector<TextPart> text_of(const Answer& answer) {
  const Plan& plan = answer.subject.plan;
  std::string text = report_text(answer.subject, answer.report);
  text += row("sums", sums_text(plan));
  if (answer.invariance) text += row("invariant", invariance_text(*answer.invariance));
  if (answer.modes) text += modes_text(*answer.modes);
  std::vector<TextPart> parts = {text};
  if (answer.occupancy) add_problems(answer, parts);
  std::string lists;
  if (answer.assignments) lists += assignment_lines(plan, *answer.assignments, answer.occupancy);
  if (answer.table) lists += table_lines(plan, *answer.table);
  if (answer.search) lists += search_lines(plan, *answer.search);
  parts.emplace_back(std::move(lists));
  return parts;
}

}  // namespace

Report run_analyze_schedule(const ScheduleRequest& request) {
  const auto answer = std::make_shared<Answer>();
  answer->subject = plan_schedule(request);
  require_table(request, answer->subject.plan);
  ScheduleReport& report = answer->report;
  std::vector<WorkSpan> spans;
  const bool is_group = answer->subject.plan.problems.size() > 1;
  ScheduleNumbers numbers = report_schedule(answer->subject, is_group ? &spans : nullptr);
  if (is_group) answer->occupancy = group_occupancy(answer->subject.plan, spans);
  report = std::move(numbers.report);
  answer->links = std::move(numbers.links);
  report.equals = equal_decomposition(answer->subject.plan, answer->subject.device);
  Report printed{.notes = rates_notes(answer->subject.device),
                 .json = [answer] { return json_of(*answer); },
                 .violated = violated_checks(request.checks, numbers_of(report))};
  if (request.external) {
    add_fault(request.external->name, fault_of_given(answer->subject.plan, report.proof),
              printed.violated);
  }
  if (request.invariant_with) {
    answer->invariance = compare_sums(request, answer->subject.plan);
    const Invariance& compared = *answer->invariance;
    if (compared.parting) {
      printed.violated.push_back(format("--invariant-with {}: sums part at k = {}: {}",
                                        to_string(compared.with), compared.parting->k,
                                        compared.parting->why));
    }
  }
  add_lists(request, *answer);
  printed.text = text_of(*answer);
  return printed;
}

}  // namespace tilewright
