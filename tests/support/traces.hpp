// Loads traces for tests.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/files.hpp"
#include "model/timeline.hpp"
#include "store/measured_json.hpp"
#include "support/devices.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {

/// The trace in tests/data/made_up_trace.json.
inline RecordedTrace made_up_trace() {
  const std::string path = TILEWRIGHT_SOURCE_DIR "/tests/data/made_up_trace.json";
  return read_trace(read_file(path), path);
}

/// A launch that runs as predicted, CTA 0 on the last multiprocessor: records of whole units, each
/// CTA's in its order.
inline RecordedTrace as_predicted(const std::string& config, GemmShape shape) {
  RecordedTrace recorded{{.shapes = {shape}}, config_of(parse_config(config)), {}};
  const DeviceSpec device = testing::h200();
  const Plan plan = make_plan(recorded.workload, recorded.config, device);
  const Price price = price_of(plan, device);
  std::vector<WorkSpan> spans;
  predict_timeline(plan, price, &spans);
  const double begin_us = price.copies_us + price.launch_us;
  const auto ns = [begin_us](double us) {
    return static_cast<uint64_t>(std::llround(1000 * (us - begin_us)));
  };
  std::map<std::pair<int64_t, int64_t>, TraceRecord> records;
  for (const WorkSpan& span : spans) {
    if (span.kind == SpanKind::Launch) continue;
    if (span.kind == SpanKind::Reduction) {
      recorded.trace.second = {ns(span.begin_us), ns(span.end_us)};
      continue;
    }
    const auto cta = static_cast<int>(span.cta);
    TraceRecord& r =
        records
            .emplace(std::pair(span.cta, span.unit_index),
                     TraceRecord{cta, 131 - cta, 0, span.work.m, span.work.n, true,
                                 ns(span.begin_us), 0, span.work.k_begin, span.work.k_end})
            .first->second;
    r.start_ns = std::min(r.start_ns, ns(span.begin_us));
    r.end_ns = std::max(r.end_ns, ns(span.end_us));
  }
  for (const auto& record : records) recorded.trace.records.push_back(record.second);
  return recorded;
}

}  // namespace tilewright
