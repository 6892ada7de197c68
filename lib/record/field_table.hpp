// Describes a record as a table; each row maps a key to a member. One table writes the record and
// reads it back, as YAML and as JSON.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
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
#include "record/kind_fields.hpp"
#include "search/result.hpp"

namespace tilewright {

/// One key of a record, or with `keys` a part of it: several keys of the record's own map.
/// `is_set`: whether it is written. A row that is not required keeps its default value if it is
/// absent; a row without `read` is only written. `range`: that of the key's number, or of every
/// number of its list.
template <class Record>
struct Field {
  std::string_view key;
  bool is_required;
  bool (*is_set)(const Record&);
  Document (*written)(const Record&);
  void (*read)(const Node&, Record&);
  NumberRange range = NumberRange::Any;
  std::vector<std::string_view> (*keys)() = nullptr;
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
    if (!row.is_set(record)) continue;
    Document value = row.written(record);
    if (row.keys == nullptr) {
      node[std::string(row.key)] = std::move(value);
    } else {
      node.update(value);
    }
  }
}

/// Throws a usage error for numbers outside the range; null holds none.
void require_range(const Node& node, NumberRange range);

/// Reads the record's keys from a map; the caller handles all other keys.
template <class Record>
void read_fields(const Node& node, Record& record,
                 std::type_identity_t<Fields<Record>> rows = kFields<Record>) {
  for (const Field<Record>& row : rows) {
    if (row.keys != nullptr) {
      row.read(node, record);
    } else if (row.read != nullptr) {
      const std::string key(row.key);
      const auto value = row.is_required ? node.at(key) : node.find(key);
      if (!value) continue;
      require_range(*value, row.range);
      row.read(*value, record);
    }
  }
}

template <class Record>
std::vector<std::string_view> keys_of(Fields<Record> rows = kFields<Record>) {
  std::vector<std::string_view> keys;
  for (const Field<Record>& row : rows) {
    const std::vector<std::string_view> own =
        row.keys == nullptr ? std::vector{row.key} : row.keys();
    keys.insert(keys.end(), own.begin(), own.end());
  }
  return keys;
}

template <class Record>
Document document_of(const Record& record,
                     std::type_identity_t<Fields<Record>> rows = kFields<Record>) {
  Document node = Document::object();
  write_fields(record, node, rows);
  return node;
}

template <HasFields Record>
Document to_document(const Record& record) {
  return document_of(record);
}

/// Reads what document_of() wrote. Throws a usage error for anything else, but not for further
/// keys.
template <class Record>
Record record_from(const Node& node, std::type_identity_t<Fields<Record>> rows = kFields<Record>) {
  Record record;
  read_fields(node, record, rows);
  return record;
}

/// The same; throws a usage error for further keys, too.
template <class Record>
Record read_record(const Node& node, std::type_identity_t<Fields<Record>> rows = kFields<Record>) {
  node.allow_only(keys_of<Record>(rows));
  return record_from<Record>(node, rows);
}

/// The values alone, in the order of the rows.
template <HasFields Record>
Document row_of(const Record& record) {
  Document list = Document::array();
  for (const Field<Record>& row : kFields<Record>) list.push_back(row.written(record));
  return list;
}

/// Reads what row_of() wrote. Throws a usage error for anything else.
template <HasFields Record>
Record record_from_row(const Node& list) {
  Record record;
  const std::vector<Node> values = list.items(kFields<Record>.size());
  for (size_t i = 0; i < values.size(); ++i) {
    require_range(values[i], kFields<Record>[i].range);
    kFields<Record>[i].read(values[i], record);
  }
  return record;
}

/// Writes and reads one value of a file.
namespace field_value {

Document written(const Interval& interval);
Document written(const TileConfig& config);
Document written(Objective objective);
Document written(const AlgorithmBits& bits);
Document written(const std::vector<AxisValue>& values);
Document written(const Workload& workload);
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

void read(const Node& node, Interval& value);
/// CONFIG text in which every key is present, or a map of these keys.
void read(const Node& node, TileConfig& value);
void read(const Node& node, Objective& value);
void read(const Node& node, AlgorithmBits& value);
void read(const Node& node, std::map<std::string, int64_t>& value);
void read(const Node& node, std::vector<AxisValue>& values);
void read(const Node& node, Workload& workload);
/// Refuses negative integers.
template <class Value>
void read(const Node& node, Value& value) {
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
void read(const Node& node, std::optional<Value>& value) {
  if (!node.is_null()) read(node, value.emplace());
}
template <class Value>
void read(const Node& node, std::vector<Value>& values) {
  for (const Node& item : node.items()) read(item, values.emplace_back());
}

/// The value of a required key.
template <class Value>
Value read_at(const Node& node, const std::string& key) {
  Value value{};
  read(node.at(key), value);
  return value;
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
  static void read(const Node& node, Record& record) { field_value::read(node, *find(record)); }
};

/// A required key, always written.
template <auto... Path, class M = MemberPath<Path...>>
constexpr Field<typename M::Record> always(std::string_view key,
                                           NumberRange range = NumberRange::Any) {
  return {key, true, M::is_always, M::written, M::read, range};
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
  return {key, false, M::differs, M::written, M::read, range};
}

/// An optional key, written under a condition.
template <auto... Path, class M = MemberPath<Path...>>
constexpr Field<typename M::Record> when(std::string_view key,
                                         bool (*is_set)(const typename M::Record&)) {
  return {key, false, is_set, M::written, M::read};
}

/// A key that is always written and that files of earlier versions lack.
template <auto... Path, class M = MemberPath<Path...>>
constexpr Field<typename M::Record> since(std::string_view key) {
  return {key, false, M::is_always, M::written, M::read};
}

/// A key that follows from the rest of the record and is written for readers.
template <class Record>
constexpr Field<Record> derived(
    std::string_view key, Document (*written)(const Record&),
    bool (*is_set)(const Record&) = [](const Record&) { return true; }) {
  return {key, false, is_set, written, nullptr};
}

/// A key with a map of further rows of the record.
template <class Record, const auto& Rows>
constexpr Field<Record> map_of(std::string_view key) {
  return {key, true, [](const Record&) { return true; },
          [](const Record& record) { return document_of(record, Rows); },
          [](const Node& node, Record& record) {
            node.allow_only(keys_of<Record>(Rows));
            read_fields(node, record, Rows);
          }};
}

/// The keys of a member that is a workload, a record, or an optional record, among the record's own
/// keys. A map with the first or the last of its keys has the optional one.
template <auto Member, class M = MemberPath<Member>>
constexpr Field<typename M::Record> part() {
  using Whole = typename M::Record;
  using Part = std::decay_t<decltype(Whole{}.*Member)>;
  if constexpr (std::is_same_v<Part, Workload>) {
    return {"", true, M::is_always, M::written, M::read, NumberRange::Any, workload_keys};
  } else if constexpr (HasFields<Part>) {
    return {"",
            true,
            M::is_always,
            M::written,
            [](const Node& node, Whole& record) { read_fields(node, record.*Member); },
            NumberRange::Any,
            [] { return keys_of<Part>(); }};
  } else {
    using Value = typename Part::value_type;
    return {"",
            true,
            M::differs,
            M::written,
            [](const Node& node, Whole& record) {
              constexpr auto& kRows = kFields<Value>;
              if (!node.find(kRows.front().key) && !node.find(kRows.back().key)) return;
              read_fields(node, (record.*Member).emplace());
            },
            NumberRange::Any,
            [] { return keys_of<Value>(); }};
  }
}

}  // namespace tilewright
