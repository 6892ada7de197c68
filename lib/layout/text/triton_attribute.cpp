#include "layout/text/triton_attribute.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <functional>
#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

/// The right sides of lines such as "#mma = #ttg.nvidia_mma<...>", by name.
using Definitions = std::map<std::string, std::string_view, std::less<>>;

constexpr int kMaxNested = 4;

TritonAttribute attribute_in(std::string_view text, const Definitions& named, int nested);

/// Reads "[interval:+padding, ...] {key = value, ...}" from a text.
class AttributeReader {
 public:
  AttributeReader(std::string_view text, const Definitions& named, int nested)
      : rest_(text), named_(named), nested_(nested) {}

  void read(TritonAttribute& into) {
    if (accept("[")) paddings(into.paddings);
    expect("{");
    while (!accept("}")) {
      const std::string key = word();
      expect("=");
      skip_blanks();
      if (rest_.substr(0, 1) == "#") {
        into.parent = {parent()};
      } else {
        into.keys[key] = value(0);
      }
      if (!accept(",")) {
        expect("}");
        break;
      }
    }
  }

 private:
  void skip_blanks() {
    rest_ = rest_.substr(std::min(rest_.find_first_not_of(" \t\n"), rest_.size()));
  }

  void paddings(std::vector<SharedPadding>& into) {
    while (!accept("]")) {
      const int64_t interval = number();
      expect(":");
      expect("+");
      into.push_back({interval, number()});
      if (!accept(",")) {
        expect("]");
        break;
      }
    }
  }

  // "#mma", or "#ttg.nvidia_mma<{...}>".
  TritonAttribute parent() {
    const std::string_view whole = rest_;
    rest_.remove_prefix(1);
    const std::string name = word();
    const auto found = named_.find(name);
    if (found != named_.end()) return attribute_in(found->second, named_, nested_ + 1);
    const size_t end = whole.find("}>");
    if (whole.find('<') > end || end == std::string_view::npos) {
      throw fail(format("'#{}' is not defined: write its line '#{} = #ttg...' above", name, name));
    }
    // A parent may have a parent.
    size_t stop = end + 2;
    for (size_t open = count(whole.substr(0, stop), "<{");
         open > count(whole.substr(0, stop), "}>"); open = count(whole.substr(0, stop), "<{")) {
      const size_t next = whole.find("}>", stop);
      if (next == std::string_view::npos) throw fail("expected '}>'");
      stop = next + 2;
    }
    rest_ = whole.substr(stop);
    return attribute_in(whole.substr(0, stop), named_, nested_ + 1);
  }

  static size_t count(std::string_view text, std::string_view what) {
    size_t found = 0;
    for (size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1)) {
      ++found;
    }
    return found;
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
    return number();
  }

  int64_t number() {
    skip_blanks();
    int64_t number = 0;
    const auto [stop, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (error != std::errc()) throw fail("expected a number or a list");
    rest_.remove_prefix(static_cast<size_t>(stop - rest_.data()));
    return number;
  }

  std::string_view rest_;
  const Definitions& named_;
  int nested_;
};

// "tensor<128x64xf16, #..." and "!ttg.memdesc<128x64xf16, #...": the extents before the type.
std::vector<int64_t> shape_before(std::string_view text) {
  std::vector<int64_t> shape;
  const size_t open = text.find('<');
  if (open == std::string_view::npos) return shape;
  for (const std::string_view part : split_sizes(text.substr(open + 1))) {
    const std::optional<int64_t> extent = parse_count(trim(part));
    if (!extent) break;
    shape.push_back(*extent);
  }
  if (shape.empty()) {
    throw usage_error(format("Triton type '{}' has no shape such as 128x64xf16", text));
  }
  return shape;
}

// Stores lines "#name = ..." in `named` and returns the last one, the attribute to read.
std::string_view take_definitions(std::string_view text, Definitions& named) {
  std::string_view last = text;
  std::string name;
  size_t begin = 0;
  for (size_t at = text.find('#'); at != std::string_view::npos; at = text.find('#', at + 1)) {
    size_t end = at + 1;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 ||
                                 text[end] == '_' || text[end] == '$')) {
      ++end;
    }
    const std::string_view behind = trim(text.substr(end));
    if (end == at + 1 || behind.substr(0, 1) != "=") continue;
    if (!name.empty()) named[name] = text.substr(begin, at - begin);
    name = std::string(text.substr(at + 1, end - at - 1));
    begin = text.find('=', end) + 1;
    last = text.substr(begin);
  }
  return last;
}

TritonAttribute attribute_in(std::string_view text, const Definitions& named, int nested) {
  if (nested > kMaxNested) throw usage_error("Triton attribute: parents nest too deep");
  // The outermost attribute comes first in the text.
  const size_t at = std::min(text.find("#ttg."), text.find("#triton_gpu."));
  if (at != std::string_view::npos) {
    const std::string_view rest = text.substr(text.find('.', at) + 1);
    const size_t open = rest.find('<');
    if (open != std::string_view::npos) {
      TritonAttribute attribute;
      attribute.name = std::string(rest.substr(0, open));
      attribute.shape = shape_before(text.substr(0, at));
      AttributeReader(rest.substr(open + 1), named, nested).read(attribute);
      return attribute;
    }
  }
  throw usage_error(
      format("'{}' is not an attribute, such as #ttg.blocked<{{order = [1, 0], ...}}>", text));
}

}  // namespace

TritonAttribute parse_triton_attribute(std::string_view text) {
  Definitions named;
  const std::string_view last = take_definitions(text, named);
  return attribute_in(last, named, 0);
}

}  // namespace tilewright
