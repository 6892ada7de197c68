// The entries of `tilewright help layouts`.
#pragma once

#include <vector>

#include "help_topics.hpp"

namespace tilewright {

/// The notation of layouts, each operation on them, and the dialects of --dialect.
std::vector<HelpEntry> layout_words();

}  // namespace tilewright
