#include "store/trace_json.hpp"

#include <algorithm>

#include "store/best_document.hpp"
#include "store/document.hpp"

namespace tilewright {

std::string trace_json(const Problem& problem, const TileConfig& config, const KernelTrace& trace) {
  uint64_t begin = trace.records.empty() ? 0 : trace.records.front().start_ns;
  for (const TraceRecord& record : trace.records) begin = std::min(begin, record.start_ns);
  Document document = to_document(problem);
  document["config"] = to_string(config);
  document["slots"] =
      tw::slot_count<long long>(cluster_raster(config), cluster_grid(problem.shape, config));
  document["records"] = Document::array();
  for (const TraceRecord& r : trace.records) {
    document["records"].push_back({{"cta", r.cta},
                                   {"sm", r.sm},
                                   {"slot", r.slot},
                                   {"m", r.m},
                                   {"n", r.n},
                                   {"inside", r.inside},
                                   {"k_begin", r.k_begin},
                                   {"k_end", r.k_end},
                                   {"start_ns", r.start_ns - begin},
                                   {"end_ns", r.end_ns - begin}});
  }
  return to_json(document);
}

}  // namespace tilewright
