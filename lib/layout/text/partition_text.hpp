// Evaluates calls that take parts of a layout: slices, local_tile() and local_partition().
#pragma once

#include <optional>
#include <string_view>

#include "layout/algebra/slice.hpp"
#include "layout/text/text_reading.hpp"

namespace tilewright {

/// The slice of a layout, as CuTe slices one: it begins at 0. Warns of the offset at which the
/// slice begins in the whole layout.
ComposedLayout sliced(const ComposedLayout& whole, const SliceCoordinate& coordinate,
                      const TextReading& reading);

/// Evaluates local_tile(), local_partition(), slice_() and slice(). Warns of the first offset of a
/// part of a layout without a swizzle; a swizzled part has it in its text. Returns nullopt for
/// another word. Throws a usage error that names the call and the argument.
std::optional<LayoutValue> read_partition(std::string_view word, const TextReading& reading);

}  // namespace tilewright
