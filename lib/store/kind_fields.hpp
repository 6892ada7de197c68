// The keys that a product's kind has in files: one row a key, which YAML and JSON read and write.
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
  /// Null where the key is left out.
  Document (*write)(const ProductKind& kind);
  /// Of the value's text. Throws a usage error.
  void (*read)(ProductKind& kind, const std::string& text);
  std::string_view meaning;
  std::string_view example;  // key: value
};

/// In the order in which they are written, and read.
std::span<const KindField> kind_fields();

/// Those keys and `others`: all that a map may have.
std::vector<std::string_view> with_kind_keys(std::vector<std::string_view> others);

/// Writes the kind's keys into `document`.
void write_kind(const ProductKind& kind, Document& document);
/// Removes them.
void erase_kind(Document& document);

}  // namespace tilewright
