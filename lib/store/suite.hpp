// A suite: the named cases that the gate checks, and the rules to judge them.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gate/case_rules.hpp"
#include "gate/gate.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// A problem and the config to run it with; the model chooses the keys that the config leaves out.
struct SuiteCase {
  std::string name;
  Workload problem;
  ConfigRequest config;
  CaseRules rules = {};      // the suite's where the case has none
  int line = 0;              // of the file, from 1
  std::string harness = {};  // FILE[:axis=value,...] in the place of the config; empty: none
  bool operator==(const SuiteCase&) const = default;
};

struct Suite {
  std::vector<SuiteCase> cases;
  std::vector<Waiver> waivers;
  bool operator==(const Suite&) const = default;
};

/// Reads schema `tilewright.suite/1`: `cases`, each `name`, `problem`, and where wanted the
/// others of case_keys(); `threshold`, `judge`, `trade` and
/// `waivers` for all. Throws a usage error with file, line and key; names come once.
Suite parse_suite(std::string_view text, const std::string& source);

/// Reads a file: first as a plain path, then from the presets folder. Keeps only the cases of these
/// names; all if none is given. Throws a usage error for an unknown name, too.
Suite load_suite(std::string_view path, std::span<const std::string> cases = {});

/// Throws a usage error with the first name that `source` has no case of.
void require_case_names(std::span<const std::string> names, std::span<const std::string_view> known,
                        std::string_view source);

/// A key of a suite with its meaning and an example, for `help suite`.
struct SuiteKey {
  std::string_view key;
  std::string_view meaning;
  std::string_view example;
};
std::span<const SuiteKey> suite_keys();
std::vector<SuiteKey> case_keys();        // of an item of `cases`
std::span<const SuiteKey> waiver_keys();  // of an item of `waivers`

}  // namespace tilewright
