#include "page/program_section.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "page/page_text.hpp"

namespace tilewright {
namespace {

const TuneEntry* answer_to(const Workload& workload, const std::vector<Artefact>& artefacts) {
  for (const Artefact& artefact : artefacts) {
    const auto found =
        std::find_if(artefact.entries.begin(), artefact.entries.end(),
                     [&](const TuneEntry& entry) { return entry.problem == workload; });
    if (found != artefact.entries.end()) return &*found;
  }
  return nullptr;
}

PageCell time_cell(const std::optional<double>& us) {
  if (!us) return {"-"};
  return {us_text(*us), *us};
}

std::string program_verdict(const std::vector<ProgramProduct>& products) {
  double lost = 0;
  double library = 0;
  int64_t calls = 0;
  int64_t measured = 0;
  for (const ProgramProduct& one : products) {
    calls += one.counted.calls;
    const std::optional<double> us = lost_us(one);
    if (!us) continue;
    ++measured;
    lost += *us;
    library += *one.library_us * static_cast<double>(one.counted.calls);
  }
  const std::string all = format("{} calls of {} products", calls, products.size());
  if (measured == 0) {
    return format("{}; no file here has times of the library and of a winner for one of them.",
                  all);
  }
  return format(
      "{}, {} of them timed: the library's {} us would be {} us less with the winners, {:.1f} %.",
      all, measured, us_text(library), us_text(lost), library > 0 ? 100 * lost / library : 0.0);
}

}  // namespace

std::vector<ProgramProduct> program_products(const std::vector<CountedWorkload>& products,
                                             const std::vector<Artefact>& artefacts) {
  std::vector<ProgramProduct> all;
  all.reserve(products.size());
  for (const CountedWorkload& counted : products) {
    ProgramProduct& one = all.emplace_back(ProgramProduct{counted});
    const TuneEntry* const entry = answer_to(counted.workload, artefacts);
    if (entry == nullptr || !entry->reference || !entry->timing) continue;
    one.library_us = entry->reference->median_us;
    one.winner_us = winner_of(*entry) == Winner::Ours ? entry->timing->median_us : *one.library_us;
  }
  return all;
}

std::optional<double> lost_us(const ProgramProduct& product) {
  if (!product.library_us || !product.winner_us) return std::nullopt;
  return (*product.library_us - *product.winner_us) * static_cast<double>(product.counted.calls);
}

PageSection program_section(const std::vector<ProgramProduct>& products,
                            const std::string& source) {
  PageSection section;
  section.title = format("{}: a program's products", source);
  section.verdict = program_verdict(products);
  section.columns = {{.title = "Problem"},
                     {.title = "calls", .is_number = true},
                     {.title = "library, us", .is_number = true},
                     {.title = "winner, us", .is_number = true},
                     {.title = "lost a call, us", .is_number = true},
                     {.title = "lost in all, us",
                      .meaning = "the library's time less the winner's, times the calls",
                      .is_number = true}};
  section.rows.reserve(products.size());
  for (const ProgramProduct& one : products) {
    const std::optional<double> lost = lost_us(one);
    const auto calls = static_cast<double>(one.counted.calls);
    PageRow& row = section.rows.emplace_back();
    row.cells = {{to_string(one.counted.workload)},
                 {format("{}", one.counted.calls), calls},
                 time_cell(one.library_us),
                 time_cell(one.winner_us),
                 time_cell(lost && calls > 0 ? std::optional(*lost / calls) : std::nullopt),
                 time_cell(lost)};
  }
  return section;
}

}  // namespace tilewright
