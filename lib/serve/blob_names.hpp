// How the blobs of a shipped library's payload are called.
#pragma once

#include <cstdint>
#include <string>

#include "base/text.hpp"

namespace tilewright {

/// The text of an AnswerTable.
inline constexpr const char* kAnswersBlob = "answers";

/// The machine code of a program by its program_id().
inline std::string kernel_blob(uint64_t program) {
  return format("kernel {:016x}", program);
}

}  // namespace tilewright
