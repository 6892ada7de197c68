#include "layout/text/element_types.hpp"

#include "layout/algebra/recast.hpp"

namespace tilewright {

std::vector<int64_t> element_types(LayoutLexer& lexer, size_t count) {
  std::vector<int64_t> bits;
  bits.reserve(count);
  lexer.expect('<', "before the type of an element");
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) lexer.expect(',', "between the types of elements");
    if (lexer.peek().kind != TokenKind::Word) throw lexer.fail("expected an element's type");
    bits.push_back(element_bits(lexer.take().text));
  }
  lexer.expect('>', "after the type of an element");
  return bits;
}

}  // namespace tilewright
