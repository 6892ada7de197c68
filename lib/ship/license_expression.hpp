// SPDX licence expressions: which licence each generated file names.
#pragma once

#include <string_view>

namespace tilewright {

/// Throws a usage error with the place unless `text` is a licence expression by the grammar of SPDX
/// 2.3 and 3.0, Annex "SPDX license expressions": "MIT", "GPL-2.0+ WITH Classpath-exception-2.0",
/// "(MIT OR LicenseRef-ours) AND Zlib". Blanks between words are spaces, and operators have capital
/// letters. Whether a licence of this name exists is not checked.
void require_license_expression(std::string_view text);

}  // namespace tilewright
