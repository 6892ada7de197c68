#include "ship/library_name.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "base/escape.hpp"
#include "base/text.hpp"
#include "serve/placeholder.hpp"

namespace tilewright {
namespace {

/// The keywords of C up to C23 and of C++ up to C++20, each between blanks; without keywords that
/// begin with an underscore and a capital.
constexpr std::string_view kKeywords =
    " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t "
    "char32_t char8_t class co_await co_return co_yield compl concept const const_cast "
    "consteval constexpr constinit continue decltype default delete do double dynamic_cast "
    "else enum explicit export extern false float for friend goto if inline int long mutable "
    "namespace new noexcept not not_eq nullptr operator or or_eq private protected public "
    "register requires reinterpret_cast restrict return short signed sizeof static "
    "static_assert static_cast struct switch template this thread_local throw true try "
    "typedef typeid typename typeof typeof_unqual union unsigned using virtual void volatile "
    "wchar_t while xor xor_eq ";

/// The keywords of Python up to 3.14 that are none of C or C++.
constexpr std::string_view kPythonKeywords =
    " False None True and as assert async await def del elif except finally from global import in "
    "is lambda nonlocal not or pass raise with yield ";

bool is_capital(char c) {
  return c >= 'A' && c <= 'Z';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_name_character(char c) {
  return is_capital(c) || is_digit(c) || (c >= 'a' && c <= 'z') || c == '_';
}

/// Why `name` is not valid; empty if it is.
std::string fault_of(std::string_view name) {
  if (name.empty()) return "it is empty";
  const auto* const foreign =
      std::find_if(name.begin(), name.end(), [](char c) { return !is_name_character(c); });
  if (foreign != name.end()) {
    return format("character {} is not one of a-z, A-Z, 0-9 and _", foreign - name.begin() + 1);
  }
  if (is_digit(name[0])) return "it begins with a digit";
  if (name.size() > kMaxNameCharacters) {
    return format("it has {} characters, {} more than the limit", name.size(),
                  name.size() - kMaxNameCharacters);
  }
  if (name[0] == '_' && name.size() > 1 && (name[1] == '_' || is_capital(name[1]))) {
    return "C reserves names that begin with two underscores or an underscore and a capital";
  }
  if (kKeywords.find(format(" {} ", name)) != std::string_view::npos) {
    return "it is a keyword of C or C++";
  }
  if (kPythonKeywords.find(format(" {} ", name)) != std::string_view::npos) {
    return "it is a keyword of Python, whose package has this name";
  }
  return {};
}

}  // namespace

void require_library_name(std::string_view name) {
  const std::string fault = fault_of(name);
  if (fault.empty()) return;
  throw usage_error(
      format("'{}' cannot name a library: {}; the names of its functions begin with it, so give a "
             "C identifier of at most {} characters, such as my_gemms",
             one_line(name), fault, kMaxNameCharacters));
}

}  // namespace tilewright
