// Reads and writes the gate's baseline, schema `tilewright.baseline/2`. Files of schema 1, which
// has no digests, are still read.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "gate/gate.hpp"

namespace tilewright {

/// What the schemas of all versions begin with.
inline constexpr std::string_view kBaselineSchema = "tilewright.baseline/";

/// The YAML text; parses back to the same baseline.
std::string print_baseline(const Baseline& baseline);

/// Returns the text with each case of the same name replaced and new cases appended; every other
/// line stays as it is. Throws a usage error for a file of schema 1, or for a layout that
/// print_baseline() does not produce.
std::string with_cases(std::string_view text, const std::string& source,
                       std::span<const CaseNumbers> cases);

/// Throws a usage error that names the file, the line and the key.
Baseline parse_baseline(std::string_view text, const std::string& source);

/// Reads a file. If it is missing, throws an error that ends with ExitCode::NoBaseline and explains
/// how to create one.
Baseline load_baseline(const std::filesystem::path& path);

}  // namespace tilewright
