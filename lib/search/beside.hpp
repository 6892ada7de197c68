// What runs on other multiprocessors while launches are timed.
#pragma once

#include <string>
#include <string_view>

#include "tile/workload/device_spec.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// What a neighbour does with memory.
enum class BesideKind {
  Copy,        // reads a stream, and writes it
  Collective,  // reads two streams, and writes their sum: the local part of an all-reduce
};

inline constexpr std::string_view kBesideKinds[] = {"copy", "collective"};

/// A kernel that moves data on multiprocessors of its own.
struct Beside {
  BesideKind kind = BesideKind::Copy;
  int multiprocessors = 0;  // 0: those that the product leaves
  bool operator==(const Beside&) const = default;
};

/// Parses "copy" or "copy:32". Throws a usage error.
Beside parse_beside(std::string_view text);

/// The text that parse_beside() reads.
std::string to_string(const Beside& beside);

/// The neighbour of a product, with its number of multiprocessors: by default all that `sms` leaves
/// free, and 32 beside a product without `sms`. Throws a usage error if the device has too few for
/// both.
Beside beside_of(const Beside& asked, const Workload& workload, const DeviceSpec& device);

}  // namespace tilewright
