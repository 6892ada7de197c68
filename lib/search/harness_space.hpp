// The parameters of a foreign kernel and their legal combinations.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/expression.hpp"
#include "search/foreign_config.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// A parameter and its possible values.
struct HarnessAxis {
  std::string name;
  std::vector<int64_t> values;
  bool operator==(const HarnessAxis&) const = default;
};

/// What a harness computes, in the words of presets/harness/tilewright_harness.h.
struct HarnessTakes {
  std::vector<std::string> ops;
  std::vector<std::string> dtypes;
  std::vector<std::string> out_dtypes;  // empty: the operands' types
  std::vector<std::string> layouts;
  std::vector<std::string> epilogue;
  std::vector<std::string> needs = {};  // of `epilogue`, in every workload
  bool groups = false;
  bool operator==(const HarnessTakes&) const = default;
};

/// A harness as its library describes it.
struct HarnessDescription {
  std::string name;
  std::string file;
  std::string build;     // hash of the file's bytes
  std::string compiler;  // "triton 3.9.0"; empty: not stated
  bool on_host = false;  // computes in host memory
  bool maps = false;     // it reports which tile a slot computes
  HarnessTakes takes;
  std::vector<HarnessAxis> axes;
  std::vector<Expression> constraints;
  std::vector<std::vector<int64_t>> configs;  // a value per axis; empty: all combinations
  std::vector<AxisValue> default_values;  // what runs where nothing was tuned; empty: not stated
  bool operator==(const HarnessDescription&) const = default;
};

/// The harness's default config. The harness states one.
ForeignConfig default_config(const HarnessDescription& harness);

/// Why the harness does not compute the workload, one sentence; empty where it does.
std::string why_not_taken(const HarnessDescription& harness, const Workload& workload);

/// The scales among words of a harness's epilogue, such as "scale_a" and "scale_b=block:128x128";
/// the last of each operand. Throws a usage error for a scale that no operand has.
Epilogue scales_among(const std::vector<std::string>& words);

/// The legal configs of a harness for a workload, in the order of its values, and the number of
/// rejected ones by the text of the first constraint that they break.
struct HarnessSpace {
  int64_t enumerated = 0;
  std::map<std::string, int64_t> rejected;
  std::vector<ForeignConfig> legal;
  bool operator==(const HarnessSpace&) const = default;
};

/// Every config has the `given` values. In a group, every constraint must hold for each product.
/// Throws a usage error for an axis or a value that the harness does not have, and for more configs
/// than one command walks.
HarnessSpace legal_configs(const HarnessDescription& harness, const Workload& workload,
                           const std::vector<AxisValue>& given = {});

/// The first legal config with the `given` values, however many combinations there are. Throws a
/// usage error for an axis or a value that the harness does not have, and where none of the
/// combinations that one command walks is legal.
ForeignConfig first_legal(const HarnessDescription& harness, const Workload& workload,
                          const std::vector<AxisValue>& given);

}  // namespace tilewright
