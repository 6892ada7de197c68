// `tilewright help scales`.
#pragma once

#include <vector>

#include "help_topics.hpp"

namespace tilewright {

/// The words of --scale-a, --scale-b and --accumulate.
std::vector<HelpEntry> scale_words();

}  // namespace tilewright
