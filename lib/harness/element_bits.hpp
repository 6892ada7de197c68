// Elements of host memory as float64 values, and back.
#pragma once

#include <cstdint>

#include "map/element_type.cuh"

namespace tilewright {

/// The value of an element from its bits, of which narrow types use the lowest.
double value_of_bits(tw::ElementType type, uint32_t bits);

/// Element `index` of an array.
uint32_t bits_at(tw::ElementType type, const void* array, int64_t index);
void put_bits(tw::ElementType type, void* array, int64_t index, uint32_t bits);

/// The bits of a value in [-1, 1], cut off towards 0 where the type has fewer digits.
uint32_t bits_of(tw::ElementType type, double value);

}  // namespace tilewright
