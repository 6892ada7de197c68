// A tiny template with the exports of the real one, without a GPU.

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <numeric>
#include <optional>
#include <string>

#include "serve/payload.hpp"
#include "serve/payload_section.hpp"
#include "serve/placeholder.hpp"

#define TILEWRIGHT_EXPORT extern "C" [[gnu::visibility("default")]]

TILEWRIGHT_EXPORT int TILEWRIGHT_NAMED(_answer)() {
  return 42;
}

TILEWRIGHT_EXPORT int TILEWRIGHT_NAMED_AS(__tvm_ffi_, _f)() {
  return TILEWRIGHT_NAMED(_answer)() + 1;
}

/// The sum of the payload's bytes.
TILEWRIGHT_EXPORT uint64_t TILEWRIGHT_NAMED(_sum)() {
  const std::string_view payload = tilewright::own_payload();
  return std::accumulate(payload.begin(), payload.end(), uint64_t{0},
                         [](uint64_t sum, char c) { return sum + static_cast<unsigned char>(c); });
}

/// The size of a blob; -1 if there is none of that name, -2 if the payload is damaged.
TILEWRIGHT_EXPORT int64_t TILEWRIGHT_NAMED(_blob_bytes)(const char* name) try {
  const std::optional<std::string> blob =
      tilewright::PayloadReader(tilewright::own_payload()).read(name);
  return blob ? static_cast<int64_t>(blob->size()) : -1;
} catch (const std::exception&) {
  return -2;
}

// The linker may use the tails of these two names for the C library's `free` and `malloc`.
TILEWRIGHT_EXPORT void* TILEWRIGHT_NAMED(_malloc)(size_t bytes) {
  return std::malloc(bytes);
}
TILEWRIGHT_EXPORT void TILEWRIGHT_NAMED(_free)(void* memory) {
  std::free(memory);
}
