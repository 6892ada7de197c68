// The names that have a value in a manifest of cubins, and the numbers that are written with them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cubin_manifest.hpp"

namespace tilewright {

class Node;

class ManifestNames {
 public:
  /// Begins with the problem's sizes and leading dimensions; `file` is the manifest's name in
  /// messages.
  explicit ManifestNames(std::string file);

  /// Adds a name. Throws a usage error for one that has a value already or that no expression could
  /// name.
  void add(const std::string& name, const Node& node);
  /// Reads an expression. Throws a usage error where it names something without a value.
  ManifestNumber number(const Node& node) const;
  std::vector<ManifestNumber> numbers(const Node& list) const;
  /// The number of a key, if it is there.
  std::optional<ManifestNumber> find(const Node& node, const std::string& key) const;
  /// The list of a key, empty if it is absent.
  std::vector<ManifestNumber> list(const Node& node, const std::string& key) const;
  /// One number or a list of up to three; what is left out is 1.
  ManifestExtents extents(const Node& node) const;
  /// "gemm.yaml:12".
  std::string place_of(const Node& node) const;

 private:
  std::string file_;
  std::vector<std::string> names_;
};

/// The index of the node's text among words. Throws a usage error, with a suggestion, for another
/// text.
size_t index_of_word(const Node& node, std::span<const std::string_view> words);

}  // namespace tilewright
