// Writes the answer for one problem as a map and reads it back.

#include "answer/group_key.hpp"
#include "base/text.hpp"
#include "store/best_table.hpp"
#include "store/kind_fields.hpp"
#include "store/record_fields.hpp"
#include "store/yaml_reader.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {

template <>
constexpr auto kFields<Alternative> =
    std::array{always<&Alternative::change>("change"), always<&Alternative::config>("config"),
               always<&Alternative::same_launch>("same_launch"),
               positive<&Alternative::ratio, &PairedRatio::ratio>("ratio"),
               positive<&Alternative::ratio, &PairedRatio::interval>("ratio_ci")};

template <>
constexpr auto kFields<ExportConfig> =
    std::array{always<&ExportConfig::stack>("stack"), always<&ExportConfig::config>("config"),
               positive<&ExportConfig::ratio, &PairedRatio::ratio>("ratio"),
               positive<&ExportConfig::ratio, &PairedRatio::interval>("ratio_ci")};

template <>
constexpr auto kFields<Tie> =
    std::array{always<&Tie::config>("config"), positive<&Tie::ratio>("ratio")};

template <>
constexpr auto kFields<WrongKernel> = std::array{
    always<&WrongKernel::config>("config"), always<&WrongKernel::verification>("verification")};

namespace {

TileConfig read_choice(const YamlReader& node) {
  std::vector<std::string> assignments;
  for (const auto& pair : node.pairs()) {
    assignments.push_back(pair.first + "=" + pair.second.text());
  }
  return read_complete_config(node, join(assignments, ","));
}

// Keys of the map `evidence` after the timing, or after the prediction if nothing was timed.
constexpr Field<TuneEntry> kEvidence[] = {
    when_set<&TuneEntry::energy>("energy"),
    when_set<&TuneEntry::reference>("reference"),
    when_set<&TuneEntry::references>("references"),
    when_set<&TuneEntry::counters>("counters"),
    when_set<&TuneEntry::why_no_counters>("why_no_counters"),
    when_set<&TuneEntry::verified>("verified"),
    when_set<&TuneEntry::build>("build"),
};

// Keys before the evidence.
constexpr Field<TuneEntry> kChoice[] = {
    when_set<&TuneEntry::pinned>("pinned"),
    when_set<&TuneEntry::required>("required"),
    {.key = "choice",
     .is_required = true,
     .is_set = MemberPath<&TuneEntry::choice>::is_always,
     .written = [](const TuneEntry& entry) { return to_document(entry.choice, entry.problem); },
     .read = [](const YamlReader& node, TuneEntry& entry) { entry.choice = read_choice(node); },
     .read_json = nullptr},
    when_set<&TuneEntry::objective>("objective"),
};

// Keys after the evidence.
constexpr Field<TuneEntry> kSearch[] = {
    when_set<&TuneEntry::library_pins>("library_pins"),
    when_set<&TuneEntry::alternatives>("alternatives"),
    when_set<&TuneEntry::exports>("exports"),
    always<&TuneEntry::ties>("ties"),
    always<&TuneEntry::determinism>("determinism"),
    when_set<&TuneEntry::wrong>("wrong"),
    always<&TuneEntry::considered>("considered"),
    when_set<&TuneEntry::origin>("origin"),
};

// Further keys, which follow from the rest of the entry; the reader checks them.
constexpr std::string_view kDerived[] = {"group",     "alpha",    "beta", "winner",
                                         "algorithm", "evidence", "model"};

// The numbers of an estimate without its times.
constexpr Fields<Estimate> kTimeless = Fields<Estimate>(kFields<Estimate>).last(6);

Document group_document(const GroupKey& key) {
  return {{"count", key.count},
          {"n", key.n},
          {"k", key.k},
          {"total_rows", key.total_rows},
          {"rows", Document::array({key.rows[0], key.rows[1], key.rows[2]})}};
}

// A prediction without a time is null, and the numbers that rank it stand beside it.
void write_prediction(const Estimate& predicted, Document& evidence) {
  evidence["predicted"] = predicted.is_time ? to_document(predicted) : Document();
  if (predicted.is_time) return;
  Document& ranked = evidence["ranked_by"] = Document::object();
  write_fields(predicted, ranked, kTimeless);
}

void read_prediction(const YamlReader& node, Estimate& predicted) {
  if (const auto ranked = node.find("ranked_by")) {
    if (!node.at("predicted").is_null()) throw ranked->fail("stands beside a prediction");
    ranked->allow_only(keys_of<Estimate>(kTimeless));
    read_fields(*ranked, predicted, kTimeless);
    predicted.is_time = false;
  } else {
    predicted = read_record<Estimate>(node.at("predicted"));
  }
}

Document evidence_document(const TuneEntry& entry) {
  Document evidence = Document::object();
  if (entry.timing) {
    write_fields(*entry.timing, evidence);
  } else {
    write_prediction(entry.predicted, evidence);
  }
  write_fields(entry, evidence, kEvidence);
  return evidence;
}

void read_evidence(const YamlReader& node, TuneEntry& entry) {
  constexpr std::string_view kPredicted[] = {"predicted", "ranked_by"};
  node.allow_only(join_keys(keys_of<Timing>(), kPredicted, keys_of<TuneEntry>(kEvidence)));
  if (node.find("predicted")) {
    read_prediction(node, entry.predicted);
  } else {
    read_fields(node, entry.timing.emplace());
  }
  read_fields(node, entry, kEvidence);
}

// Checks `winner`, which follows from the evidence; older artefacts lack the key.
void require_winner(const YamlReader& node, const TuneEntry& entry) {
  const bool library_wins = winner_of(entry) == Winner::Library;
  if (const auto winner = node.find("winner")) {
    const std::string expected = library_wins ? "library" : "ours";
    if (winner->text() != expected) {
      throw winner->fail(format("is '{}', but the evidence gives {}", winner->text(), expected));
    }
  }
  if (const auto algorithm = node.find("algorithm")) {
    if (!library_wins || algorithm->text() != entry.reference->name) {
      throw algorithm->fail("is not the algorithm of the library that won");
    }
  }
}

// Pins belong to a single product, and each version has at most one.
void require_pins(const YamlReader& node, const TuneEntry& entry) {
  const auto pins = node.find("library_pins");
  if (!pins) return;
  if (!is_product(entry.problem)) throw pins->fail("is for single products");
  for (size_t i = 1; i < entry.library_pins.size(); ++i) {
    if (entry.library_pins[i - 1].version < entry.library_pins[i].version) continue;
    throw pins->fail("must list each version once, the oldest first");
  }
}

// Checks `group`, which follows from the problem and is written for other programs.
void require_group(const YamlReader& node, const Workload& problem) {
  const auto group = node.find("group");
  if (!group) return;
  group->allow_only({"count", "n", "k", "total_rows", "rows"});
  const std::vector<YamlReader> rows = group->at("rows").items();
  if (rows.size() != 3)
    throw group->fail("does not give the smallest, median and largest number of rows");
  const GroupKey key{.count = group->at("count").count(),
                     .n = group->at("n").count(),
                     .k = group->at("k").count(),
                     .total_rows = group->at("total_rows").count(),
                     .rows = {rows[0].count(), rows[1].count(), rows[2].count()}};
  if (!is_group(problem) || key != group_key(problem)) {
    throw group->fail("is not that of the problem's sizes");
  }
}

// Only the tuned factors are read yet; artefacts of products lack the key.
void require_scaling(const YamlReader& node, const std::string& key, double tuned) {
  const auto scaling = node.find(key);
  if (!scaling || scaling->number() == tuned) return;
  throw scaling->fail(format("is {}; this version reads artefacts that were tuned with {} = {}",
                             scaling->number(), key, tuned));
}

}  // namespace

Document to_document(const TuneEntry& entry) {
  Document document = to_document(entry.problem);
  if (is_group(entry.problem)) document["group"] = group_document(group_key(entry.problem));
  const Epilogue& e = entry.problem.kind.epilogue;
  if (is_triangular(entry.problem) && e.alpha == 1 && e.beta == 0) {
    // Other factors are in the epilogue's own key.
    document["alpha"] = 1;
    document["beta"] = 0;
  }
  write_fields(entry, document, kChoice);
  const bool library_wins = winner_of(entry) == Winner::Library;
  document["winner"] = library_wins ? "library" : "ours";
  if (library_wins) document["algorithm"] = entry.reference->name;
  document["evidence"] = evidence_document(entry);
  // If the entry was measured, the evidence is the measurement, and the prediction has its own key.
  if (entry.timing) document["model"] = to_document(entry.predicted);
  write_fields(entry, document, kSearch);
  return document;
}

TuneEntry read_entry(const YamlReader& node) {
  node.allow_only(join_keys(with_kind_keys({"problem", "op", "uplo"}), kDerived,
                            keys_of<TuneEntry>(kChoice), keys_of<TuneEntry>(kSearch)));
  TuneEntry entry;
  entry.problem = read_workload(node);
  require_group(node, entry.problem);
  require_scaling(node, "alpha", 1);
  require_scaling(node, "beta", 0);
  read_fields(node, entry, kChoice);
  read_evidence(node.at("evidence"), entry);
  require_winner(node, entry);
  if (entry.timing) entry.predicted = read_record<Estimate>(node.at("model"));
  read_fields(node, entry, kSearch);
  require_pins(node, entry);
  return entry;
}

TuneEntry entry_from(const Document& node) {
  return read_entry(YamlReader::parse(to_yaml(node), "an answer"));
}

}  // namespace tilewright
