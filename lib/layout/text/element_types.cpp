#include "layout/text/element_types.hpp"

#include "layout/algebra/recast.hpp"

namespace tilewright {

int64_t element_type(LayoutLexer& lexer) {
  if (lexer.peek().kind != TokenKind::Word) throw lexer.fail("expected an element's type");
  return element_bits(lexer.take().text);
}

std::vector<int64_t> element_types(LayoutLexer& lexer, size_t count) {
  std::vector<int64_t> bits;
  bits.reserve(count);
  lexer.expect('<', "before the type of an element");
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) lexer.expect(',', "between the types of elements");
    bits.push_back(element_type(lexer));
  }
  lexer.expect('>', "after the type of an element");
  return bits;
}

}  // namespace tilewright
