// Writes the artefact of a tuning run as a map and reads it back.

#include <algorithm>

#include "base/text.hpp"
#include "record/kind_fields.hpp"
#include "record/node.hpp"
#include "record/record_fields.hpp"
#include "store/best_table.hpp"
#include "store/foreign_entry.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {

template <>
constexpr auto kFields<Trial::Time> =
    std::array{positive<&Trial::Time::us>("us"), always<&Trial::Time::config>("config")};

namespace {

constexpr std::array kTrial = {
    part<&Trial::problem>(),          always<&Trial::date>("date"),
    always<&Trial::rounds>("rounds"), always<&Trial::predicted>("predicted"),
    always<&Trial::times>("times"),   when_set<&Trial::origin>("origin"),
};

// The keys of a bucket that follow its ranges of sizes and its answer.
constexpr Field<Bucket> kRegrets[] = {
    always<&Bucket::worst_regret>("worst_regret", NumberRange::NotNegative),
    always<&Bucket::held_out>("held_out_regret", NumberRange::NotNegative),
    always<&Bucket::trials>("shapes"),
    always<&Bucket::date>("date"),
};

Document range_document(const SizeRange& range) {
  return Document::array({range.low, range.high});
}

// The kind of a bucket's or a trial's problem, without its sizes.
Document kind_document(Workload kind) {
  kind.shapes = {{1, 1, 1}};
  Document document = to_document(kind);
  document.erase("problem");
  return document;
}

SizeRange read_range(const Node& node) {
  const std::vector<Node> ends = node.items(2);
  const SizeRange range{.low = ends[0].count(), .high = ends[1].count()};
  if (range.low < 1 || range.high <= range.low) throw node.fail("contains no sizes");
  return range;
}

Bucket read_bucket(const Node& node) {
  node.allow_only(with_kind_keys({"m", "n", "k", "multiples_of", "from", "config", "worst_regret",
                                  "held_out_regret", "shapes", "date"}));
  Bucket bucket;
  bucket.kind = read_kind(node, {});
  bucket.kind.shapes.clear();
  bucket.m = read_range(node.at("m"));
  bucket.n = read_range(node.at("n"));
  bucket.k = read_range(node.at("k"));
  const std::vector<Node> of = node.at("multiples_of").items(3);
  SizeRange* const sides[] = {&bucket.m, &bucket.n, &bucket.k};
  for (size_t axis = 0; axis < of.size(); ++axis) {
    sides[axis]->multiple = of[axis].count();
    if (sides[axis]->multiple < 1) throw of[axis].fail("is not a multiple");
  }
  bucket.by_model = node.at("from").text() == kFromModel;
  if (!bucket.by_model) {
    bucket.from =
        node.at("from").parsed_by([](const std::string& text) { return parse_shape(text); });
    bucket.choice = field_value::read_at<TileConfig>(node, "config");
  }
  read_fields(node, bucket, kRegrets);
  return bucket;
}

Trial read_trial(const Node& node) {
  auto trial = read_record<Trial>(node, kTrial);
  if (!is_product(trial.problem)) throw node.at("problem").fail("is not one product");
  const bool has_predicted =
      std::any_of(trial.times.begin(), trial.times.end(),
                  [&](const Trial::Time& time) { return time.config == trial.predicted; });
  if (!has_predicted) throw node.at("times").fail("lack the predicted config");
  return trial;
}

void read_dispatch(const Node& node, Artefact& artefact) {
  node.allow_only({"buckets", "trials"});
  for (const Node& bucket : node.at("buckets").items()) {
    artefact.buckets.push_back(read_bucket(bucket));
  }
  for (const Node& trial : node.at("trials").items()) {
    artefact.trials.push_back(read_trial(trial));
  }
}

}  // namespace

Document to_document(const MeasuringMethod& method, int64_t rounds) {
  const Origin origin{.tool_version = {}, .software = {}, .method = method, .rounds = rounds};
  Document document = Document::object();
  write_fields(origin, document, kMethodRows);
  return document;
}

Document to_document(const TileConfig& config, const Workload& launched) {
  Document document = Document::object();
  for (const ConfigKey& key : launch_config_keys(config, launched)) {
    if (key.is_number) {
      document[key.name] = parse_count(key.value).value();
    } else {
      document[key.name] = key.value;
    }
  }
  return document;
}

Document to_document(const Trial& trial) {
  return document_of(trial, kTrial);
}

Document to_document(const Bucket& bucket) {
  Document document = {
      {"m", range_document(bucket.m)},
      {"n", range_document(bucket.n)},
      {"k", range_document(bucket.k)},
      {"multiples_of", Document::array({bucket.m.multiple, bucket.n.multiple, bucket.k.multiple})}};
  document.update(kind_document(bucket.kind));
  document["from"] = bucket.by_model ? kFromModel : to_string(bucket.from);
  if (!bucket.by_model) document["config"] = to_string(bucket.choice);
  write_fields(bucket, document, kRegrets);
  return document;
}

Document to_document(const Artefact& artefact) {
  Document entries = Document::array();
  for (const TuneEntry& entry : artefact.entries) entries.push_back(to_document(entry));
  for (const ForeignEntry& entry : artefact.foreign) entries.push_back(to_document(entry));
  Document document = {{"schema", "tilewright.best/1"},
                       {"tool_version", artefact.tool_version},
                       {"predicted", artefact.predicted},
                       {"device", to_document(artefact.device)},
                       {"method", to_document(artefact.method, artefact.rounds)},
                       {"entries", entries}};
  if (!artefact.trials.empty()) {
    Document buckets = Document::array();
    for (const Bucket& bucket : artefact.buckets) buckets.push_back(to_document(bucket));
    Document trials = Document::array();
    for (const Trial& trial : artefact.trials) trials.push_back(to_document(trial));
    document["dispatch"] = {{"buckets", buckets}, {"trials", trials}};
  }
  document["complete"] = true;
  return document;
}

Artefact parse_best(std::string_view text, const std::string& source) {
  const Node file = Node::parse(text, source);
  file.require_schema("tilewright.best/1");
  file.allow_only({"schema", "tool_version", "predicted", "device", "method", "entries", "dispatch",
                   "complete"});
  require_complete(file);
  Artefact artefact;
  artefact.tool_version = file.at("tool_version").text();
  artefact.predicted = file.at("predicted").flag();
  artefact.device = read_record<DeviceFingerprint>(file.at("device"));
  const Node method = file.at("method");
  method.allow_only(keys_of(kMethodRows));
  Origin measured;
  read_fields(method, measured, kMethodRows);
  artefact.method = measured.method;
  artefact.rounds = measured.rounds;
  for (const Node& entry : file.at("entries").items()) {
    if (is_foreign_entry(entry)) {
      artefact.foreign.push_back(read_foreign_entry(entry));
    } else {
      artefact.entries.push_back(read_entry(entry));
    }
  }
  if (const auto dispatch = file.find("dispatch")) read_dispatch(*dispatch, artefact);
  return artefact;
}

}  // namespace tilewright
