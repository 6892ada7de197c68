#include "store/foreign_entry.hpp"

#include "base/text.hpp"
#include "store/best_table.hpp"
#include "store/kind_fields.hpp"
#include "store/record_fields.hpp"
#include "store/yaml_reader.hpp"

namespace tilewright {

template <>
constexpr auto kFields<OursBeside> =
    std::array{always<&OursBeside::config>("config"), positive<&OursBeside::median_us>("median_us"),
               positive<&OursBeside::ratio, &PairedRatio::ratio>("ratio"),
               positive<&OursBeside::ratio, &PairedRatio::interval>("ratio_ci")};

// Behind `values` and the timing.
template <>
constexpr auto kFields<DefaultBeside> =
    std::array{positive<&DefaultBeside::ratio, &PairedRatio::ratio>("ratio"),
               positive<&DefaultBeside::ratio, &PairedRatio::interval>("ratio_ci")};

namespace {

// The map `evidence` behind the timing.
constexpr Field<ForeignEntry> kForeignEvidence[] = {
    when_set<&ForeignEntry::reference>("reference"),
    when_set<&ForeignEntry::references>("references"),
    when_set<&ForeignEntry::ours>("ours"),
    when_set<&ForeignEntry::counters>("counters"),
    when_set<&ForeignEntry::why_no_counters>("why_no_counters"),
    always<&ForeignEntry::verified>("verified"),
};

std::vector<AxisValue> read_values(const YamlReader& node) {
  std::vector<AxisValue> values;
  for (const auto& [axis, value] : node.pairs()) values.push_back({axis, value.integer()});
  return values;
}

DefaultBeside read_default_beside(const YamlReader& node) {
  constexpr std::string_view kValues[] = {"values"};
  node.allow_only(join_keys(kValues, keys_of<Timing>(), keys_of<DefaultBeside>()));
  DefaultBeside beside{.values = read_values(node.at("values")), .timing = {}, .ratio = {}};
  read_fields(node, beside.timing);
  read_fields(node, beside);
  return beside;
}

ForeignConfig read_harness_config(const YamlReader& node) {
  node.allow_only({"name", "file", "build", "values"});
  return {.harness = node.at("name").text(),
          .file = node.at("file").text(),
          .build = node.at("build").text(),
          .values = read_values(node.at("values"))};
}

void read_foreign_evidence(const YamlReader& node, ForeignEntry& entry) {
  constexpr std::string_view kDefault[] = {"default"};
  node.allow_only(join_keys(keys_of<Timing>(), keys_of<ForeignEntry>(kForeignEvidence), kDefault));
  read_fields(node, entry.timing);
  read_fields(node, entry, kForeignEvidence);
  if (const auto beside = node.find("default")) {
    entry.default_beside = read_default_beside(*beside);
  }
}

// It follows from the evidence.
void require_foreign_winner(const YamlReader& node, const ForeignEntry& entry) {
  const YamlReader winner = node.at("winner");
  const std::string expected = winner_text(entry);
  if (winner.text() == expected) return;
  throw winner.fail(format("is '{}', but the evidence gives {}", winner.text(), expected));
}

}  // namespace

Document values_document(const std::vector<AxisValue>& values) {
  Document document = Document::object();
  for (const AxisValue& value : values) document[value.axis] = value.value;
  return document;
}

Document harness_document(const ForeignConfig& config) {
  return {{"name", config.harness},
          {"file", config.file},
          {"build", config.build},
          {"values", values_document(config.values)}};
}

Document to_document(const DefaultBeside& beside) {
  Document document = {{"values", values_document(beside.values)}};
  write_fields(beside.timing, document);
  write_fields(beside, document);
  return document;
}

Document to_document(const ForeignEntry& entry) {
  Document document = to_document(entry.problem);
  document["harness"] = harness_document(entry.choice);
  if (!entry.compiler.empty()) document["compiler"] = entry.compiler;
  document["winner"] = winner_text(entry);
  Document evidence = Document::object();
  write_fields(entry.timing, evidence);
  write_fields(entry, evidence, kForeignEvidence);
  if (entry.default_beside) evidence["default"] = to_document(*entry.default_beside);
  document["evidence"] = evidence;
  document["ties"] = Document::array();
  for (const ForeignTie& tie : entry.ties) {
    document["ties"].push_back({{"values", values_document(tie.values)}, {"ratio", tie.ratio}});
  }
  for (const ForeignFault& fault : entry.wrong) {
    document["wrong"].push_back(
        {{"values", values_document(fault.values)}, {"reason", fault.reason}});
  }
  document["considered"] = to_document(entry.considered);
  if (!entry.date.empty()) document["date"] = entry.date;
  document["origin"] = to_document(entry.origin);
  return document;
}

ForeignEntry read_foreign_entry(const YamlReader& node) {
  node.allow_only(with_kind_keys({"problem", "op", "uplo", "harness", "compiler", "winner",
                                  "evidence", "ties", "wrong", "considered", "date", "origin"}));
  ForeignEntry entry;
  entry.problem = read_workload(node);
  entry.choice = read_harness_config(node.at("harness"));
  if (const auto compiler = node.find("compiler")) entry.compiler = compiler->text();
  if (const auto date = node.find("date")) entry.date = date->text();
  read_foreign_evidence(node.at("evidence"), entry);
  require_foreign_winner(node, entry);
  for (const YamlReader& tie : node.at("ties").items()) {
    tie.allow_only({"values", "ratio"});
    entry.ties.push_back({read_values(tie.at("values")), tie.at("ratio").positive()});
  }
  if (const auto wrong = node.find("wrong")) {
    for (const YamlReader& fault : wrong->items()) {
      fault.allow_only({"values", "reason"});
      entry.wrong.push_back({read_values(fault.at("values")), fault.at("reason").text()});
    }
  }
  entry.considered = read_record<Considered>(node.at("considered"));
  entry.origin = read_record<Origin>(node.at("origin"));
  return entry;
}

ForeignEntry foreign_entry_from(const Document& node) {
  return read_foreign_entry(YamlReader::parse(to_yaml(node), "an answer"));
}

bool is_foreign_entry(const YamlReader& node) {
  return node.is_map() && node.find("harness").has_value();
}

}  // namespace tilewright
