// What a function needs to read one call of a layout text.
#pragma once

#include <functional>

#include "layout/algebra/derivation.hpp"
#include "layout/algebra/layout_value.hpp"
#include "layout/text/layout_lexer.hpp"

namespace tilewright {

/// The tokens from the call's first bracket on, the reader of a whole expression in it, and where
/// warnings go (may be null).
struct TextReading {
  LayoutLexer& lexer;
  const std::function<LayoutValue()>& next;
  Derivation* why;

  void warn(const char* code, const std::string& message) const {
    if (why != nullptr) why->warn(code, message);
  }
};

}  // namespace tilewright
