// What a shipped library carries: named blobs, each deflated where that makes it smaller.
//
//   PayloadTop | PayloadEntry x blob_count, by name | names | blob | blob | ...
//
// Every blob starts at a multiple of 16 bytes of the payload. A CRC-32 guards all that stands in
// front of the blobs, and one a blob what it inflates to. Nothing here needs more than zlib: the
// library reads with this what tilewright packed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tilewright {

struct Blob {
  std::string name;
  std::string bytes;
};

/// As a stream of zlib, RFC 1950.
std::string deflated(std::string_view bytes);

/// The blobs as a payload; no two may have one name. The same blobs in any order give the same one.
std::string pack_payload(std::span<const Blob> blobs);

inline constexpr std::array<char, 8> kPackMagic = {'t', 'w', 'p', 'a', 'c', 'k', '0', '1'};

/// What a payload begins with.
struct PayloadTop {
  std::array<char, 8> magic = kPackMagic;
  uint64_t payload_bytes = 0;  // all of it
  uint64_t index_bytes = 0;    // this, the entries and the names
  uint32_t blob_count = 0;
  uint32_t index_crc = 0;  // of the index with a 0 here
};

/// One blob; places are counted from the payload's beginning.
struct PayloadEntry {
  uint64_t name_start = 0;
  uint64_t name_bytes = 0;
  uint64_t start = 0;
  uint64_t stored_bytes = 0;
  uint64_t raw_bytes = 0;
  uint32_t raw_crc = 0;
  uint32_t is_deflated = 0;
};

/// Finds blobs in a payload that outlives it; allocates nothing but what it returns.
class PayloadReader {
 public:
  /// Throws a usage error where `payload` is none, or its index is damaged.
  explicit PayloadReader(std::string_view payload);

  size_t blob_count() const { return top_.blob_count; }

  /// The name of a blob, the first of all names for 0.
  std::string_view name(size_t blob) const;

  /// The bytes of the blob of this name, nothing where there is none. Throws a usage error where
  /// they are damaged.
  std::optional<std::string> read(std::string_view name) const;

 private:
  PayloadEntry entry(size_t blob) const;
  void require_entry(size_t blob) const;

  std::string_view payload_;
  PayloadTop top_;
};

}  // namespace tilewright
