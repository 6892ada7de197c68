#include "serve/payload.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "base/error.hpp"

namespace tilewright {
namespace {

// Structs that are read in place have no padding, so that every byte is defined.
static_assert(sizeof(PayloadTop) == 32 && sizeof(PayloadEntry) == 48);

/// Deflate shrinks bytes by this factor at most.
constexpr uint64_t kMaxDeflation = 1032;

Error damaged_payload(const std::string& what) {
  return usage_error("the payload of this library is damaged: " + what +
                     "; copy the library again, or ship it again");
}

uint64_t padded(uint64_t bytes) {
  return (bytes + 15) / 16 * 16;
}

uint32_t crc_of(std::string_view bytes) {
  return static_cast<uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

/// The CRC of an index, computed with 0 in its field.
uint32_t crc_of_index(std::string_view index, PayloadTop top) {
  top.index_crc = 0;
  const uint32_t crc = crc_of({reinterpret_cast<const char*>(&top), sizeof(top)});
  const std::string_view rest = index.substr(sizeof(top));
  return static_cast<uint32_t>(
      crc32_z(crc, reinterpret_cast<const Bytef*>(rest.data()), rest.size()));
}

/// The blobs, sorted by name.
std::vector<const Blob*> in_order(std::span<const Blob> blobs) {
  std::vector<const Blob*> order;
  for (const Blob& blob : blobs) order.push_back(&blob);
  std::sort(order.begin(), order.end(),
            [](const Blob* a, const Blob* b) { return a->name < b->name; });
  const auto twice = std::adjacent_find(
      order.begin(), order.end(), [](const Blob* a, const Blob* b) { return a->name == b->name; });
  if (twice != order.end()) {
    throw internal_error("two blobs of a payload have the name '" + (*twice)->name + "'");
  }
  if (order.size() > std::numeric_limits<uint32_t>::max()) {
    throw internal_error("a payload has too many blobs to count");
  }
  return order;
}

}  // namespace

std::string deflated(std::string_view bytes) {
  uLongf room = compressBound(bytes.size());
  std::string packed(room, '\0');
  const int state = compress2(reinterpret_cast<Bytef*>(packed.data()), &room,
                              reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), 9);
  if (state != Z_OK)
    throw internal_error("zlib could not deflate a blob: " + std::to_string(state));
  packed.resize(room);
  return packed;
}

std::string pack_payload(std::span<const Blob> blobs) {
  const std::vector<const Blob*> order = in_order(blobs);
  PayloadTop top;
  top.blob_count = static_cast<uint32_t>(order.size());
  std::string names;
  std::vector<PayloadEntry> entries;
  const uint64_t names_start = sizeof(PayloadTop) + order.size() * sizeof(PayloadEntry);
  for (const Blob* const blob : order) {
    entries.push_back({.name_start = names_start + names.size(),
                       .name_bytes = blob->name.size(),
                       .raw_bytes = blob->bytes.size(),
                       .raw_crc = crc_of(blob->bytes)});
    names += blob->name;
  }
  top.index_bytes = names_start + names.size();
  std::string packed(padded(top.index_bytes), '\0');
  for (size_t i = 0; i < order.size(); ++i) {
    const std::string shorter = deflated(order[i]->bytes);
    const bool is_deflated = shorter.size() < order[i]->bytes.size();
    const std::string& stored = is_deflated ? shorter : order[i]->bytes;
    entries[i].start = packed.size();
    entries[i].stored_bytes = stored.size();
    entries[i].is_deflated = is_deflated ? 1 : 0;
    packed += stored;
    packed.resize(padded(packed.size()));
  }
  top.payload_bytes = packed.size();
  packed.replace(sizeof(top), entries.size() * sizeof(PayloadEntry),
                 reinterpret_cast<const char*>(entries.data()),
                 entries.size() * sizeof(PayloadEntry));
  packed.replace(names_start, names.size(), names);
  top.index_crc = crc_of_index(std::string_view(packed).substr(0, top.index_bytes), top);
  packed.replace(0, sizeof(top), reinterpret_cast<const char*>(&top), sizeof(top));
  return packed;
}

PayloadReader::PayloadReader(std::string_view payload) : payload_(payload) {
  if (payload.size() < sizeof(top_)) throw damaged_payload("it ends within its first bytes");
  std::memcpy(&top_, payload.data(), sizeof(top_));
  if (top_.magic != kPackMagic) throw damaged_payload("its first bytes are not those of a payload");
  const uint64_t names_start = sizeof(top_) + uint64_t{top_.blob_count} * sizeof(PayloadEntry);
  if (top_.payload_bytes != payload.size() || top_.index_bytes > payload.size() ||
      names_start > top_.index_bytes) {
    throw damaged_payload("its size is not the size in its header");
  }
  if (crc_of_index(payload.substr(0, top_.index_bytes), top_) != top_.index_crc) {
    throw damaged_payload("the checksum of its index is not the one in its header");
  }
  for (size_t blob = 0; blob < blob_count(); ++blob) require_entry(blob);
}

/// Checks bounds: a checksum does not protect against an index that was written to point outside.
void PayloadReader::require_entry(size_t blob) const {
  const auto within = [](uint64_t start, uint64_t bytes, uint64_t end) {
    return start <= end && bytes <= end - start;
  };
  const PayloadEntry e = entry(blob);
  const bool fits = within(e.name_start, e.name_bytes, top_.index_bytes) &&
                    within(e.start, e.stored_bytes, payload_.size()) &&
                    e.raw_bytes / kMaxDeflation <= e.stored_bytes &&
                    (e.is_deflated != 0 || e.raw_bytes == e.stored_bytes);
  if (!fits || (blob > 0 && name(blob - 1) >= name(blob))) {
    throw damaged_payload("entry " + std::to_string(blob) + " of its index cannot be");
  }
}

PayloadEntry PayloadReader::entry(size_t blob) const {
  PayloadEntry entry;
  std::memcpy(&entry, payload_.data() + sizeof(PayloadTop) + blob * sizeof(entry), sizeof(entry));
  return entry;
}

std::string_view PayloadReader::name(size_t blob) const {
  const PayloadEntry found = entry(blob);
  return payload_.substr(found.name_start, found.name_bytes);
}

std::optional<std::string> PayloadReader::read(std::string_view name) const {
  size_t first = 0;
  size_t end = blob_count();
  while (first < end) {
    const size_t middle = first + (end - first) / 2;
    if (this->name(middle) < name) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  if (first == blob_count() || this->name(first) != name) return std::nullopt;
  const PayloadEntry found = entry(first);
  const std::string_view stored = payload_.substr(found.start, found.stored_bytes);
  std::string bytes;
  if (found.is_deflated == 0) {
    bytes = stored;
  } else {
    bytes.resize(found.raw_bytes);
    uLongf room = bytes.size();
    const int state = uncompress(reinterpret_cast<Bytef*>(bytes.data()), &room,
                                 reinterpret_cast<const Bytef*>(stored.data()), stored.size());
    if (state != Z_OK || room != bytes.size()) {
      throw damaged_payload("'" + std::string(name) + "' does not inflate");
    }
  }
  if (crc_of(bytes) != found.raw_crc) {
    throw damaged_payload("'" + std::string(name) +
                          "' has another checksum than the one in the index");
  }
  return bytes;
}

}  // namespace tilewright
