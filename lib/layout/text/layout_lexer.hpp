// Splits layout texts into tokens.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/error.hpp"

namespace tilewright {

enum class TokenKind { Number, Word, Underscore, Symbol, End };

/// `column` counts from 1. Numbers may be written "_8" or "_-8" (static in CuTe C++). A word holds
/// letters, digits and underscores; it begins with a letter, or with an underscore and a letter.
struct LayoutToken {
  TokenKind kind = TokenKind::End;
  std::string_view text;
  int64_t number = 0;
  size_t column = 0;
};

/// Reads a text token by token, one ahead. Errors quote the text and the column.
class LayoutLexer {
 public:
  /// Throws a usage error for a text of more than 65536 characters.
  explicit LayoutLexer(std::string_view text);

  const LayoutToken& peek() const { return next_; }
  LayoutToken take();
  bool at(char symbol) const { return next_.kind == TokenKind::Symbol && next_.text[0] == symbol; }
  bool at_word(std::string_view word) const {
    return next_.kind == TokenKind::Word && next_.text == word;
  }
  /// True before "name =".
  bool at_argument_name() const;
  /// Takes the next token if it is `symbol`.
  bool accept(char symbol);
  void expect(char symbol, std::string_view what);
  int64_t expect_number(std::string_view what);
  /// Skips the tokens up to and including the next `closing`.
  void skip_to(char closing);
  /// A usage error at the next token.
  Error fail(std::string_view message) const;
  Error fail_at(size_t column, std::string_view message) const;

 private:
  void advance();
  void skip_blanks();
  void read_number(size_t begin);
  [[noreturn]] void reject_unknown(size_t begin) const;

  std::string_view text_;
  size_t at_ = 0;
  LayoutToken next_;
};

}  // namespace tilewright
