#include "layout/text/layout_expression.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "layout/algebra/composed_layout.hpp"
#include "layout/algebra/layout_value.hpp"

namespace tilewright {

namespace {

/// Recursive descent; evaluates while it reads.
///   expression: operand ("o" operand)* ("(" coordinate ")")*
///   operand:    tuple [":" tuple] | tiler | "_" | swizzle | pointer | name "(" expressions ")"
class ExpressionReader {
 public:
  ExpressionReader(std::string_view text, Derivation* why) : lexer_(text), why_(why) {}

  LayoutValue read_all() {
    LayoutValue value = expression();
    if (lexer_.peek().kind != TokenKind::End) throw lexer_.fail("expected the end of the layout");
    return value;
  }

 private:
  /// One level of brackets.
  struct Nested {
    explicit Nested(ExpressionReader& owner) : reader(owner) {
      if (++reader.depth_ > kMostDepth) {
        throw reader.lexer_.fail(format("brackets nest deeper than {}", kMostDepth));
      }
    }
    ~Nested() { --reader.depth_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;
    ExpressionReader& reader;
  };

  LayoutValue expression() {
    const Nested nested(*this);
    std::vector<LayoutValue> chain = {operand()};
    while (lexer_.at_word("o") || lexer_.at_word("smem_ptr") || lexer_.at_word("_smem_ptr")) {
      if (lexer_.at_word("o")) lexer_.take();
      chain.push_back(operand());
    }
    LayoutValue value = combine(std::move(chain));
    while (lexer_.at('(')) value = applied(value);
    return value;
  }

  LayoutValue applied(const LayoutValue& value) {
    const ComposedLayout layout = as_layout(value, "what stands before a coordinate");
    lexer_.expect('(', "before a coordinate");
    std::vector<LayoutValue> items = list(')');
    std::vector<IntTuple> coords;
    coords.reserve(items.size());
    for (const LayoutValue& item : items) coords.push_back(as_tuple(item, "a coordinate"));
    const IntTuple coord = unwrap(std::move(coords));
    const IntTuple result = value_at(layout, coord);
    if (why_ != nullptr) {
      why_->say(format("({})({}) = {}", to_string(layout), to_string(coord), to_string(result)));
    }
    return CodomainValue{result};
  }

  // From the right: A o (B o C); a swizzle, an offset and a layout make one composed layout.
  LayoutValue combine(std::vector<LayoutValue> chain) {
    while (chain.size() > 1) {
      const size_t n = chain.size();
      const LayoutValue right = chain[n - 1];
      const auto* const pointer = std::get_if<PointerTag>(&chain[n - 2]);
      const bool swizzled = n > 2 && std::holds_alternative<Swizzle>(chain[n - 3]);
      const bool offset = swizzled && std::holds_alternative<IntTuple>(chain[n - 2]);
      chain.pop_back();
      if (pointer != nullptr) {
        const PointerTag tag = *pointer;
        chain.pop_back();
        chain.push_back(right);
        if (swizzled) chain[n - 3] = on_elements(std::get<Swizzle>(chain[n - 3]), tag);
      } else if (offset) {
        const std::vector<LayoutValue> parts = {chain[n - 3], chain[n - 2], right};
        chain.resize(n - 3);
        chain.push_back(call_operation("composition", parts, nullptr));
      } else {
        const bool plain = std::holds_alternative<Swizzle>(chain[n - 2]);
        chain[n - 2] = call_operation("composition", {chain[n - 2], right}, plain ? nullptr : why_);
      }
    }
    return std::move(chain[0]);
  }

  // A swizzle in front of a pointer works on byte addresses.
  LayoutValue on_elements(const Swizzle& bytes, const PointerTag& pointer) {
    const int64_t bits = pointer.element_bits;
    const Swizzle elements = bits >= 8 ? upcast(bytes, bits / 8) : downcast(bytes, 8 / bits);
    if (why_ != nullptr) {
      why_->warn("swizzle-units",
                 format("{} before smem_ptr[{}b] works on bytes; on elements of {} "
                        "bits it is {}",
                        to_string(bytes), bits, bits, to_string(elements)));
    }
    return elements;
  }

  LayoutValue operand() {
    const LayoutToken& next = lexer_.peek();
    if (next.kind == TokenKind::Word) return word();
    if (next.kind == TokenKind::Underscore) {
      lexer_.take();
      return Tiler{};
    }
    if (lexer_.accept('<')) return tiler(list('>'));
    if (lexer_.accept('[')) return tiler(list(']'));
    LayoutValue shape = tuple();
    if (!lexer_.at(':')) return shape;
    if (!std::holds_alternative<IntTuple>(shape)) throw lexer_.fail("only a shape has a stride");
    lexer_.take();
    const LayoutValue stride = tuple();
    if (!std::holds_alternative<IntTuple>(stride))
      throw lexer_.fail("a stride is made of integers");
    return ComposedLayout{
        {}, 0, make_layout(std::get<IntTuple>(shape), std::get<IntTuple>(stride))};
  }

  // A number, a scaled basis vector, or a bracketed list of expressions.
  LayoutValue tuple() {
    if (lexer_.peek().kind == TokenKind::Number) return leaf();
    lexer_.expect('(', "or a number");
    std::vector<LayoutValue> items = list(')');
    std::vector<IntTuple> integers;
    for (const LayoutValue& item : items) {
      if (const auto* one = std::get_if<IntTuple>(&item)) integers.push_back(*one);
    }
    if (integers.size() == items.size()) return IntTuple(std::move(integers));
    return items.size() == 1 ? std::move(items[0]) : tiler(items);
  }

  LayoutValue leaf() {
    count_leaf();
    const int64_t value = lexer_.take().number;
    std::vector<int> path;
    while (lexer_.accept('@')) {
      const int64_t mode = lexer_.expect_number("the mode of a basis vector");
      if (mode < 0 || mode >= kMostDepth) {
        throw lexer_.fail(format("mode {} of a basis vector is not in [0, {})", mode, kMostDepth));
      }
      path.insert(path.begin(), static_cast<int>(mode));
      if (path.size() > static_cast<size_t>(kMostDepth)) throw lexer_.fail("too deep a basis");
    }
    return IntTuple::scaled_basis(value, std::move(path));
  }

  std::vector<LayoutValue> list(char closing) {
    std::vector<LayoutValue> items;
    if (lexer_.at(closing)) throw lexer_.fail("an empty list means nothing");
    do {
      items.push_back(expression());
      count_leaf();
    } while ((lexer_.accept(',') || lexer_.accept(';')) && !lexer_.at(closing));
    lexer_.expect(closing, "or ','");
    return items;
  }

  LayoutValue tiler(const std::vector<LayoutValue>& items) {
    Tiler by_mode;
    for (const LayoutValue& item : items) by_mode.modes.push_back(as_tiler(item, "a tiler's mode"));
    return by_mode;
  }

  void count_leaf() {
    if (++leaves_ > kMostLeaves) {
      throw lexer_.fail(format("more than {} integers", kMostLeaves));
    }
  }

  LayoutValue word() {
    const LayoutToken name = lexer_.take();
    std::string_view text = name.text;
    if (text[0] == '_') text.remove_prefix(1);
    if (text == "Sw" || text == "S" || text == "Swizzle") return swizzle();
    if (text.substr(0, 3) == "SW_") return swizzle_name(name);
    if (text == "smem_ptr" || text == "gmem_ptr" || text == "ptr") return pointer();
    if (!lexer_.accept('(')) {
      throw lexer_.fail_at(name.column, format("'{}' is neither a layout nor an operation{}",
                                               name.text, did_you_mean(text, operation_names())));
    }
    return call_operation(text, list(')'), why_);
  }

  LayoutValue swizzle() {
    const bool angled = lexer_.at('<');
    if (!lexer_.accept('<') && !lexer_.accept('(')) throw lexer_.fail("expected '<' or '('");
    int64_t numbers[3] = {};
    for (int i = 0; i < 3; ++i) {
      if (i > 0) lexer_.expect(',', "between the numbers of a swizzle");
      numbers[i] = lexer_.expect_number("one of the three numbers of a swizzle");
    }
    lexer_.expect(angled ? '>' : ')', "after the numbers of a swizzle");
    return make_swizzle(numbers[0], numbers[1], numbers[2]);
  }

  // "SW_3_4_3", "SW_3_4_-3": the lexer ends the word before a minus.
  LayoutValue swizzle_name(const LayoutToken& name) {
    const std::vector<std::string_view> parts = split(name.text, '_');
    std::vector<int64_t> numbers;
    for (size_t i = 1; i < parts.size(); ++i) {
      if (parts[i].empty() && i + 1 == parts.size() && i == 3) {
        numbers.push_back(lexer_.expect_number("the shift of a swizzle"));
      } else if (const auto number = parse_count(parts[i])) {
        numbers.push_back(*number);
      }
    }
    if (numbers.size() != 3 || parts.size() != 4) {
      throw lexer_.fail_at(name.column, format("'{}' is not SW_B_M_S", name.text));
    }
    return make_swizzle(numbers[0], numbers[1], numbers[2]);
  }

  LayoutValue pointer() {
    lexer_.expect('[', "after a pointer");
    const int64_t bits = lexer_.expect_number("the bits of an element");
    if (!lexer_.at_word("b")) throw lexer_.fail("expected 'b', bits");
    lexer_.take();
    lexer_.expect(']', "after the bits of an element");
    lexer_.expect('(', "and the address, such as (unset)");
    lexer_.skip_to(')');
    const bool power = bits > 0 && bits <= 1024 && (bits & (bits - 1)) == 0;
    if (!power) throw lexer_.fail(format("{} bits an element are not a power of two", bits));
    return PointerTag{bits};
  }

  LayoutLexer lexer_;
  Derivation* why_;
  int depth_ = 0;
  int64_t leaves_ = 0;
};

}  // namespace

LayoutValue evaluate_layout(std::string_view text, Derivation* why) {
  return ExpressionReader(text, why).read_all();
}

ComposedLayout parse_layout(std::string_view text, Derivation* why) {
  return as_layout(evaluate_layout(text, why), "the expression");
}

IntTuple parse_int_tuple(std::string_view text) {
  return as_tuple(evaluate_layout(text), "the text");
}

namespace {

constexpr size_t kMostText = 65536;
constexpr size_t kMostQuoted = 120;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

std::string printable(std::string_view text) {
  std::string shown(text.substr(0, kMostQuoted));
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text.size() > kMostQuoted ? shown + "..." : shown;
}

}  // namespace

LayoutLexer::LayoutLexer(std::string_view text) : text_(text) {
  if (text.size() > kMostText) {
    throw usage_error(
        format("a layout text of {} characters is longer than {}", text.size(), kMostText));
  }
  advance();
}

LayoutToken LayoutLexer::take() {
  const LayoutToken taken = next_;
  advance();
  return taken;
}

bool LayoutLexer::accept(char symbol) {
  if (!at(symbol)) return false;
  advance();
  return true;
}

void LayoutLexer::expect(char symbol, std::string_view what) {
  if (!accept(symbol)) throw fail(format("expected '{}' {}", symbol, what));
}

int64_t LayoutLexer::expect_number(std::string_view what) {
  if (next_.kind != TokenKind::Number) throw fail(format("expected {}", what));
  return take().number;
}

void LayoutLexer::skip_to(char closing) {
  while (!at(closing)) {
    if (next_.kind == TokenKind::End) throw fail(format("expected '{}'", closing));
    advance();
  }
  advance();
}

Error LayoutLexer::fail(std::string_view message) const {
  const std::string found =
      next_.kind == TokenKind::End ? "the end" : format("'{}'", printable(next_.text));
  return fail_at(next_.column, format("{}, found {}", message, found));
}

Error LayoutLexer::fail_at(size_t column, std::string_view message) const {
  return usage_error(format("layout '{}', column {}: {}", printable(text_), column, message));
}

void LayoutLexer::advance() {
  while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  const size_t begin = at_;
  next_ = {.kind = TokenKind::End, .text = {}, .number = 0, .column = begin + 1};
  if (begin == text_.size()) return;
  const char c = text_[begin];
  const bool has_next = begin + 1 < text_.size();
  const char after = has_next ? text_[begin + 1] : '\0';
  if (is_digit(c) || ((c == '-' || c == '_') && (is_digit(after) || (c == '_' && after == '-')))) {
    read_number(begin);
    return;
  }
  if (c == '?') reject_unknown(begin);
  at_ = begin + 1;
  if (is_letter(c) || (c == '_' && is_letter(after))) {
    while (at_ < text_.size() &&
           (is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '_')) {
      ++at_;
    }
    next_.kind = TokenKind::Word;
  } else {
    next_.kind = c == '_' ? TokenKind::Underscore : TokenKind::Symbol;
  }
  next_.text = text_.substr(begin, at_ - begin);
}

void LayoutLexer::read_number(size_t begin) {
  const size_t digits = text_[begin] == '_' ? begin + 1 : begin;
  const char* const first = text_.data() + digits;
  const char* const end = text_.data() + text_.size();
  const auto [stop, error] = std::from_chars(first, end, next_.number);
  at_ = begin + static_cast<size_t>(stop - (text_.data() + begin));
  if (error == std::errc::invalid_argument) throw fail_at(begin + 1, "expected a number");
  if (error != std::errc()) throw fail_at(begin + 1, "the number does not fit in 64 bits");
  next_.kind = TokenKind::Number;
  next_.text = text_.substr(begin, at_ - begin);
}

void LayoutLexer::reject_unknown(size_t begin) const {
  int64_t divisor = 1;
  const size_t close = text_.find('}', begin);
  if (begin + 1 < text_.size() && text_[begin + 1] == '{' && close != std::string_view::npos) {
    const std::string_view inside = text_.substr(begin, close - begin);
    const size_t at = inside.find("div=");
    if (at != std::string_view::npos) {
      divisor = std::max<int64_t>(parse_count(trim(inside.substr(at + 4))).value_or(1), 1);
    }
  }
  const std::string rule =
      divisor > 1 ? format("a multiple of {}, such as {}", divisor, divisor) : "such as 8";
  throw fail_at(begin + 1, format("'?' is known only when the program runs: write a number in its "
                                  "place, {}",
                                  rule));
}

}  // namespace tilewright
