// The keys of a ProductKind in files: one table row a key, used for both YAML and JSON.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "record/document.hpp"
#include "record/node.hpp"
#include "tile/workload/workload.hpp"

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

/// The keys of a workload: `problem`, `op`, `uplo`, `parallel`, `gpus` and the kind's.
std::vector<std::string_view> workload_keys();
/// `others`, and all of these but `problem`: the keys that a map may have.
std::vector<std::string_view> with_launch_keys(std::vector<std::string_view> others);
/// `others` and the kind's keys: all keys that a map may have.
std::vector<std::string_view> with_kind_keys(std::vector<std::string_view> others);

/// Writes the kind's keys into `document`.
void write_kind(const ProductKind& kind, Document& document);
/// Removes them.
void erase_kind(Document& document);

/// `problem`, `dtype` and `layout`, with `out_dtype` and `bias` where they apply.
Document to_document(const Problem& problem);
/// The same; "problem" has the sizes of every product.
Document to_document(const Workload& workload);

/// Reads the key `problem` (MxNxK) and the kind's keys of a map; absent keys keep the value in
/// `otherwise`.
Problem read_problem(const Node& node, const Problem& otherwise = {});
/// Reads what one launch computes: the same keys, with `problem` for one or many products, and
/// `op`, `uplo`, `parallel` and `gpus`.
Workload read_workload(const Node& node);
/// Reads the same keys except the sizes; absent keys keep the value in `otherwise`.
Workload read_kind(const Node& node, const Workload& otherwise);

}  // namespace tilewright
