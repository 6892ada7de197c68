// Converts elements of host memory to float64 and back.
#pragma once

#include <cstdint>

#include "map/element_type.cuh"

namespace tilewright {

/// The value of an element from its bits; narrow types use the lowest ones.
double value_of_bits(tw::ElementType type, uint32_t bits);

/// The bits of element `index` of an array.
uint32_t bits_at(tw::ElementType type, const void* array, int64_t index);
void put_bits(tw::ElementType type, void* array, int64_t index, uint32_t bits);

/// The bits of a value in [-1, 1], rounded towards 0 where the type has fewer digits.
uint32_t bits_of(tw::ElementType type, double value);

}  // namespace tilewright
