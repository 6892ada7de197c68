// The constants of a kernel as the text of its config.cuh.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "base/text.hpp"

namespace tilewright {

template <class Constants>
std::string initializer_text(std::string_view type, const Constants& constants);

/// A value of type `type` as an expression that a kernel's program reads.
template <class Value>
std::string constant_text(std::string_view type, const Value& value) {
  if constexpr (std::is_same_v<Value, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_enum_v<Value>) {
    return format("static_cast<{}>({})", type, static_cast<int>(value));
  } else if constexpr (std::is_integral_v<Value>) {
    return format("{}", value);
  } else {
    return initializer_text(type, value);
  }
}

/// "{.cta_m = 128, ...}" of everything that for_each_constant() visits.
template <class Constants>
std::string initializer_text(std::string_view type, const Constants& constants) {
  std::string text;
  constants.for_each_constant([&](std::string_view name, const auto& value) {
    const std::string own_type = format("decltype({}::{})", type, name);
    text += format("{}.{} = {}", text.empty() ? "" : ", ", name, constant_text(own_type, value));
  });
  return "{" + text + "}";
}

/// The definition of a constant of type `type`, which `header` declares.
template <class Value>
std::string definition_text(std::string_view header, std::string_view type, std::string_view name,
                            const Value& value) {
  return format("#pragma once\n#include \"{}\"\ninline constexpr {} {} = {};\n", header, type, name,
                constant_text(type, value));
}

}  // namespace tilewright
