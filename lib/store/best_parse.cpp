// Reading best.yaml back; the printing half is best_document.cpp.

#include "base/text.hpp"
#include "store/best_table.hpp"
#include "store/group_key.hpp"
#include "store/kind_fields.hpp"
#include "store/yaml_reader.hpp"

namespace tilewright {
namespace {

Estimate read_estimate(const YamlReader& node) {
  node.allow_only({"us", "tensor_us", "l2_us", "dram_us", "dram_read_bytes", "dram_write_bytes",
                   "l2_hit_rate", "slots", "waves", "wave_efficiency"});
  return {.us = node.at("us").number(),
          .tensor_us = node.at("tensor_us").number(),
          .l2_us = node.at("l2_us").number(),
          .dram_us = node.at("dram_us").number(),
          .dram_read_bytes = node.at("dram_read_bytes").number(),
          .dram_write_bytes = node.at("dram_write_bytes").number(),
          .l2_hit_rate = node.at("l2_hit_rate").number(),
          .slots = node.at("slots").count(),
          .waves = node.at("waves").count(),
          .wave_efficiency = node.at("wave_efficiency").number()};
}

Counters read_counters(const YamlReader& node) {
  node.allow_only({"dram_read_bytes", "dram_write_bytes", "l2_hit_pct", "tensor_active_pct",
                   "shared_wavefronts", "passes"});
  return {.dram_read_bytes = node.at("dram_read_bytes").number(),
          .dram_write_bytes = node.at("dram_write_bytes").number(),
          .l2_hit_pct = node.at("l2_hit_pct").number(),
          .tensor_active_pct = node.at("tensor_active_pct").number(),
          .shared_wavefronts = node.at("shared_wavefronts").number(),
          .passes = node.at("passes").small_count()};
}

Energy read_energy(const YamlReader& node) {
  node.allow_only({"joules", "us"});
  return {.joules = node.at("joules").number(), .us = node.at("us").number()};
}

double number_or_0(const std::optional<YamlReader>& node) {
  return node ? node->number() : 0;
}

ReferenceResult read_reference(const YamlReader& node) {
  node.allow_only({"name", "median_us", "ratio", "ratio_ci", "counters", "energy"});
  ReferenceResult result;
  result.name = node.at("name").text();
  result.median_us = node.at("median_us").number();
  result.ratio = {.ratio = node.at("ratio").number(),
                  .interval = read_interval(node.at("ratio_ci"))};
  if (const auto counters = node.find("counters")) result.counters = read_counters(*counters);
  if (const auto energy = node.find("energy")) result.energy = read_energy(*energy);
  return result;
}

Verification read_verification(const YamlReader& node) {
  node.allow_only({"ok", "rel_error", "detail"});
  return {.ok = node.at("ok").flag(),
          .rel_error = node.at("rel_error").number(),
          .detail = read_text(node.find("detail"))};
}

BuildResult read_build(const YamlReader& node) {
  node.allow_only({"registers", "spill_bytes", "smem_bytes", "cached", "reason"});
  return {.reason = read_text(node.find("reason")),
          .registers = node.at("registers").small_count(),
          .spill_bytes = node.at("spill_bytes").small_count(),
          .smem_bytes = node.at("smem_bytes").small_count(),
          .cached = node.at("cached").flag()};
}

TileConfig read_choice(const YamlReader& node) {
  std::vector<std::string> assignments;
  for (const auto& pair : node.pairs()) {
    assignments.push_back(pair.first + "=" + pair.second.text());
  }
  return read_whole_config(node, join(assignments, ","));
}

void read_evidence(const YamlReader& node, TuneEntry& entry) {
  node.allow_only({"median_us", "ci_us", "tflops", "sm_mhz", "watts", "energy", "predicted",
                   "reference", "counters", "why_no_counters", "verified", "build", "references"});
  if (const auto predicted = node.find("predicted")) {
    entry.predicted = read_estimate(*predicted);
  } else {
    entry.timing = Timing{.median_us = node.at("median_us").number(),
                          .ci_us = read_interval(node.at("ci_us")),
                          .tflops = node.at("tflops").number(),
                          .sm_mhz = number_or_0(node.find("sm_mhz")),
                          .watts = number_or_0(node.find("watts"))};
    if (const auto energy = node.find("energy")) entry.energy = read_energy(*energy);
  }
  if (const auto reference = node.find("reference")) entry.reference = read_reference(*reference);
  if (const auto references = node.find("references")) {
    for (const YamlReader& time : references->items()) {
      time.allow_only({"name", "median_us"});
      entry.references.push_back({time.at("name").text(), time.at("median_us").number()});
    }
  }
  if (const auto counters = node.find("counters")) entry.counters = read_counters(*counters);
  entry.why_no_counters = read_text(node.find("why_no_counters"));
  if (const auto verified = node.find("verified")) entry.verified = read_verification(*verified);
  if (const auto build = node.find("build")) entry.build = read_build(*build);
}

Considered read_considered(const YamlReader& node) {
  node.allow_only({"enumerated", "rejected", "measured"});
  Considered considered;
  considered.enumerated = node.at("enumerated").count();
  for (const auto& pair : node.at("rejected").pairs()) {
    considered.rejected[pair.first] = pair.second.count();
  }
  considered.measured = node.at("measured").count();
  return considered;
}

// It follows from the evidence; artefacts from before the key lack it.
void require_winner(const YamlReader& node, const TuneEntry& entry) {
  const bool library_wins = winner_of(entry) == Winner::Library;
  if (const auto winner = node.find("winner")) {
    const std::string expected = library_wins ? "library" : "ours";
    if (winner->text() != expected) {
      throw winner->fail(format("is '{}', but the evidence says {}", winner->text(), expected));
    }
  }
  if (const auto algorithm = node.find("algorithm")) {
    if (!library_wins || algorithm->text() != entry.reference->name) {
      throw algorithm->fail("is not the algorithm of the library that won");
    }
  }
}

Alternative read_alternative(const YamlReader& node) {
  node.allow_only({"change", "config", "same_launch", "ratio", "ratio_ci"});
  return {.config = read_config(node.at("config")),
          .change = node.at("change").text(),
          .ratio = PairedRatio{.ratio = node.at("ratio").number(),
                               .interval = read_interval(node.at("ratio_ci"))},
          .same = node.at("same_launch").flag()};
}

// It follows from the problem; other programs look it up.
void require_group(const YamlReader& node, const Workload& problem) {
  const auto group = node.find("group");
  if (!group) return;
  group->allow_only({"count", "n", "k", "total_rows", "rows"});
  const std::vector<YamlReader> rows = group->at("rows").items();
  if (rows.size() != 3) throw group->fail("does not name the fewest, median and most rows");
  const GroupKey key{.count = group->at("count").count(),
                     .n = group->at("n").count(),
                     .k = group->at("k").count(),
                     .total_rows = group->at("total_rows").count(),
                     .rows = {rows[0].count(), rows[1].count(), rows[2].count()}};
  if (!is_group(problem) || key != group_key(problem)) {
    throw group->fail("is not that of the problem's sizes");
  }
}

// Nobody tunes others yet, and artefacts of products have none.
void require_scaling(const YamlReader& node, const std::string& key, double tuned) {
  const auto scaling = node.find(key);
  if (!scaling || scaling->number() == tuned) return;
  throw scaling->fail(format("is {}; this version reads what was tuned with {} = {}",
                             scaling->number(), key, tuned));
}

SizeRange read_range(const YamlReader& node) {
  const std::vector<YamlReader> ends = node.items();
  if (ends.size() != 2) throw node.fail("is not [low, high]");
  const SizeRange range{.low = ends[0].count(), .high = ends[1].count()};
  if (range.low < 1 || range.high <= range.low) throw node.fail("holds no sizes");
  return range;
}

Bucket read_bucket(const YamlReader& node) {
  node.allow_only(with_kind_keys({"m", "n", "k", "multiples_of", "from", "config", "worst_regret",
                                  "held_out_regret", "shapes", "date"}));
  Bucket bucket;
  bucket.kind = read_kind(node, {});
  bucket.kind.shapes.clear();
  bucket.m = read_range(node.at("m"));
  bucket.n = read_range(node.at("n"));
  bucket.k = read_range(node.at("k"));
  const YamlReader multiples = node.at("multiples_of");
  const std::vector<YamlReader> of = multiples.items();
  if (of.size() != 3) throw multiples.fail("does not name those of m, n and k");
  SizeRange* const sides[] = {&bucket.m, &bucket.n, &bucket.k};
  for (size_t axis = 0; axis < of.size(); ++axis) {
    sides[axis]->multiple = of[axis].count();
    if (sides[axis]->multiple < 1) throw of[axis].fail("is no multiple");
  }
  bucket.by_model = node.at("from").text() == kFromModel;
  if (!bucket.by_model) {
    bucket.from =
        node.at("from").parsed_by([](const std::string& text) { return parse_shape(text); });
    bucket.choice = read_config(node.at("config"));
  }
  bucket.worst_regret = node.at("worst_regret").number();
  bucket.held_out = node.at("held_out_regret").number();
  bucket.trials = node.at("shapes").count();
  bucket.date = node.at("date").text();
  return bucket;
}

Origin read_origin(const YamlReader& node) {
  node.allow_only({"tool_version", "driver", "runtime", "compiler", "library", "timer", "regime",
                   "rounds", "data", "reference"});
  const auto known = [&node](const char* key) {
    const std::string version = node.at(key).text();
    return version == kUnknownVersion ? "" : version;
  };
  return {.tool_version = known("tool_version"),
          .software = {.driver = known("driver"),
                       .runtime = known("runtime"),
                       .compiler = known("compiler"),
                       .library = known("library")},
          .method = read_method(node),
          .rounds = node.at("rounds").count()};
}

Trial read_trial(const YamlReader& node) {
  node.allow_only(with_kind_keys({"problem", "date", "rounds", "predicted", "times", "origin"}));
  Trial trial;
  trial.problem = read_workload(node);
  if (!is_product(trial.problem)) throw node.at("problem").fail("is not one product");
  trial.date = node.at("date").text();
  trial.rounds = node.at("rounds").count();
  trial.predicted = read_config(node.at("predicted"));
  bool has_predicted = false;
  for (const YamlReader& time : node.at("times").items()) {
    time.allow_only({"us", "config"});
    trial.times.push_back({read_config(time.at("config")), time.at("us").positive()});
    has_predicted = has_predicted || trial.times.back().config == trial.predicted;
  }
  if (!has_predicted) throw node.at("times").fail("lack the predicted config");
  if (const auto origin = node.find("origin")) trial.origin = read_origin(*origin);
  return trial;
}

void read_dispatch(const YamlReader& node, Artefact& artefact) {
  node.allow_only({"buckets", "trials"});
  for (const YamlReader& bucket : node.at("buckets").items()) {
    artefact.buckets.push_back(read_bucket(bucket));
  }
  for (const YamlReader& trial : node.at("trials").items()) {
    artefact.trials.push_back(read_trial(trial));
  }
}

TuneEntry read_entry(const YamlReader& node) {
  node.allow_only(
      with_kind_keys({"problem", "op", "uplo", "alpha", "beta", "group", "choice", "winner",
                      "objective", "algorithm", "alternatives", "evidence", "model", "ties",
                      "determinism", "wrong", "considered", "pinned", "origin"}));
  TuneEntry entry;
  entry.problem = read_workload(node);
  require_group(node, entry.problem);
  require_scaling(node, "alpha", 1);
  require_scaling(node, "beta", 0);
  if (const auto pinned = node.find("pinned")) entry.pinned = pinned->flag();
  entry.choice = read_choice(node.at("choice"));
  read_evidence(node.at("evidence"), entry);
  if (const auto objective = node.find("objective")) {
    entry.objective = parse_objective(objective->text());
  }
  require_winner(node, entry);
  if (entry.timing) entry.predicted = read_estimate(node.at("model"));
  if (const auto alternatives = node.find("alternatives")) {
    for (const YamlReader& item : alternatives->items()) {
      entry.alternatives.push_back(read_alternative(item));
    }
  }
  for (const YamlReader& tie : node.at("ties").items()) {
    tie.allow_only({"config", "ratio"});
    entry.ties.push_back({read_config(tie.at("config")), tie.at("ratio").number()});
  }
  if (const auto wrong = node.find("wrong")) {
    for (const YamlReader& kernel : wrong->items()) {
      kernel.allow_only({"config", "verification"});
      entry.wrong.push_back(
          {read_config(kernel.at("config")), read_verification(kernel.at("verification"))});
    }
  }
  entry.determinism = node.at("determinism").text();
  entry.considered = read_considered(node.at("considered"));
  if (const auto origin = node.find("origin")) entry.origin = read_origin(*origin);
  return entry;
}

}  // namespace

TuneEntry entry_from(const Document& node) {
  return read_entry(YamlReader::parse(to_yaml(node), "an answer"));
}

Artefact parse_best(std::string_view text, const std::string& source) {
  const YamlReader file = YamlReader::parse(text, source);
  file.require_schema("tilewright.best/1");
  file.allow_only({"schema", "tool_version", "predicted", "device", "method", "entries", "dispatch",
                   "complete"});
  require_complete(file);
  Artefact artefact;
  artefact.tool_version = file.at("tool_version").text();
  artefact.predicted = file.at("predicted").flag();
  artefact.device = read_fingerprint(file.at("device"));
  const YamlReader method = file.at("method");
  method.allow_only({"timer", "regime", "rounds", "data", "reference"});
  artefact.method = read_method(method);
  artefact.rounds = method.at("rounds").count();
  for (const YamlReader& entry : file.at("entries").items()) {
    artefact.entries.push_back(read_entry(entry));
  }
  if (const auto dispatch = file.find("dispatch")) read_dispatch(*dispatch, artefact);
  return artefact;
}

}  // namespace tilewright
