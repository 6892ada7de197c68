// Reads JSON with checks: every error message names the place, the key and what is expected.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/number_range.hpp"
#include "store/document.hpp"

namespace tilewright {

/// Parses one JSON value; `place` is "history.jsonl:3" in the usage error for anything else.
Document parse_json(std::string_view text, const std::string& place);

/// One value of a parsed text, which must outlive it. Every accessor throws a usage error if the
/// value does not have the requested type.
class JsonReader {
 public:
  JsonReader(const Document& node, std::string place) : node_(node), place_(std::move(place)) {}

  JsonReader at(const std::string& key) const;
  std::vector<JsonReader> items() const;
  std::vector<std::pair<std::string, JsonReader>> pairs() const;

  std::string text() const;
  double number(NumberRange range = NumberRange::Any) const;
  int64_t integer() const;

  /// The error "history.jsonl:3: cases[0].name: " and the complaint, for the caller to throw.
  Error fail(const std::string& complaint) const;

 private:
  JsonReader(const Document& node, std::string place, std::string path)
      : node_(node), place_(std::move(place)), path_(std::move(path)) {}
  JsonReader child(const Document& node, const std::string& step) const;
  Error wrong_type(std::string_view expected) const;

  const Document& node_;
  std::string place_;
  std::string path_;
};

}  // namespace tilewright
