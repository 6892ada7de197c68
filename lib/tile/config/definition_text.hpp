// Writes the constants of a kernel as the text of its config.cuh.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

namespace tilewright {

/// Appends a value as a C++ expression: a struct as "{.cta_m = 128, ...}" of all members that its
/// for_each_constant() visits. `type` is the value's type.
template <class Value>
void append_constant(std::string& text, std::string_view type, const Value& value) {
  if constexpr (std::is_same_v<Value, bool>) {
    text += value ? "true" : "false";
  } else if constexpr (std::is_enum_v<Value>) {
    text.append("static_cast<").append(type).append(">(");
    text.append(std::to_string(static_cast<int>(value))).append(")");
  } else if constexpr (std::is_integral_v<Value>) {
    text += std::to_string(value);
  } else {
    text += '{';
    bool is_first = true;
    value.for_each_constant([&](std::string_view name, const auto& constant) {
      text.append(is_first ? "." : ", .").append(name).append(" = ");
      is_first = false;
      std::string own_type;
      using Constant = std::decay_t<decltype(constant)>;
      if constexpr (!std::is_integral_v<Constant>) {
        own_type.append("decltype(").append(type).append("::").append(name).append(")");
      }
      append_constant(text, own_type, constant);
    });
    text += '}';
  }
}

/// The text that defines constant `name` of type `type`; `header` declares the type.
template <class Value>
std::string definition_text(std::string_view header, std::string_view type, std::string_view name,
                            const Value& value) {
  std::string text = "#pragma once\n#include \"";
  text.append(header).append("\"\ninline constexpr ").append(type).append(" ").append(name);
  text += " = ";
  append_constant(text, type, value);
  return text + ";\n";
}

}  // namespace tilewright
