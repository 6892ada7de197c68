// Compares the evidence of two answers to one problem; the answer with the better evidence is kept.
#pragma once

#include <string_view>

#include "search/foreign_answer.hpp"
#include "search/result.hpp"

namespace tilewright {

/// True if `a` has the better evidence. In this order: it was timed, was verified, comes from a
/// search that excluded no config, has more rounds, a narrower interval, more measured configs, a
/// shorter time; between equals the printed text decides. This is a strict order: no answer is
/// better than itself, and of two different answers exactly one is better.
bool has_better_evidence(const TuneEntry& a, const TuneEntry& b);
/// Of a harness, whose searches often have a budget of few configs, the number of measured configs
/// comes before the rounds.
bool has_better_evidence(const ForeignEntry& a, const ForeignEntry& b);

/// The rule that decided for `kept` and against `dropped`, as text: "because it has more rounds".
std::string_view why_better(const TuneEntry& kept, const TuneEntry& dropped);

}  // namespace tilewright
