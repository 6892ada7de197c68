// What the command line asks of gate, in the library's types.
#pragma once

#include <optional>
#include <string>

#include "gate/gate.hpp"
#include "host/harness_files.hpp"
#include "request/options.hpp"

namespace tilewright {

/// Every text of the options is parsed, and every file that the gate writes can be written.
struct GateRequest : GateSettings {
  bool is_folder = false;                 // the suite is a folder of vLLM's files
  std::optional<HarnessRequest> harness;  // runs the folder's rows; none: they are audited
  double threshold = 0.01;                // the slowdown that fails
  bool overrides_thresholds = false;      // those of the suite
  bool has_text = true;                   // no document replaces the text on standard output
};

/// The value of --mode of this name; none for "auto". Throws a usage error.
std::optional<GateMode> parse_gate_mode(const std::string& name);

/// True for the value of --annotations. Throws a usage error for any other.
bool parse_annotations(const std::string& name);

/// The values of bisect's --mode and --program, and of trend's --export. Throw a usage error.
GateMode parse_bisect_mode(const std::string& name);
std::string parse_bisect_program(const std::string& path);
TrendExport parse_trend_export(const std::string& name);

/// Parses the options once. Throws a usage error for options that contradict each other, for an
/// output that cannot be written, is also an input or is written twice, and for two documents on
/// standard output.
GateRequest read_gate(const GateOptions& options);

}  // namespace tilewright
