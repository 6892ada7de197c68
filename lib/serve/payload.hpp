// The payload of a shipped library: named blobs, each deflated if that makes it smaller.
//
//   PayloadTop | PayloadEntry x blob_count, by name | names | blob | blob | ...
//
// Every blob starts at a multiple of 16 bytes of the payload. One CRC-32 covers all bytes before
// the blobs, and one per blob covers its inflated bytes. This code needs only zlib: tilewright
// packs with it, and the library reads with it.
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

/// The bytes as a zlib stream, RFC 1950.
std::string deflated(std::string_view bytes);

/// Packs blobs, which must have different names. Their order does not change the payload.
std::string pack_payload(std::span<const Blob> blobs);

inline constexpr std::array<char, 8> kPackMagic = {'t', 'w', 'p', 'a', 'c', 'k', '0', '1'};

/// The first bytes of a payload.
struct PayloadTop {
  std::array<char, 8> magic = kPackMagic;
  uint64_t payload_bytes = 0;  // all of it
  uint64_t index_bytes = 0;    // this struct, the entries and the names
  uint32_t blob_count = 0;
  uint32_t index_crc = 0;  // of the index with 0 in this field
};

/// One blob; places are offsets from the payload's beginning.
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
  /// Throws a usage error if `payload` is no payload, or its index is damaged.
  explicit PayloadReader(std::string_view payload);

  size_t blob_count() const { return top_.blob_count; }

  /// The name of a blob; blobs are in the order of their names.
  std::string_view name(size_t blob) const;

  /// The bytes of the blob with this name, if there is one. Throws a usage error if they are
  /// damaged.
  std::optional<std::string> read(std::string_view name) const;

 private:
  PayloadEntry entry(size_t blob) const;
  void require_entry(size_t blob) const;

  std::string_view payload_;
  PayloadTop top_;
};

}  // namespace tilewright
