// Calls by their names, for readers of layout texts.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "layout/text/text_reading.hpp"

namespace tilewright {

/// A call that has a value; `read` begins behind its opening bracket.
struct TextCall {
  std::string_view name;
  LayoutValue (*read)(const TextReading&);
};

/// Evaluates the call of this name, or returns nullopt if there is none.
std::optional<LayoutValue> read_call(std::span<const TextCall> calls, std::string_view name,
                                     const TextReading& reading);

}  // namespace tilewright
