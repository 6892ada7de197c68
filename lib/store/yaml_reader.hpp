// Checked reading of YAML: every complaint names the file, the line and the key.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "tile/config/tile_config.hpp"
#include "tile/workload/device_spec.hpp"
#include "tile/workload/workload.hpp"

// NOLINTNEXTLINE(readability-identifier-naming): the library's own
namespace YAML {
class Node;
}

namespace tilewright {

/// One node of a parsed file and where it came from. Every accessor throws a usage error that names
/// file, line and key when the node is not what is asked for.
class YamlReader {
 public:
  /// Parses exactly one document; `source` is the file's name in messages.
  static YamlReader parse(std::string_view text, const std::string& source);

  /// The value of a key that must be there.
  YamlReader at(const std::string& key) const;
  /// The value of a key, nothing when it is absent.
  std::optional<YamlReader> find(const std::string& key) const;
  std::vector<YamlReader> items() const;
  std::vector<std::pair<std::string, YamlReader>> pairs() const;

  int line() const { return line_; }  // in the file, from 1
  bool is_map() const;
  std::string text() const;
  double number() const;    // finite
  double positive() const;  // finite and above 0
  int64_t integer() const;  // whole
  int64_t count() const;    // whole and at least 0
  int small_count() const;  // whole, in [0, 2^31)
  bool flag() const;        // true or false

  /// Complains about keys other than these.
  void allow_only(const std::vector<std::string_view>& keys) const;
  /// Complains unless the key `schema` holds `expected` ("tilewright.best/1").
  void require_schema(std::string_view expected) const;
  /// Runs `read` and puts the place in front of the message of a usage error it throws.
  template <class Read>
  auto parsed_by(Read read) const {
    const std::string value = text();
    try {
      return read(value);
    } catch (const Error& error) {
      throw fail(error.what());
    }
  }

  /// "best.yaml:12: entries[0].choice: " and the complaint, to be thrown.
  Error fail(const std::string& complaint) const;

 private:
  YamlReader(const YAML::Node& node, std::string source, std::string path, int line);
  YamlReader child(const YAML::Node& node, const std::string& step) const;

  std::shared_ptr<const YAML::Node> node_;
  std::string source_;
  std::string path_;
  int line_ = 0;  // from 1
};

/// A name that reports of every format can show: visible, on one line and UTF-8.
std::string read_name(const YamlReader& node);

/// The key `problem` (MxNxK) and those of kind_fields() of a map; what is absent is as in
/// `otherwise`.
Problem read_problem(const YamlReader& node, const Problem& otherwise = {});
/// What one launch computes: those keys, `problem` then of one or many products, `op` and `uplo`.
Workload read_workload(const YamlReader& node);
/// What stands beside the sizes, as in `otherwise` where it is absent.
Workload read_kind(const YamlReader& node, const Workload& otherwise);

/// CONFIG text of which every key is present.
TileConfig read_config(const YamlReader& node);

/// The same for a text put together from `node`.
TileConfig read_whole_config(const YamlReader& node, const std::string& text);

/// The items of a list that has some and at most kMostProblems: each is work of its own, and
/// minutes of it are to be asked for in several commands. `what` is one of them.
std::vector<YamlReader> some_items(const YamlReader& list, std::string_view what);

/// Complains unless the file ends in `complete: true`, which a truncated one has lost.
void require_complete(const YamlReader& file);

}  // namespace tilewright
