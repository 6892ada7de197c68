// Reads YAML and JSON with checks: every error message names the file, the line and the key.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/number_range.hpp"

namespace tilewright {

/// One node of a parsed text and its place. Every accessor throws a usage error that names file,
/// line and key if the node does not have the requested type.
class Node {
 public:
  /// Parses a file: exactly one document, in YAML or JSON. A scalar is whatever its text can be
  /// read as. `source` is the file's name in messages.
  static Node parse(std::string_view text, const std::string& source);
  /// Parses a line of a file of JSON: one value, in which "5" is a text and 5 a number. `line` is
  /// its number in the file.
  static Node parse_json(std::string_view text, const std::string& source, int line = 1);
  /// The same; nothing for what is not JSON.
  static std::optional<Node> find_json(std::string_view text, const std::string& source, int line);

  /// The value of a required key.
  Node at(const std::string& key) const;
  /// The value of a key, or nothing if it is absent.
  std::optional<Node> find(std::string_view key) const;
  std::vector<Node> items() const;
  /// The items of a list of so many.
  std::vector<Node> items(size_t count) const;
  std::vector<std::pair<std::string, Node>> pairs() const;
  /// Calls visit(key, node) for every node of a map or a list.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::optional<Node> node = first(); node; node = node->next()) visit(node->key(), *node);
  }

  int line() const;  // in the file, from 1
  bool is_null() const;
  bool is_map() const;
  bool is_list() const;
  bool is_text() const;
  bool is_number() const;
  std::string text() const;
  /// The text of any scalar, also of a number.
  std::string word() const;
  double number(NumberRange range = NumberRange::Any) const;  // finite
  double positive() const { return number(NumberRange::Positive); }
  int64_t integer() const;  // whole
  int64_t count() const;    // whole and at least 0
  int small_count() const;  // whole, in [0, 2^31)
  bool flag() const;        // true or false

  /// Throws a usage error for keys other than these.
  void allow_only(const std::vector<std::string_view>& keys) const;
  /// Throws a usage error unless the key `schema` is `expected` ("tilewright.best/1").
  void require_schema(std::string_view expected) const;
  /// Calls `read` with the scalar's word() and puts the node's place in front of the message of a
  /// usage error.
  template <class Read>
  auto parsed_by(Read read) const {
    const std::string value = word();
    try {
      return read(value);
    } catch (const Error& error) {
      throw fail(error.what());
    }
  }

  /// The error "best.yaml:12: entries[0].choice: " and the complaint, for the caller to throw.
  Error fail(const std::string& complaint) const;

 private:
  struct Tree;
  friend class TreeBuilder;

  Node(std::shared_ptr<const Tree> tree, uint32_t at) : tree_(std::move(tree)), at_(at) {}
  std::optional<Node> first() const;  // inside
  std::optional<Node> next() const;   // in the same map or list
  std::string_view key() const;
  Error wrong_type(std::string_view expected) const;

  std::shared_ptr<const Tree> tree_;
  uint32_t at_ = 0;
};

/// A name that reports of every format can print: visible, on one line and UTF-8.
std::string read_name(const Node& node);

/// The items of a list, which must not be empty and may have at most kMaxProblems items: each item
/// takes time of its own, and the user should split work of minutes into several commands. `what`
/// names one item in messages.
std::vector<Node> some_items(const Node& list, std::string_view what);

/// Throws a usage error unless the file ends in `complete: true`, which a truncated file lacks.
void require_complete(const Node& file);

}  // namespace tilewright
