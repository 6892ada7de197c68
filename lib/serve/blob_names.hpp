// The names of the blobs in a shipped library's payload.
#pragma once

#include <cstdint>
#include <string>

#include "base/text.hpp"

namespace tilewright {

/// The text of an AnswerTable.
inline constexpr const char* kAnswersBlob = "answers";

/// The blob with the machine code of the program with this program_id().
inline std::string kernel_blob(uint64_t program) {
  return format("kernel {:016x}", program);
}

}  // namespace tilewright
