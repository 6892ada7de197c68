// What the command line asks of bench, in the library's types.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/harness_files.hpp"
#include "request/options.hpp"
#include "search/bench.hpp"
#include "search/runner.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// A config of --config: as given, and the keys that it names.
struct NamedConfig {
  std::string text;
  ConfigRequest request;
};

/// What a value of --against names.
struct ReferenceLibraries {
  std::string_view option;
  std::string_view left_out;  // prefix of the references that the option leaves out
  std::string_view words;
};

/// The products of --sweep, one for each value.
struct SweptProduct {
  SweepOptions options;
  std::string words;  // the problem, with the parameter in braces, its types and layout
  /// The workload for a value. Throws a usage error for one that is none.
  std::function<Workload(int64_t)> workload_at;
};

/// Every text of the options is parsed, and every file of problems is read. Strings are names and
/// paths; an empty path stands for no file.
struct BenchRequest {
  std::vector<Workload> workloads;  // a kernel family runs each; none with `sweep`
  std::string device = "auto";
  std::vector<NamedConfig> configs;
  std::vector<HarnessRequest> harnesses;
  std::string from;                             // best.yaml with the configs
  const ReferenceLibraries* against = nullptr;  // null: no library runs
  BenchPolicy policy;
  Regime regime = Regime::Rotate;
  bool shared = false;  // measures although other processes use the GPU
  std::optional<SweptProduct> sweep;
};

/// Parses the options once. Throws a usage error for a text that is malformed, and for options that
/// contradict each other.
BenchRequest read_bench(const BenchOptions& options);

/// True where the workloads have one config each and share a table.
bool is_suite(const BenchRequest& request);

/// The value of --against of this name. Throws a usage error.
const ReferenceLibraries* parse_references(const std::string& against);

/// The values of --against.
std::vector<std::string_view> reference_library_names();

}  // namespace tilewright
