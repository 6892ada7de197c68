#include "ship/license_expression.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "base/escape.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

constexpr std::string_view kOperators[] = {"AND", "OR", "WITH"};

bool is_operator(std::string_view word) {
  return std::count(std::begin(kOperators), std::end(kOperators), word) > 0;
}

// An idstring of the grammar.
bool is_id(std::string_view text) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-.";
  return !text.empty() && text.find_first_not_of(kLetters) == std::string_view::npos;
}

// ["DocumentRef-" idstring ":"] prefix idstring
bool is_reference(std::string_view text, std::string_view prefix) {
  constexpr std::string_view kDocument = "DocumentRef-";
  if (text.starts_with(kDocument)) {
    const size_t colon = text.find(':');
    if (colon == std::string_view::npos) return false;
    if (!is_id(text.substr(kDocument.size(), colon - kDocument.size()))) return false;
    text.remove_prefix(colon + 1);
  }
  return text.starts_with(prefix) && is_id(text.substr(prefix.size()));
}

// An idstring that is no operator and does not begin as a reference.
bool is_plain_id(std::string_view text) {
  const bool is_reserved = text.starts_with("DocumentRef-") || text.starts_with("LicenseRef-") ||
                           text.starts_with("AdditionRef-");
  return is_id(text) && !is_operator(text) && !is_reserved;
}

bool is_license(std::string_view word) {
  if (is_reference(word, "LicenseRef-")) return true;
  if (word.ends_with('+')) word.remove_suffix(1);
  return is_plain_id(word);
}

bool is_exception(std::string_view word) {
  return is_reference(word, "AdditionRef-") || is_plain_id(word);
}

// Reads the words from left to right; the parentheses are all that nests.
class ExpressionReader {
 public:
  explicit ExpressionReader(std::string_view text) : text_(text) {}

  // What is wrong with the text; empty for an expression.
  std::string fault() {
    for (std::string_view word = next(); !word.empty(); word = next()) {
      const std::string wrong = take(word);
      if (!wrong.empty()) {
        return format("character {}, '{}': {}", at_ - word.size() + 1, one_line(word), wrong);
      }
    }
    if (open_ > 0) return "a parenthesis is not closed";
    const bool is_ended = expected_ == Expected::Operator || expected_ == Expected::OperatorOrWith;
    return is_ended ? "" : "a licence is missing at its end";
  }

 private:
  enum class Expected { License, Exception, OperatorOrWith, Operator };

  std::string_view next() {
    const size_t begin = std::min(text_.find_first_not_of(' ', at_), text_.size());
    const bool is_sign = begin < text_.size() && (text_[begin] == '(' || text_[begin] == ')');
    at_ = is_sign ? begin + 1 : std::min(text_.find_first_of(" ()", begin), text_.size());
    return text_.substr(begin, at_ - begin);
  }

  std::string take(std::string_view word) {
    switch (expected_) {
      case Expected::License: return take_license(word);
      case Expected::Exception:
        expected_ = Expected::Operator;
        return is_exception(word) ? "" : "WITH takes the identifier of an exception";
      case Expected::OperatorOrWith:
      case Expected::Operator: return take_operator(word);
    }
    return "";
  }

  std::string take_license(std::string_view word) {
    if (word == "(") {
      ++open_;
      return "";
    }
    expected_ = Expected::OperatorOrWith;
    return is_license(word) ? ""
                            : "no licence: it has letters, digits, '-' and '.', and may end with "
                              "'+', or is LicenseRef-NAME";
  }

  std::string take_operator(std::string_view word) {
    if (word == ")") {
      expected_ = Expected::Operator;
      return open_-- > 0 ? "" : "no parenthesis is open";
    }
    if (word == "WITH" && expected_ != Expected::OperatorOrWith) {
      return "WITH must follow one licence";
    }
    expected_ = word == "WITH" ? Expected::Exception : Expected::License;
    return is_operator(word) ? "" : "AND, OR, WITH or the end is expected";
  }

  std::string_view text_;
  size_t at_ = 0;  // behind the word that was read last
  Expected expected_ = Expected::License;
  int64_t open_ = 0;
};

}  // namespace

void require_license_expression(std::string_view text) {
  const std::string fault = ExpressionReader(text).fault();
  if (fault.empty()) return;
  throw usage_error(
      format("--license '{}' is no SPDX licence expression: {}; give an identifier of "
             "spdx.org/licenses such as MIT, LicenseRef-NAME for another licence, or several "
             "joined by AND and OR",
             one_line(text), fault));
}

}  // namespace tilewright
