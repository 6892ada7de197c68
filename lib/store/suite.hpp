// Suites: the named cases that a gate watches.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tile/config/config_keys.hpp"
#include "tile/workload/problem.hpp"

namespace tilewright {

/// A problem and the config to run it with; what the config leaves out is chosen by the model.
struct SuiteCase {
  std::string name;
  Problem problem;
  ConfigRequest config;
  bool operator==(const SuiteCase&) const = default;
};

/// Reads schema `tilewright.suite/1`: `cases`, each `name`, `problem`, and where wanted `dtype`
/// (bf16) and `config`. Throws a usage error with file, line and key; names come once.
std::vector<SuiteCase> parse_suite(std::string_view text, const std::string& source);

/// Reads a file: a plain path first, then the presets folder.
std::vector<SuiteCase> load_suite(std::string_view path);

}  // namespace tilewright
