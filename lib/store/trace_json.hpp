// A kernel's own trace, for machines.
#pragma once

#include <string>
#include <string_view>

#include "search/runner.hpp"

namespace tilewright {

/// `problem`, `config`, `slots` and `records`: list of {`cta`, `sm`, `slot`, `m`, `n`, `inside`,
/// `start_ns`, `end_ns`}, times from the first start.
std::string trace_json(const Problem& problem, const TileConfig& config, const KernelTrace& trace);

/// A trace and what ran.
struct RecordedTrace {
  Problem problem;
  TileConfig config;
  KernelTrace trace;
  bool operator==(const RecordedTrace&) const = default;
};

/// Reads what trace_json() writes; `source` is the file's name in messages. Throws a usage error
/// for anything else, and for a trace without records.
RecordedTrace read_trace(std::string_view text, const std::string& source);

}  // namespace tilewright
