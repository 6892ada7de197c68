// What a parent asks a worker and what that answers: one JSON document a line.
//
// A question names its kind in `ask`. An answer has `answer`, or `error` with the code that its
// Error ends in and whether the worker's device still answers.
#pragma once

#include <string>

#include "search/runner.hpp"
#include "store/document.hpp"
#include "store/record_fields.hpp"

namespace tilewright {

/// Name and config, or the number of the library's algorithm.
template <>
inline constexpr auto kFields<Contender> =
    std::array{always<&Contender::name>("name"), when_set<&Contender::config>("config"),
               when_set<&Contender::reference_algorithm>("algorithm")};

/// A list of values a record: traces are long.
Document message_of(const KernelTrace& trace);
/// What message_of() wrote. Throws Document::exception for anything else.
KernelTrace trace_from(const Document& node);

/// One line without its newline; what is not UTF-8 is replaced.
std::string line_of(const Document& message);

}  // namespace tilewright
