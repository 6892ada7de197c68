#include "layout/text/call_table.hpp"

namespace tilewright {

std::optional<LayoutValue> read_call(std::span<const TextCall> calls, std::string_view name,
                                     const TextReading& reading) {
  for (const TextCall& call : calls) {
    if (call.name != name) continue;
    reading.lexer.expect('(', "before the arguments");
    return call.read(reading);
  }
  return std::nullopt;
}

}  // namespace tilewright
