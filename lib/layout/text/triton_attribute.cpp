#include "layout/text/triton_attribute.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

/// Reads "{key = value, ...}" from a text.
class AttributeReader {
 public:
  explicit AttributeReader(std::string_view text) : rest_(text) {}

  std::map<std::string, IntTuple> keys() {
    std::map<std::string, IntTuple> found;
    expect("{");
    while (!accept("}")) {
      const std::string key = word();
      expect("=");
      found[key] = value(0);
      if (!accept(",")) {
        expect("}");
        break;
      }
    }
    return found;
  }

 private:
  void skip_blanks() {
    rest_ = rest_.substr(std::min(rest_.find_first_not_of(" \t\n"), rest_.size()));
  }

  bool accept(std::string_view symbol) {
    skip_blanks();
    if (rest_.substr(0, symbol.size()) != symbol) return false;
    rest_.remove_prefix(symbol.size());
    return true;
  }

  void expect(std::string_view symbol) {
    if (!accept(symbol)) throw fail(format("expected '{}'", symbol));
  }

  Error fail(const std::string& message) const {
    return usage_error(format("Triton attribute: {} before '{}'", message, rest_.substr(0, 40)));
  }

  std::string word() {
    skip_blanks();
    size_t end = 0;
    while (end < rest_.size() && (std::isalnum(static_cast<unsigned char>(rest_[end])) != 0)) ++end;
    if (end == 0) throw fail("expected a key");
    std::string found(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return found;
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  IntTuple value(int nested) {
    if (nested > 4) throw fail("lists nest too deep");
    if (accept("true")) return 1;
    if (accept("false")) return 0;
    if (accept("[")) {
      std::vector<IntTuple> items;
      while (!accept("]")) {
        items.push_back(value(nested + 1));
        if (!accept(",")) {
          expect("]");
          break;
        }
      }
      return IntTuple(std::move(items));
    }
    skip_blanks();
    int64_t number = 0;
    const auto [stop, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (error != std::errc()) throw fail("expected a number or a list");
    rest_.remove_prefix(static_cast<size_t>(stop - rest_.data()));
    return number;
  }

  std::string_view rest_;
};

// "tensor<128x64xf16, #..." and "!ttg.memdesc<128x64xf16, #...": the numbers before the type.
std::vector<int64_t> shape_before(std::string_view text) {
  std::vector<int64_t> shape;
  const size_t open = text.find('<');
  if (open == std::string_view::npos) return shape;
  for (const std::string_view part : split(text.substr(open + 1), 'x')) {
    const std::optional<int64_t> extent = parse_count(trim(part));
    if (!extent) break;
    shape.push_back(*extent);
  }
  if (shape.empty()) {
    throw usage_error(format("Triton type '{}' has no shape such as 128x64xf16", text));
  }
  return shape;
}

}  // namespace

TritonAttribute parse_triton_attribute(std::string_view text) {
  TritonAttribute attribute;
  for (const std::string_view prefix : {"#ttg.", "#triton_gpu."}) {
    const size_t at = text.find(prefix);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = text.substr(at + prefix.size());
    const size_t open = rest.find('<');
    if (open == std::string_view::npos) break;
    attribute.name = std::string(rest.substr(0, open));
    attribute.shape = shape_before(text.substr(0, at));
    attribute.keys = AttributeReader(rest.substr(open + 1)).keys();
    return attribute;
  }
  throw usage_error(
      format("'{}' is no attribute such as #ttg.blocked<{{order = [1, 0], ...}}>", text));
}

}  // namespace tilewright
