// What stands for the name of a library in the template that it is made from.
#pragma once

#include <cstddef>
#include <string_view>

/// Of kMostNameCharacters characters, and no beginning of it is an end of it, so that it is found
/// wherever it stands. CMakeLists.txt reads it from here; a library that is built from its own
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

/// Of a library's name, which has to fit into the place of the placeholder.
inline constexpr size_t kMostNameCharacters = 64;
static_assert(kPlaceholder.size() <= kMostNameCharacters);

}  // namespace tilewright
