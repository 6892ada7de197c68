#include "base/expression.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

using Value = std::optional<int64_t>;

Value sum(int64_t a, int64_t b) {
  int64_t value = 0;
  return __builtin_add_overflow(a, b, &value) ? Value() : value;
}

Value difference(int64_t a, int64_t b) {
  int64_t value = 0;
  return __builtin_sub_overflow(a, b, &value) ? Value() : value;
}

Value product(int64_t a, int64_t b) {
  int64_t value = 0;
  return __builtin_mul_overflow(a, b, &value) ? Value() : value;
}

// The remainder has the sign of b. b = -1 is separate, because min % -1 overflows.
Value remainder(int64_t a, int64_t b) {
  if (b == 0) return std::nullopt;
  if (b == -1) return 0;
  const int64_t left = a % b;
  return left != 0 && (left < 0) != (b < 0) ? left + b : left;
}

Value quotient(int64_t a, int64_t b) {
  if (b == 0) return std::nullopt;
  if (b == -1) return difference(0, a);
  return (a - *remainder(a, b)) / b;
}

Value quotient_up(int64_t a, int64_t b) {
  const Value down = quotient(a, b);
  return down && *remainder(a, b) != 0 ? sum(*down, 1) : down;
}

Value multiple_up(int64_t a, int64_t b) {
  const Value up = quotient_up(a, b);
  return up ? product(*up, b) : up;
}

struct Operation {
  std::string_view word;
  int binds;  // precedence, higher binds tighter; 0: a function of two arguments
  Value (*of)(int64_t, int64_t);
};

// Longer spellings first: "<=" starts with "<".
constexpr std::array<Operation, 17> kOperations = {{
    {"||", 1, [](int64_t a, int64_t b) -> Value { return a != 0 || b != 0 ? 1 : 0; }},
    {"&&", 2, [](int64_t a, int64_t b) -> Value { return a != 0 && b != 0 ? 1 : 0; }},
    {"==", 3, [](int64_t a, int64_t b) -> Value { return a == b ? 1 : 0; }},
    {"!=", 3, [](int64_t a, int64_t b) -> Value { return a != b ? 1 : 0; }},
    {"<=", 4, [](int64_t a, int64_t b) -> Value { return a <= b ? 1 : 0; }},
    {">=", 4, [](int64_t a, int64_t b) -> Value { return a >= b ? 1 : 0; }},
    {"<", 4, [](int64_t a, int64_t b) -> Value { return a < b ? 1 : 0; }},
    {">", 4, [](int64_t a, int64_t b) -> Value { return a > b ? 1 : 0; }},
    {"+", 5, sum},
    {"-", 5, difference},
    {"*", 6, product},
    {"/", 6, quotient},
    {"%", 6, remainder},
    {"min", 0, [](int64_t a, int64_t b) -> Value { return std::min(a, b); }},
    {"max", 0, [](int64_t a, int64_t b) -> Value { return std::max(a, b); }},
    {"ceil_div", 0, quotient_up},
    {"round_up", 0, multiple_up},
}};
constexpr int kLoosest = 1;
// Unary operations; their words differ from those of the binary ones.
constexpr std::string_view kNegated = "neg";
constexpr std::string_view kNot = "!";

const Operation* operation_named(std::string_view word) {
  for (const Operation& operation : kOperations) {
    if (operation.word == word) return &operation;
  }
  return nullptr;
}

bool begins_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool goes_on_name(char c) {
  return begins_name(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) { read_.text = std::string(text); }

  Expression whole() {
    read_binary(kLoosest);
    if (!at_end()) throw fail("an operator or the end is missing");
    return std::move(read_);
  }

 private:
  Error fail(std::string_view what) const {
    return usage_error(format("expression '{}': {} at character {}", text_, what,
                              std::min(at_, text_.size()) + 1));
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool at_end() {
    skip_blanks();
    return at_ == text_.size();
  }
  bool take(std::string_view word) {
    skip_blanks();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  void require(std::string_view word) {
    if (!take(word)) throw fail(format("'{}' is missing", word));
  }

  const Operation* next_operation() {
    skip_blanks();
    for (const Operation& operation : kOperations) {
      if (operation.binds > 0 && text_.substr(at_, operation.word.size()) == operation.word) {
        return &operation;
      }
    }
    return nullptr;
  }

  void push(ExpressionStep::Kind kind, int64_t number, std::string_view word) {
    constexpr size_t kMaxSteps = 4096;
    if (read_.steps.size() == kMaxSteps) throw fail("it has more than 4096 values and operations");
    read_.steps.push_back({kind, number, std::string(word)});
  }
  void push_operation(std::string_view word) { push(ExpressionStep::Kind::Operation, 0, word); }

  // Parses a row of operations of at least this precedence, from left to right.
  void read_binary(int binds) {
    constexpr int kMaxNested = 100;
    if (++nested_ > kMaxNested) throw fail("its parts nest deeper than 100");
    read_unary();
    for (const Operation* next = next_operation(); next != nullptr && next->binds >= binds;
         next = next_operation()) {
      at_ += next->word.size();
      read_binary(next->binds + 1);
      push_operation(next->word);
    }
    --nested_;
  }

  void read_unary() {
    std::vector<std::string_view> before;
    while (true) {
      if (take("-")) {
        before.push_back(kNegated);
      } else if (take("!")) {
        before.push_back(kNot);
      } else {
        break;
      }
    }
    read_value();
    for (auto word = before.rbegin(); word != before.rend(); ++word) push_operation(*word);
  }

  void read_value() {
    if (at_end()) throw fail("a value is missing");
    if (take("(")) {
      read_binary(kLoosest);
      require(")");
      return;
    }
    const size_t begin = at_;
    if (begins_name(text_[at_])) {
      while (at_ < text_.size() && goes_on_name(text_[at_])) ++at_;
      read_name(text_.substr(begin, at_ - begin));
      return;
    }
    while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    const std::optional<int64_t> number = parse_count(text_.substr(begin, at_ - begin));
    if (!number) throw fail("a whole number or a name is missing");
    push(ExpressionStep::Kind::Number, *number, {});
  }

  void read_name(std::string_view word) {
    const Operation* const function = operation_named(word);
    if (function == nullptr) {
      push(ExpressionStep::Kind::Name, 0, word);
      return;
    }
    require("(");
    read_binary(kLoosest);
    require(",");
    read_binary(kLoosest);
    require(")");
    push_operation(word);
  }

  std::string_view text_;
  size_t at_ = 0;
  int nested_ = 0;
  Expression read_;
};

// Performs the operation on the top of the stack. Returns why it has no value, or an empty text.
std::string perform(std::string_view word, std::vector<int64_t>& stack) {
  const int64_t last = stack.back();
  if (word == kNot) {
    stack.back() = last == 0 ? 1 : 0;
    return {};
  }
  stack.pop_back();
  const bool is_negation = word == kNegated;
  const Value value =
      is_negation ? difference(0, last) : operation_named(word)->of(stack.back(), last);
  if (!value) {
    const bool divides = word == "/" || word == "%" || word == "ceil_div" || word == "round_up";
    return divides && last == 0 ? "divides by 0" : "does not fit in 64 bits";
  }
  if (is_negation) {
    stack.push_back(*value);
  } else {
    stack.back() = *value;
  }
  return {};
}

}  // namespace

Expression parse_expression(std::string_view text) {
  return Parser(text).whole();
}

std::vector<std::string> names_in(const Expression& expression) {
  std::vector<std::string> names;
  for (const ExpressionStep& step : expression.steps) {
    if (step.kind != ExpressionStep::Kind::Name) continue;
    if (std::find(names.begin(), names.end(), step.word) == names.end()) names.push_back(step.word);
  }
  return names;
}

ExpressionValue evaluate(const Expression& expression, const NamedValue& named) {
  std::vector<int64_t> stack;
  for (const ExpressionStep& step : expression.steps) {
    if (step.kind == ExpressionStep::Kind::Number) {
      stack.push_back(step.number);
    } else if (step.kind == ExpressionStep::Kind::Name) {
      const std::optional<int64_t> value = named(step.word);
      if (!value) return {.why_not = format("'{}' has no value", step.word)};
      stack.push_back(*value);
    } else if (std::string why = perform(step.word, stack); !why.empty()) {
      return {.why_not = std::move(why)};
    }
  }
  return {.value = stack.back()};
}

}  // namespace tilewright
