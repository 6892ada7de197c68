#include "layout/text/call_arguments.hpp"

#include <string>

#include "base/text.hpp"

namespace tilewright {
namespace {

std::string list_of(const std::vector<CallParameter>& parameters) {
  std::vector<std::string_view> names;
  names.reserve(parameters.size());
  for (const CallParameter& one : parameters) names.push_back(one.name);
  return join_words(names, "and");
}

// The position of the argument that comes next; takes "name =".
size_t place_of_next(LayoutLexer& lexer, std::string_view call, size_t by_position,
                     const std::vector<CallParameter>& parameters) {
  if (!lexer.at_argument_name()) return by_position;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const std::string_view other = parameters[i].other_name;
    if (!lexer.at_word(parameters[i].name) && (other.empty() || !lexer.at_word(other))) continue;
    lexer.take();
    lexer.take();
    return i;
  }
  throw lexer.fail(format("{} has no argument of this name, only {}", call, list_of(parameters)));
}

}  // namespace

void read_arguments(LayoutLexer& lexer, std::string_view call, char closing,
                    const std::vector<CallParameter>& parameters) {
  std::vector<bool> found(parameters.size());
  size_t next = 0;
  while (!lexer.at(closing)) {
    const size_t place = place_of_next(lexer, call, next, parameters);
    if (place >= parameters.size()) {
      throw lexer.fail(
          format("{} takes {} arguments: {}", call, parameters.size(), list_of(parameters)));
    }
    if (found[place]) {
      throw lexer.fail(format("{}: the argument '{}' a second time", call, parameters[place].name));
    }
    found[place] = true;
    parameters[place].read();
    next = place + 1;
    if (!lexer.accept(',')) break;
  }
  for (size_t i = 0; i < parameters.size() && lexer.at(closing); ++i) {
    if (parameters[i].required && !found[i]) {
      throw lexer.fail(format("{}: the argument '{}' is missing", call, parameters[i].name));
    }
  }
  lexer.expect(closing, format("or ',' after an argument of {}", call));
}

}  // namespace tilewright
