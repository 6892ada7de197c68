// An answer table as a text, which a library of shipped kernels carries inside: a record a line,
// every number exact, a hash of all at its end.
#pragma once

#include <string>
#include <string_view>

#include "search/answer_table.hpp"

namespace tilewright {

/// The first line.
inline constexpr std::string_view kAnswersSchema = "tilewright.answers/1";

/// parse_answers() gives the same table. Every problem has a size at least.
std::string print_answers(const AnswerTable& table);

/// Throws a usage error, which names the line, for anything that print_answers() does not write.
AnswerTable parse_answers(std::string_view text);

}  // namespace tilewright
