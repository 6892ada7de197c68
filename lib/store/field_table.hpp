// Describes a record as a table; each row maps a key to a member. One table writes the record and
// reads it back from YAML and JSON.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/number_range.hpp"
#include "search/result.hpp"
#include "store/document.hpp"
#include "store/yaml_reader.hpp"

namespace tilewright {

/// One key of a record. `is_set`: whether the key is written. A key that is not required keeps its
/// default value if it is absent; a key without `read` is only written. `range`: that of the key's
/// number, or of every number of its list.
template <class Record>
struct Field {
  std::string_view key;
  bool is_required;
  bool (*is_set)(const Record&);
  Document (*written)(const Record&);
  void (*read)(const YamlReader&, Record&);
  void (*read_json)(const Document&, Record&);
  NumberRange range = NumberRange::Any;
};

/// The table of a record: specialized as an array of rows.
template <class Record>
inline constexpr std::nullptr_t kFields{};

template <class Record>
concept HasFields = requires {
  kFields<Record>.size();
};

template <class Record>
using Fields = std::span<const Field<Record>>;

/// Adds the keys of a record to a map.
template <class Record>
void write_fields(const Record& record, Document& node,
                  std::type_identity_t<Fields<Record>> rows = kFields<Record>) {
  for (const Field<Record>& row : rows) {
    if (row.is_set(record)) node[std::string(row.key)] = row.written(record);
  }
}

/// Throws a usage error for numbers outside the range; null holds none.
void require_range(const YamlReader& node, NumberRange range);
void require_range(const Document& node, std::string_view key, NumberRange range);

/// Reads the record's keys from a map; the caller handles all other keys.
template <class Record>
void read_fields(const YamlReader& node, Record& record,
                 std::type_identity_t<Fields<Record>> rows = kFields<Record>) {
  for (const Field<Record>& row : rows) {
    if (row.read == nullptr) continue;
    const std::string key(row.key);
    if (const auto value = row.is_required ? node.at(key) : node.find(key)) {
      require_range(*value, row.range);
      row.read(*value, record);
    }
  }
}

template <class Record>
std::vector<std::string_view> keys_of(Fields<Record> rows = kFields<Record>) {
  std::vector<std::string_view> keys;
  for (const Field<Record>& row : rows) keys.push_back(row.key);
  return keys;
}

/// Concatenates lists of keys.
template <class... Lists>
std::vector<std::string_view> join_keys(const Lists&... lists) {
  std::vector<std::string_view> all;
  (all.insert(all.end(), std::begin(lists), std::end(lists)), ...);
  return all;
}

template <HasFields Record>
Document to_document(const Record& record) {
  Document node = Document::object();
  write_fields(record, node);
  return node;
}

/// Throws a usage error for keys that the record does not have.
template <HasFields Record>
Record read_record(const YamlReader& node) {
  node.allow_only(keys_of<Record>());
  Record record;
  read_fields(node, record);
  return record;
}

/// Reads what to_document() wrote. Throws Document::exception, or a usage error for a value out of
/// its range.
template <HasFields Record>
Record record_from(const Document& node) {
  Record record;
  // Throws unless it is a map, even if no key is required
  (void)node.get_ref<const Document::object_t&>();
  for (const Field<Record>& row : kFields<Record>) {
    if (row.read_json == nullptr) continue;
    const std::string key(row.key);
    if (!row.is_required && !node.contains(key)) continue;
    require_range(node.at(key), key, row.range);
    row.read_json(node.at(key), record);
  }
  return record;
}

/// The values alone, in the order of the rows.
template <HasFields Record>
Document row_of(const Record& record) {
  Document list = Document::array();
  for (const Field<Record>& row : kFields<Record>) list.push_back(row.written(record));
  return list;
}

/// Reads what row_of() wrote. Throws as record_from() does.
template <HasFields Record>
Record record_from_row(const Document& list) {
  Record record;
  size_t at = 0;
  for (const Field<Record>& row : kFields<Record>) {
    require_range(list.at(at), row.key, row.range);
    row.read_json(list.at(at++), record);
  }
  return record;
}

/// Writes and reads one value of a file.
namespace field_value {

Document written(const Interval& interval);
Document written(const TileConfig& config);
Document written(Objective objective);
Document written(const AlgorithmBits& bits);
template <class Value>
Document written(const Value& value) {
  if constexpr (HasFields<Value>) {
    return to_document(value);
  } else {
    return value;
  }
}
/// An empty optional is written as null.
template <class Value>
Document written(const std::optional<Value>& value) {
  return value ? written(*value) : Document();
}
template <class Value>
Document written(const std::vector<Value>& values) {
  Document list = Document::array();
  for (const Value& value : values) list.push_back(written(value));
  return list;
}

void read(const YamlReader& node, Interval& value);
void read(const YamlReader& node, TileConfig& value);
void read(const YamlReader& node, Objective& value);
void read(const YamlReader& node, AlgorithmBits& value);
void read(const YamlReader& node, std::map<std::string, int64_t>& value);
/// Refuses negative integers.
template <class Value>
void read(const YamlReader& node, Value& value) {
  if constexpr (HasFields<Value>) {
    value = read_record<Value>(node);
  } else if constexpr (std::is_same_v<Value, std::string>) {
    value = node.text();
  } else if constexpr (std::is_same_v<Value, bool>) {
    value = node.flag();
  } else if constexpr (std::is_same_v<Value, double>) {
    value = node.number();
  } else if constexpr (std::is_same_v<Value, int>) {
    value = node.small_count();
  } else {
    value = static_cast<Value>(node.count());
  }
}
template <class Value>
void read(const YamlReader& node, std::optional<Value>& value) {
  read(node, value.emplace());
}
template <class Value>
void read(const YamlReader& node, std::vector<Value>& values) {
  for (const YamlReader& item : node.items()) read(item, values.emplace_back());
}

template <class Integer>
Integer integer_in(const Document& node) {
  const auto fits = [](auto value) { return std::in_range<Integer>(value); };
  const bool is_in = node.is_number_unsigned()
                         ? fits(node.get<uint64_t>())
                         : node.is_number_integer() && fits(node.get<int64_t>());
  if (!is_in) throw usage_error("a whole number is missing, or is too large");
  return node.get<Integer>();
}

void read(const Document& node, Interval& value);
void read(const Document& node, TileConfig& value);
void read(const Document& node, Objective& value);
void read(const Document& node, AlgorithmBits& value);
/// Refuses integers that do not fit.
template <class Value>
void read(const Document& node, Value& value) {
  if constexpr (HasFields<Value>) {
    value = record_from<Value>(node);
  } else if constexpr (std::is_integral_v<Value> && !std::is_same_v<Value, bool>) {
    value = integer_in<Value>(node);
  } else {
    node.get_to(value);
  }
}
template <class Value>
void read(const Document& node, std::optional<Value>& value) {
  if (!node.is_null()) read(node, value.emplace());
}
template <class Value>
void read(const Document& node, std::vector<Value>& values) {
  for (const Document& item : node.get_ref<const Document::array_t&>()) {
    read(item, values.emplace_back());
  }
}

}  // namespace field_value

/// The member of a row: a member of the record, or a member of a member.
template <auto First, auto... Rest>
struct MemberPath {
  template <class Outer, class Member>
  static Outer record_of(Member Outer::*);
  using Record = decltype(record_of(First));

  /// Returns null if an optional on the way is empty; if the record is not const, fills the
  /// optional instead.
  template <class Outer>
  static auto* find(Outer& record) {
    auto& member = record.*First;
    if constexpr (sizeof...(Rest) == 0) {
      return &member;
    } else if constexpr (requires { member.has_value(); }) {
      if constexpr (!std::is_const_v<Outer>) {
        if (!member) member.emplace();
      }
      return member ? MemberPath<Rest...>::find(*member) : nullptr;
    } else {
      return MemberPath<Rest...>::find(member);
    }
  }

  static bool is_always(const Record&) { return true; }

  static bool differs(const Record& record) {
    const Record fresh{};
    const auto* const value = find(record);
    const auto* const usual = find(fresh);
    return value != nullptr && (usual == nullptr || *value != *usual);
  }

  static Document written(const Record& record) { return field_value::written(*find(record)); }
  static void read(const YamlReader& node, Record& record) {
    field_value::read(node, *find(record));
  }
  static void read_json(const Document& node, Record& record) {
    field_value::read(node, *find(record));
  }
};

/// A required key, always written.
template <auto... Path, class M = MemberPath<Path...>>
constexpr Field<typename M::Record> always(std::string_view key,
                                           NumberRange range = NumberRange::Any) {
  return {key, true, M::is_always, M::written, M::read, M::read_json, range};
}

/// A required key, always written, with a number above 0 or a list of such numbers.
template <auto... Path>
constexpr auto positive(std::string_view key) {
  return always<Path...>(key, NumberRange::Positive);
}

/// An optional key, written if its value differs from the default.
template <auto... Path, class M = MemberPath<Path...>>
constexpr Field<typename M::Record> when_set(std::string_view key,
                                             NumberRange range = NumberRange::Any) {
  return {key, false, M::differs, M::written, M::read, M::read_json, range};
}

/// A key that is always written and that files of earlier versions lack.
template <auto... Path, class M = MemberPath<Path...>>
constexpr Field<typename M::Record> since(std::string_view key) {
  return {key, false, M::is_always, M::written, M::read, M::read_json};
}

}  // namespace tilewright
