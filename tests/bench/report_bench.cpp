// Times of making the page of the dense suite (its rows contain pictures) and the page of a store
// of 100,000 records.
#include <benchmark/benchmark.h>

#include "page/artefact_section.hpp"
#include "page/report_page.hpp"
#include "page/store_section.hpp"
#include "store/best_table.hpp"
#include "store/device_preset.hpp"
#include "support/made_up_tune.hpp"

namespace tilewright {
namespace {

void add_bytes(benchmark::State& state, const std::string& html) {
  state.counters["bytes"] = static_cast<double>(html.size());
}

void page_of_the_dense_suite(benchmark::State& state) {
  const std::string file = TILEWRIGHT_SOURCE_DIR "/presets/tuned/h200-dense.yaml";
  for (auto _ : state) {
    const Artefact artefact = load_best(file);
    const ReportPage page{
        .title = "dense",
        .sections = {artefact_section(artefact, file, load_device_preset("h200"))}};
    add_bytes(state, page_html(page, to_document(artefact)));
  }
}
BENCHMARK(page_of_the_dense_suite)->Unit(benchmark::kMillisecond);

void page_of_100000_records(benchmark::State& state) {
  const testing::MadeUpTune made = testing::made_up_tune(54, 60, 29);
  for (auto _ : state) {
    const StoreSummary summary = summary_of(made.store);
    const ReportPage page{.title = "store", .sections = {store_section(summary, "store")}};
    add_bytes(state, page_html(page, to_document(summary)));
  }
}
BENCHMARK(page_of_100000_records)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tilewright
