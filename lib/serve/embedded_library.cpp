#include "serve/embedded_library.hpp"

#include <utility>

#include "answer/answers_text.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "serve/blob_names.hpp"
#include "serve/payload.hpp"
#include "serve/payload_section.hpp"

namespace tilewright {
namespace {

Library* make_library() {
  const PayloadReader payload(own_payload());
  const std::optional<std::string> answers = payload.read(kAnswersBlob);
  if (!answers) throw internal_error("the library holds no answers");
  const auto image = [payload](uint64_t program) {
    return payload.read(kernel_blob(program)).value_or("");
  };
  return new Library(parse_answers(*answers), image, hash_text(*answers));
}

}  // namespace

Library& embedded_library() {
  static Library* const library = make_library();
  return *library;
}

}  // namespace tilewright
