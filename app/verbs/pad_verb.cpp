// `analyze pad`: what longer rows of a product's matrices would gain.

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "host/devices.hpp"
#include "render/rank_columns.hpp"
#include "render/report.hpp"
#include "render/table.hpp"
#include "request/job.hpp"
#include "search/padding_advice.hpp"
#include "store/padding_json.hpp"
#include "tile/config/config_keys.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

Problem read_product(const PadOptions& options) {
  const Workload workload = read_workload(options.problem, options.kind);
  require_one_gpu({&workload, 1}, "analyze pad");
  if (!is_product(workload)) {
    throw usage_error(
        "analyze pad takes one product, MxNxK: rows of groups and of updates are never copied");
  }
  return problem_of(workload, 0);
}

std::string rows_text(const PaddingAdvice& advice) {
  const ProductKind& kind = advice.problem.kind;
  return format("A {}, B {}, D {} bytes apart", advice.pitches.a * bytes_of(kind.dtype),
                advice.pitches.b * bytes_of(kind.dtype),
                advice.pitches.d * bytes_of(output_type(kind)));
}

std::string copied_text(const PaddingAdvice& advice) {
  const Repacked& copies = advice.copies;
  if (!advice.given.why_not.empty()) return advice.given.why_not;
  if (copies == Repacked{}) return "none: the kernel reads rows of A and B where they are";
  return format("{} at every call: TMA reads rows that begin at multiples of 16 bytes",
                copies.a && copies.b ? "A and B"
                : copies.a           ? "A"
                                     : "B");
}

// "rows of A 592, B 592 apart", or "K 592, padded with zeros".
std::string change_text(const PaddingAdvice& advice, const PaddedProduct& product) {
  std::vector<std::string> changes;
  const auto add = [&](const char* name, int64_t before, int64_t after) {
    if (before != after) changes.push_back(format("{} {}", name, after));
  };
  const GemmShape& given = advice.problem.shape;
  if (!(product.shape == given)) {
    add("M", given.m, product.shape.m);
    add("N", given.n, product.shape.n);
    add("K", given.k, product.shape.k);
    return join(changes, ", ") + ", padded with zeros";
  }
  const Pitches pitches = pitches_of(advice.problem, product.places);
  add("A", advice.pitches.a, pitches.a);
  add("B", advice.pitches.b, pitches.b);
  add("D", advice.pitches.d, pitches.d);
  return changes.empty() ? "as it is" : format("rows of {} apart", join(changes, ", "));
}

Table table_of(const PaddingAdvice& advice) {
  Table table({{"change", false},
               {"rows begin at", true, 3},
               {"predicted us"},
               {"of the time"},
               {"tile", false, 2}});
  const auto add = [&](const PaddedProduct& product) {
    const std::optional<double> pct = time_pct(advice, product);
    const bool runs = product.why_not.empty();
    table.add_row({change_text(advice, product),
                   product.row_bytes == 0 ? "" : format("{} bytes", product.row_bytes),
                   runs ? time_text(believed_us(product.predicted)) : "no kernel",
                   pct && product.row_bytes > 0 ? format("{:.1f} %", *pct) : "",
                   runs ? to_string(product.config.cta) : ""});
  };
  add(advice.given);
  for (const PaddedProduct& product : advice.padded) add(product);
  return table;
}

std::string verdict(const PaddingAdvice& advice) {
  if (advice.padded.empty()) return "nothing to pad: all rows begin at multiples of 128 bytes";
  const PaddedProduct* const best = best_padding(advice);
  if (best == nullptr) return "padding gains nothing: no change is predicted to be 1 % faster";
  const std::string change = change_text(advice, *best);
  const std::optional<double> pct = time_pct(advice, *best);
  return pct ? format("best: {}: {:.1f} % of the time as it is", change, *pct)
             : format("best: {}", change);
}

// The command that measures the sizes, with the library in each race.
std::string command_text(const PaddingAdvice& advice, const KindOptions& kind) {
  std::vector<std::string> words = {"tilewright tune"};
  if (advice.given.why_not.empty()) words.push_back(to_string(advice.problem.shape));
  for (const PaddedProduct& product : advice.padded) {
    const bool runs = product.why_not.empty();
    if (runs && !(product.shape == advice.problem.shape)) words.push_back(to_string(product.shape));
  }
  words.emplace_back("--race");
  const KindOptions usual;
  const std::pair<std::string_view, std::string KindOptions::*> named[] = {
      {"--dtype", &KindOptions::dtype},           {"--out-dtype", &KindOptions::out_dtype},
      {"--layout", &KindOptions::layout},         {"--epilogue", &KindOptions::epilogue},
      {"--scale-a", &KindOptions::scale_a},       {"--scale-b", &KindOptions::scale_b},
      {"--accumulate", &KindOptions::accumulate}, {"--scale-d", &KindOptions::scale_d}};
  for (const auto& [name, value] : named) {
    if (kind.*value == usual.*value) continue;
    const bool is_call = (kind.*value).find('(') != std::string::npos;
    words.push_back(is_call ? format("{} '{}'", name, kind.*value)
                            : format("{} {}", name, kind.*value));
  }
  if (kind.bias) words.emplace_back("--bias");
  if (kind.absmax) words.emplace_back("--absmax");
  return join(words, " ");
}

}  // namespace

Report run_analyze_pad(const PadOptions& options) {
  const Problem problem = read_product(options);
  const DeviceSpec device = resolve_device(options.device).spec;
  const auto advice = std::make_shared<PaddingAdvice>(padding_advice(problem, device));
  Report report{.notes = rates_notes(device),
                .json = [advice, name = device.name] { return padding_json(*advice, name); },
                .table = [advice] { return table_of(*advice); },
                .violated = violated_checks(options.checks, numbers_of(*advice))};
  report.text = {Sentence{format("{} on {}, {}; nothing ran", to_string(problem), device.name,
                                 how_ranked(advice->given.predicted))},
                 row("rows", rows_text(*advice)) + row("copied", copied_text(*advice)) + "\n",
                 table_of(*advice), Sentence{verdict(*advice)}};
  if (!advice->padded.empty()) {
    report.text.push_back(Sentence{"measure: " + command_text(*advice, options.kind)});
  }
  return report;
}

}  // namespace tilewright
