#include "record/field_table.hpp"

#include <doctest/doctest.h>

#include <set>

#include "record/record_fields.hpp"

namespace tilewright {

struct MadePart {
  double us = 0;
  Interval ends;
  bool operator==(const MadePart&) const = default;
};

struct MadeRecord {
  std::string name;
  int few = 3;
  std::optional<MadePart> inner = {};
  std::vector<Energy> energies = {};
  bool operator==(const MadeRecord&) const = default;
};

template <>
inline constexpr auto kFields<MadeRecord> =
    std::array{always<&MadeRecord::name>("name"), when_set<&MadeRecord::few>("few"),
               when_set<&MadeRecord::inner, &MadePart::us>("us"),
               when_set<&MadeRecord::inner, &MadePart::ends>("ends"),
               since<&MadeRecord::energies>("energies")};

namespace {

Node json_of(const Document& document) {
  return Node::parse_json(document.dump(), "made.jsonl");
}

MadeRecord read_back(const MadeRecord& made) {
  return read_record<MadeRecord>(Node::parse(to_yaml(to_document(made)), "made.yaml"));
}

std::string error_message(const std::string& text) {
  try {
    read_record<MadeRecord>(Node::parse(text, "made.yaml"));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// Checks that every key is unique, and that a new record reads back in every format once its times
// and ratios are above 0.
template <class Record>
void check_table() {
  std::set<std::string_view> keys;
  Document written = to_document(Record{});
  for (const Field<Record>& row : kFields<Record>) {
    CHECK(keys.insert(row.key).second);
    Document& value = written[std::string(row.key)];
    if (value.is_null()) {
      written.erase(std::string(row.key));
    } else if (row.range == NumberRange::Positive) {
      value = value.is_array() ? Document::array({1.5, 2.5}) : Document(1.5);
    }
  }
  const auto read = read_record<Record>(Node::parse(to_yaml(written), "new.yaml"));
  CHECK(to_document(read) == written);
  CHECK(to_document(record_from<Record>(json_of(written))) == written);
}

}  // namespace

TEST_CASE("a table reads back its own YAML and JSON") {
  for (const int few : {0, 3, 7}) {
    for (const bool has_inner : {false, true}) {
      for (const size_t energies : {size_t{0}, size_t{1}, size_t{3}}) {
        MadeRecord made{.name = "a b", .few = few};
        if (has_inner) made.inner = MadePart{.us = 0, .ends = {.low = 1, .high = 2.5}};
        made.energies.assign(energies, Energy{.joules = 0.5, .us = 20});
        CHECK(read_back(made) == made);
        CHECK(record_from<MadeRecord>(json_of(to_document(made))) == made);
      }
    }
  }
}

TEST_CASE("every table has each key once and reads a new record back") {
  check_table<Estimate>();
  check_table<Counters>();
  check_table<Energy>();
  check_table<Verification>();
  check_table<BuildResult>();
  check_table<LaunchTime>();
  check_table<Timing>();
  check_table<ReferenceTime>();
  check_table<ReferenceResult>();
  check_table<TraceRecord>();
  check_table<MeasuringMethod>();
  check_table<DeviceFingerprint>();
}

TEST_CASE("keys with default values are left out; the others keep the order of the rows") {
  CHECK(to_document(MadeRecord{}).dump() == R"({"name":"","energies":[]})");
  const MadeRecord made{.name = "x", .few = 0, .inner = MadePart{}};
  CHECK(to_document(made).dump() ==
        R"({"name":"x","few":0,"us":0.0,"ends":[0.0,0.0],"energies":[]})");
  const TraceRecord record{.cta = 1, .n = 4, .end_ns = 9};
  CHECK(row_of(record).dump() == "[1,0,0,0,4,false,0,0,0,9,0]");
  CHECK(record_from_row<TraceRecord>(json_of(row_of(record))) == record);
}

TEST_CASE("an error names the key and its place") {
  CHECK(error_message("name: x\n") == "");
  CHECK(error_message("few: 1\n") == "made.yaml:1: lacks the key 'name'");
  CHECK(error_message("name: x\nfex: 1\n") ==
        "made.yaml:2: fex: unknown key 'fex' - did you mean 'few'?");
  CHECK(error_message("name: x\nfew: -1\n") == "made.yaml:2: few: should be at least 0, and is -1");
  CHECK(error_message("name: x\nends: [1]\n") ==
        "made.yaml:2: ends: has 1 numbers, not [low, high]");
  CHECK(error_message("name: x\nenergies:\n  - {joules: 1}\n") ==
        "made.yaml:3: energies[0]: lacks the key 'us'");
  CHECK_THROWS_AS(record_from<MadeRecord>(json_of(Document::array({1}))), Error);
  CHECK_THROWS_AS(record_from<LaunchTime>(json_of("lost")), Error);
  CHECK_THROWS_AS(record_from_row<TraceRecord>(json_of(Document::array({1, 2}))), Error);
}

}  // namespace tilewright
