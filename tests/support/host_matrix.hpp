// bf16 matrices in host and device memory, with canaries around them.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "gpu/contenders/memory.hpp"
#include "harness/element_bits.hpp"
#include "tile/workload/product_kind.hpp"

namespace tilewright::testing {

inline double value_of(uint16_t bits) {
  return value_of_bits(DataType::BF16, bits);
}

/// A matrix at an offset in a buffer, with canaries between its rows and around it.
struct HostMatrix {
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t pitch = 0;
  int64_t before = 0;  // elements before the first row
  std::vector<uint16_t> elements = {};
  DeviceBuffer buffer = {};

  static constexpr uint16_t kCanary = 0x7FC1;  // a NaN

  HostMatrix(int64_t r, int64_t c, int64_t gap, int64_t offset, std::mt19937_64& random)
      : rows(r), columns(c), pitch(c + gap), before(64 + offset) {
    elements.assign(static_cast<size_t>(before + rows * pitch + 64), kCanary);
    std::uniform_real_distribution<float> uniform(-1, 1);
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t column = 0; column < columns; ++column)
        at(row, column) = static_cast<uint16_t>(bits_of(DataType::BF16, uniform(random)));
    }
    buffer = DeviceBuffer(elements.size() * 2);
    copy_to_device(buffer.get(), elements.data(), buffer.bytes());
  }
  uint16_t& at(int64_t row, int64_t column) {
    return elements[static_cast<size_t>(before + row * pitch + column)];
  }
  char* data() const { return buffer.as<char>() + before * 2; }
};

}  // namespace tilewright::testing
