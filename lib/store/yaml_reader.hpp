// Reads YAML with checks: every error message names the file, the line and the key.
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
#include "tile/config/tile_config.hpp"
#include "tile/workload/device_spec.hpp"
#include "tile/workload/workload.hpp"

// NOLINTNEXTLINE(readability-identifier-naming): the library's own
namespace YAML {
class Node;
}

namespace tilewright {

/// One node of a parsed file and its place. Every accessor throws a usage error that names file,
/// line and key if the node does not have the requested type.
class YamlReader {
 public:
  /// Parses exactly one document; `source` is the file's name in messages.
  static YamlReader parse(std::string_view text, const std::string& source);

  /// The value of a required key.
  YamlReader at(const std::string& key) const;
  /// The value of a key, or nothing if it is absent.
  std::optional<YamlReader> find(const std::string& key) const;
  std::vector<YamlReader> items() const;
  std::vector<std::pair<std::string, YamlReader>> pairs() const;

  int line() const { return line_; }  // in the file, from 1
  bool is_null() const;
  bool is_map() const;
  bool is_list() const;
  std::string text() const;
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
  /// Calls `read` with the node's text and puts the node's place in front of the message of a usage
  /// error.
  template <class Read>
  auto parsed_by(Read read) const {
    const std::string value = text();
    try {
      return read(value);
    } catch (const Error& error) {
      throw fail(error.what());
    }
  }

  /// The error "best.yaml:12: entries[0].choice: " and the complaint, for the caller to throw.
  Error fail(const std::string& complaint) const;

 private:
  YamlReader(const YAML::Node& node, std::string source, std::string path, int line);
  YamlReader child(const YAML::Node& node, const std::string& step) const;

  std::shared_ptr<const YAML::Node> node_;
  std::string source_;
  std::string path_;
  int line_ = 0;  // from 1
};

/// A name that reports of every format can print: visible, on one line and UTF-8.
std::string read_name(const YamlReader& node);

/// Reads the key `problem` (MxNxK) and the kind_fields() of a map; absent keys keep the value in
/// `otherwise`.
Problem read_problem(const YamlReader& node, const Problem& otherwise = {});
/// Reads what one launch computes: the same keys, with `problem` for one or many products, and `op`
/// and `uplo`.
Workload read_workload(const YamlReader& node);
/// Reads the same keys except the sizes; absent keys keep the value in `otherwise`.
Workload read_kind(const YamlReader& node, const Workload& otherwise);

/// Reads CONFIG text in which every key is present.
TileConfig read_config(const YamlReader& node);

/// The same for a text that the caller composed from `node`.
TileConfig read_complete_config(const YamlReader& node, const std::string& text);

/// The items of a list, which must not be empty and may have at most kMaxProblems items: each item
/// takes time of its own, and the user should split work of minutes into several commands. `what`
/// names one item in messages.
std::vector<YamlReader> some_items(const YamlReader& list, std::string_view what);

/// Throws a usage error unless the file ends in `complete: true`, which a truncated file lacks.
void require_complete(const YamlReader& file);

}  // namespace tilewright
