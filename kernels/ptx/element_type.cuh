// The types that operands and results have.
#pragma once

namespace tw {

enum class ElementType : int { BF16, F16, F32 };

}  // namespace tw
