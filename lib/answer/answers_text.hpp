// An answer table as text, which a library of shipped kernels contains: a record per line, every
// number exact, a hash of the text at its end.
#pragma once

#include <string>
#include <string_view>

#include "answer/answer_table.hpp"

namespace tilewright {

/// The first line of the text.
inline constexpr std::string_view kAnswersSchema = "tilewright.answers/1";

/// parse_answers() returns the same table. Every problem must have at least one shape.
std::string print_answers(const AnswerTable& table);

/// Throws a usage error with the line number for any text that print_answers() does not write.
AnswerTable parse_answers(std::string_view text);

}  // namespace tilewright
