// The placeholder for a library's name, in the template that the library is made from.
#pragma once

#include <cstddef>
#include <string_view>

/// It has kMaxNameCharacters characters, and none of its prefixes is also a suffix, so that every
/// occurrence is found. CMakeLists.txt reads it from here; a library that is built from its own
/// sources has its name there.
#ifndef TILEWRIGHT_PLACEHOLDER
#define TILEWRIGHT_PLACEHOLDER tilewright_shipped_library_template_whose_prefix_ship_replaces_x
#endif

/// TILEWRIGHT_NAMED(_run) is PLACEHOLDER_run, and TILEWRIGHT_NAMED_AS(__tvm_ffi_, _run) is
/// __tvm_ffi_PLACEHOLDER_run.
#define TILEWRIGHT_NAMED(suffix) TILEWRIGHT_NAMED_AS(, suffix)
#define TILEWRIGHT_NAMED_AS(prefix, suffix) \
  TILEWRIGHT_JOIN_NAMES(prefix, TILEWRIGHT_PLACEHOLDER, suffix)
#define TILEWRIGHT_JOIN_NAMES(prefix, name, suffix) TILEWRIGHT_JOIN_NOW(prefix, name, suffix)
#define TILEWRIGHT_JOIN_NOW(prefix, name, suffix) prefix##name##suffix
#define TILEWRIGHT_TEXT_OF(name) TILEWRIGHT_TEXT_NOW(name)
#define TILEWRIGHT_TEXT_NOW(name) #name

namespace tilewright {

inline constexpr std::string_view kPlaceholder = TILEWRIGHT_TEXT_OF(TILEWRIGHT_PLACEHOLDER);

/// The longest name of a library: it replaces the placeholder in place.
inline constexpr size_t kMaxNameCharacters = 64;
static_assert(kPlaceholder.size() <= kMaxNameCharacters);

}  // namespace tilewright
