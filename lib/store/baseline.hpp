// The gate's baseline as a file, schema `tilewright.baseline/2`. Files of schema 1, which had no
// digests, are read.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "gate/gate.hpp"

namespace tilewright {

/// The YAML text; parses back to the same baseline.
std::string print_baseline(const Baseline& baseline);

/// The text of a baseline with these cases in the place of those of their names, new ones last;
/// every other line stays as it is. Throws a usage error for a file of schema 1, or one that is
/// laid out otherwise than print_baseline() does.
std::string with_cases(std::string_view text, const std::string& source,
                       std::span<const CaseNumbers> cases);

/// Throws a usage error that names file, line and key of what is wrong.
Baseline parse_baseline(std::string_view text, const std::string& source);

/// Reads a file. A missing one is an error that ends in NoBaseline and says how to make it.
Baseline load_baseline(const std::filesystem::path& path);

}  // namespace tilewright
