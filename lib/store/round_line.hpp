// One round of a race as the keys of a store's line. Its times are a list of [contender, us] or
// [contender, why it was lost]; the clock and the power follow where they are not the round's.
#pragma once

#include <optional>

#include "search/recorder.hpp"
#include "store/document.hpp"

namespace tilewright {

/// Adds the keys of a round: `race`, `round`, `times`, `sm_mhz` and `watts`.
void write_round(const RoundRecord& round, Document& line);

/// Reads a round, or the one launch on a line of schema 1; its contenders are ids. Returns nothing
/// for an impossible time or number; throws Document::exception for values of other types.
std::optional<RoundRecord> round_from(const Document& line);

}  // namespace tilewright
