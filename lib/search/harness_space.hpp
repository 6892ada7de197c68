// The parameters of a foreign kernel, and which of their combinations are legal.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/expression.hpp"
#include "search/foreign_config.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// A parameter and the values it may have.
struct HarnessAxis {
  std::string name;
  std::vector<int64_t> values;
  bool operator==(const HarnessAxis&) const = default;
};

/// What a harness computes: words as presets/harness/tilewright_harness.h has them.
struct HarnessTakes {
  std::vector<std::string> ops;
  std::vector<std::string> dtypes;
  std::vector<std::string> out_dtypes;  // empty: those of the operands
  std::vector<std::string> layouts;
  std::vector<std::string> epilogue;
  bool groups = false;
  bool operator==(const HarnessTakes&) const = default;
};

/// A harness by what it says of itself.
struct HarnessDescription {
  std::string name;
  std::string file;
  std::string build;     // hash of the file's bytes
  bool on_host = false;  // runs on host memory
  bool maps = false;     // it says which tile a slot computes
  HarnessTakes takes;
  std::vector<HarnessAxis> axes;
  std::vector<Expression> constraints;
  std::vector<std::vector<int64_t>> configs;  // a value of each axis; empty: all combinations
  bool operator==(const HarnessDescription&) const = default;
};

/// Why the harness does not compute the workload, one sentence; empty where it does.
std::string why_not_taken(const HarnessDescription& harness, const Workload& workload);

/// The legal configs of a harness for a workload, in the order of its values, and what became of
/// the others: by the text of the first constraint that they break.
struct HarnessSpace {
  int64_t enumerated = 0;
  std::map<std::string, int64_t> rejected;
  std::vector<ForeignConfig> legal;
  bool operator==(const HarnessSpace&) const = default;
};

/// `given` values are those of every config. Of a group every constraint holds for each product.
/// Throws a usage error for an axis or a value that the harness does not have, and for more configs
/// than one command walks.
HarnessSpace legal_configs(const HarnessDescription& harness, const Workload& workload,
                           const std::vector<AxisValue>& given = {});

/// One legal config of `given` values: others are the first ones of their axes that are legal
/// together, however many there are. Throws a usage error as legal_configs() does, and where there
/// is none among as many as one command walks.
ForeignConfig first_legal(const HarnessDescription& harness, const Workload& workload,
                          const std::vector<AxisValue>& given);

}  // namespace tilewright
