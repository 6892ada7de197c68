// The messages between a parent and its worker process: one JSON document per line.
//
// A request names its kind in `request`. An answer has `answer`; or it has `error`, with the exit
// code of the Error and whether the worker's device is still usable. The two processes may be of
// different versions.
#pragma once

#include <string>

#include "record/record_fields.hpp"
#include "search/runner.hpp"

namespace tilewright {

template <>
inline constexpr auto kFields<HarnessText> =
    std::array{always<&HarnessText::json>("json"), always<&HarnessText::build>("build"),
               always<&HarnessText::maps>("maps"), when_set<&HarnessText::why_not>("why_not")};

template <>
inline constexpr auto kFields<NeighbourRates> =
    std::array{always<&NeighbourRates::alone_gb_per_s>("alone_gb_per_s", NumberRange::NotNegative),
               always<&NeighbourRates::beside_gb_per_s>("beside_gb_per_s"),
               when_set<&NeighbourRates::why_not>("why_not")};

/// A foreign config, with a list of its values.
Document message_of(const ForeignConfig& config);
ForeignConfig foreign_config_from(const Node& node);

/// Name and config, a foreign config, or the number of the library's algorithm.
template <>
inline constexpr auto kFields<Contender> = std::array{
    always<&Contender::name>("name"), when_set<&Contender::config>("config"),
    when_set<&Contender::reference_algorithm>("algorithm"),
    Field<Contender>{
        .key = "foreign",
        .is_required = false,
        .is_set = MemberPath<&Contender::foreign>::differs,
        .written = [](const Contender& one) { return message_of(*one.foreign); },
        .read = [](const Node& node, Contender& one) { one.foreign = foreign_config_from(node); }}};

/// Tiles as rows of m and n: there are many.
Document message_of(const ForeignMapping& mapping);
/// What message_of() wrote. Throws a usage error for anything else.
ForeignMapping mapping_from(const Node& node);

/// `records` as lists of values, since traces are long, and `second` if there is one.
Document message_of(const KernelTrace& trace);
/// What message_of() wrote. Throws a usage error for anything else.
KernelTrace trace_from(const Node& node);

/// One line without its newline; what is not UTF-8 is replaced.
std::string line_of(const Document& message);

}  // namespace tilewright
