// The keys of a ProductKind in files: one table row a key, used for both YAML and JSON.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/document.hpp"
#include "tile/workload/product_kind.hpp"

namespace tilewright {

struct KindField {
  std::string_view key;
  /// Returns null if the key is left out.
  Document (*write)(const ProductKind& kind);
  /// Parses the value's text. Throws a usage error.
  void (*read)(ProductKind& kind, const std::string& text);
  std::string_view meaning;
  std::string_view example;  // key: value
};

/// In the order of writing and reading.
std::span<const KindField> kind_fields();

/// `others` and the kind's keys: all keys that a map may have.
std::vector<std::string_view> with_kind_keys(std::vector<std::string_view> others);

/// Writes the kind's keys into `document`.
void write_kind(const ProductKind& kind, Document& document);
/// Removes them.
void erase_kind(Document& document);

}  // namespace tilewright
