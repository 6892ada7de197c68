// Words of programs that name no layout, and what to write instead.
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

/// Why `word` is not read, with a spelling that is; empty for a word not known here.
std::string why_refused(std::string_view word);

}  // namespace tilewright
