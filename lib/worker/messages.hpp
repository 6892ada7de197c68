// What a parent asks a worker and what that answers: one JSON document a line.
//
// A question names its kind in `ask`. An answer has `answer`, or `error` with the code that its
// Error ends in and whether the worker's device still answers.
#pragma once

#include <string>

#include "search/runner.hpp"
#include "store/document.hpp"

namespace tilewright {

// Each pair reads what it writes. Reading throws Document::exception, or Error, for anything else.

/// Name and config, or the number of the library's algorithm.
Document message_of(const Contender& contender);
Contender contender_from(const Document& node);

Document message_of(const LaunchTime& time);
LaunchTime time_from(const Document& node);

Document message_of(const KernelTrace& trace);
KernelTrace trace_from(const Document& node);

/// One line without its newline; what is not UTF-8 is replaced.
std::string line_of(const Document& message);

}  // namespace tilewright
