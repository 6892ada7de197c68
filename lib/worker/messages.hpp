// The messages between a parent and its worker process: one JSON document per line.
//
// A request names its kind in `request`. An answer has `answer`; or it has `error`, with the exit
// code of the Error and whether the worker's device is still usable.
#pragma once

#include <string>

#include "search/runner.hpp"
#include "store/document.hpp"
#include "store/record_fields.hpp"

namespace tilewright {

template <>
inline constexpr auto kFields<AxisValue> =
    std::array{always<&AxisValue::axis>("axis"), always<&AxisValue::value>("value")};

template <>
inline constexpr auto kFields<ForeignConfig> =
    std::array{always<&ForeignConfig::harness>("harness"), always<&ForeignConfig::file>("file"),
               always<&ForeignConfig::build>("build"), always<&ForeignConfig::values>("values")};

template <>
inline constexpr auto kFields<HarnessText> =
    std::array{always<&HarnessText::json>("json"), always<&HarnessText::build>("build"),
               always<&HarnessText::maps>("maps"), when_set<&HarnessText::why_not>("why_not")};

template <>
inline constexpr auto kFields<TileCoord> =
    std::array{always<&TileCoord::m>("m"), always<&TileCoord::n>("n")};

/// Tiles as rows of m and n: there are many.
Document message_of(const ForeignMapping& mapping);
/// What message_of() wrote. Throws Document::exception for anything else.
ForeignMapping mapping_from(const Document& node);

/// Name and config, a foreign config, or the number of the library's algorithm.
template <>
inline constexpr auto kFields<Contender> =
    std::array{always<&Contender::name>("name"), when_set<&Contender::config>("config"),
               when_set<&Contender::reference_algorithm>("algorithm"),
               when_set<&Contender::foreign>("foreign")};

/// `records` as lists of values, since traces are long, and `second` if there is one.
Document message_of(const KernelTrace& trace);
/// What message_of() wrote. Throws Document::exception for anything else.
KernelTrace trace_from(const Document& node);

/// One line without its newline; what is not UTF-8 is replaced.
std::string line_of(const Document& message);

}  // namespace tilewright
