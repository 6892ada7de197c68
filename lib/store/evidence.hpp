// Which of two answers of one problem stands: the one with the better evidence.
#pragma once

#include <string_view>

#include "search/result.hpp"

namespace tilewright {

/// True where `a` has the better evidence: it was timed, was verified, has more rounds, a narrower
/// interval, more measured configs, or, where all of these are equal, the shorter time. Between two
/// of one time their texts decide. A strict order: no answer is better than itself, and of two that
/// differ one is, in whichever order they come.
bool has_better_evidence(const TuneEntry& a, const TuneEntry& b);

/// Which of these rules decides for `kept` and against `dropped`: "the one of more rounds".
std::string_view why_better(const TuneEntry& kept, const TuneEntry& dropped);

}  // namespace tilewright
