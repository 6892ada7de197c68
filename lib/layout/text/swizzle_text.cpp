#include "layout/text/swizzle_text.hpp"

#include <optional>
#include <string_view>
#include <vector>

#include "base/text.hpp"

namespace tilewright {

Swizzle read_swizzle(LayoutLexer& lexer, bool is_type) {
  constexpr std::string_view kNames[] = {"b", "m", "s"};
  const bool angled = lexer.at('<');
  if (!lexer.accept('<') && !lexer.accept('(')) throw lexer.fail("expected '<' or '('");
  int64_t numbers[3] = {};
  for (size_t i = 0; i < 3; ++i) {
    if (i == 2 && is_type && angled && lexer.at('>')) {
      numbers[2] = numbers[0];
      break;
    }
    if (i > 0) lexer.expect(',', "between the numbers of a swizzle");
    if (lexer.at_word(kNames[i])) {
      lexer.take();
      lexer.expect('=', "after the name of an argument");
    }
    numbers[i] = lexer.expect_number("one of the three numbers of a swizzle");
  }
  lexer.expect(angled ? '>' : ')', "after the numbers of a swizzle");
  return make_swizzle(numbers[0], numbers[1], numbers[2]);
}

Swizzle read_swizzle_masks(LayoutLexer& lexer) {
  lexer.expect('<', "before the bits of a swizzle");
  const int64_t read = lexer.expect_number("the bits that a swizzle reads");
  lexer.expect(',', "between the bits read and the bits changed");
  const int64_t changed = lexer.expect_number("the bits that a swizzle changes");
  if (!lexer.accept('>')) {
    throw lexer.fail("make_swizzle<Y,Z>() has two masks; Swizzle<B,M,S> has three numbers");
  }
  lexer.expect('(', "after the bits of a swizzle");
  lexer.expect(')', "after the bits of a swizzle");
  return swizzle_of_masks(read, changed);
}

Swizzle read_swizzle_name(LayoutLexer& lexer, const LayoutToken& name) {
  const std::vector<std::string_view> parts = split(name.text, '_');
  std::vector<int64_t> numbers;
  for (size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].empty() && i + 1 == parts.size() && i == 3) {
      numbers.push_back(lexer.expect_number("the shift of a swizzle"));
    } else if (const auto number = parse_count(parts[i])) {
      numbers.push_back(*number);
    }
  }
  if (numbers.size() != 3 || parts.size() != 4) {
    throw lexer.fail_at(name.column, format("'{}' is not SW_B_M_S", name.text));
  }
  return make_swizzle(numbers[0], numbers[1], numbers[2]);
}

PointerTag read_pointer(LayoutLexer& lexer) {
  lexer.expect('[', "after a pointer");
  const int64_t bits = lexer.expect_number("the bits of an element");
  if (!lexer.at_word("b")) throw lexer.fail("expected 'b', bits");
  lexer.take();
  lexer.expect(']', "after the bits of an element");
  lexer.expect('(', "and the address, such as (unset)");
  lexer.skip_to(')');
  const bool power = bits > 0 && bits <= 1024 && (bits & (bits - 1)) == 0;
  if (!power) throw lexer.fail(format("{} bits an element are not a power of two", bits));
  return PointerTag{bits};
}

}  // namespace tilewright
