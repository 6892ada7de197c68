// The gate's baseline as a file, schema `tilewright.baseline/1`.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "gate/gate.hpp"

namespace tilewright {

/// The YAML text; parses back to the same baseline.
std::string print_baseline(const Baseline& baseline);

/// Throws a usage error that names file, line and key of what is wrong.
Baseline parse_baseline(std::string_view text, const std::string& source);

/// Reads a file. A missing one is an error that ends in NoBaseline and says how to make it.
Baseline load_baseline(const std::filesystem::path& path);

}  // namespace tilewright
