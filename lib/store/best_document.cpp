#include "base/text.hpp"
#include "store/best_table.hpp"
#include "store/group_key.hpp"
#include "store/kind_fields.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

Document pair_document(const Interval& interval) {
  return Document::array({interval.low, interval.high});
}

Document to_document(const Estimate& e) {
  return {{"us", e.us},
          {"tensor_us", e.tensor_us},
          {"l2_us", e.l2_us},
          {"dram_us", e.dram_us},
          {"dram_read_bytes", e.dram_read_bytes},
          {"dram_write_bytes", e.dram_write_bytes},
          {"l2_hit_rate", e.l2_hit_rate},
          {"slots", e.slots},
          {"waves", e.waves},
          {"wave_efficiency", e.wave_efficiency}};
}

Document to_document(const ReferenceResult& r) {
  Document document = {{"name", r.name},
                       {"median_us", r.median_us},
                       {"ratio", r.ratio.ratio},
                       {"ratio_ci", pair_document(r.ratio.interval)}};
  if (r.counters) document["counters"] = to_document(*r.counters);
  if (r.energy) document["energy"] = to_document(*r.energy);
  return document;
}

Document evidence_document(const TuneEntry& entry) {
  Document evidence = Document::object();
  if (entry.timing) {
    evidence["median_us"] = entry.timing->median_us;
    evidence["ci_us"] = pair_document(entry.timing->ci_us);
    evidence["tflops"] = entry.timing->tflops;
    if (entry.timing->sm_mhz != 0) evidence["sm_mhz"] = entry.timing->sm_mhz;
    if (entry.timing->watts != 0) evidence["watts"] = entry.timing->watts;
    if (entry.energy) evidence["energy"] = to_document(*entry.energy);
  } else {
    evidence["predicted"] = to_document(entry.predicted);
  }
  if (entry.reference) evidence["reference"] = to_document(*entry.reference);
  if (!entry.references.empty()) evidence["references"] = to_document(entry.references);
  if (entry.counters) evidence["counters"] = to_document(*entry.counters);
  if (!entry.why_no_counters.empty()) evidence["why_no_counters"] = entry.why_no_counters;
  if (entry.verified) evidence["verified"] = to_document(*entry.verified);
  if (entry.build) evidence["build"] = to_document(*entry.build);
  return evidence;
}

Document alternatives_document(const TuneEntry& entry) {
  Document all = Document::array();
  for (const Alternative& alternative : entry.alternatives) {
    all.push_back({{"change", alternative.change},
                   {"config", to_string(alternative.config)},
                   {"same_launch", alternative.same},
                   {"ratio", alternative.ratio->ratio},
                   {"ratio_ci", pair_document(alternative.ratio->interval)}});
  }
  return all;
}

Document group_document(const GroupKey& key) {
  return {{"count", key.count},
          {"n", key.n},
          {"k", key.k},
          {"total_rows", key.total_rows},
          {"rows", Document::array({key.rows[0], key.rows[1], key.rows[2]})}};
}

Document range_document(const SizeRange& range) {
  return Document::array({range.low, range.high});
}

// What a bucket's or a trial's problem is beside its sizes.
Document kind_document(Workload kind) {
  kind.shapes = {{1, 1, 1}};
  Document document = to_document(kind);
  document.erase("problem");
  return document;
}

Document considered_document(const Considered& considered) {
  Document rejected = Document::object();
  for (const auto& [rule, count] : considered.rejected) rejected[rule] = count;
  return {{"enumerated", considered.enumerated},
          {"rejected", rejected},
          {"measured", considered.measured}};
}

}  // namespace

Document to_document(const Counters& c) {
  return {{"dram_read_bytes", c.dram_read_bytes},
          {"dram_write_bytes", c.dram_write_bytes},
          {"l2_hit_pct", c.l2_hit_pct},
          {"tensor_active_pct", c.tensor_active_pct},
          {"shared_wavefronts", c.shared_wavefronts},
          {"passes", c.passes}};
}

Document to_document(const std::vector<ReferenceTime>& times) {
  Document document = Document::array();
  for (const ReferenceTime& time : times) {
    document.push_back({{"name", time.name}, {"median_us", time.median_us}});
  }
  return document;
}

Document to_document(const Verification& v) {
  Document document = {{"ok", v.ok}, {"rel_error", v.rel_error}};
  if (!v.detail.empty()) document["detail"] = v.detail;
  return document;
}

Document to_document(const Energy& e) {
  return {{"joules", e.joules}, {"us", e.us}};
}

Document to_document(const BuildResult& b) {
  Document document = {{"registers", b.registers},
                       {"spill_bytes", b.spill_bytes},
                       {"smem_bytes", b.smem_bytes},
                       {"cached", b.cached}};
  if (!b.reason.empty()) document["reason"] = b.reason;
  return document;
}

Document to_document(const Origin& o) {
  const auto known = [](const std::string& version) {
    return version.empty() ? kUnknownVersion : version;
  };
  Document document = {{"tool_version", known(o.tool_version)},
                       {"driver", known(o.software.driver)},
                       {"runtime", known(o.software.runtime)},
                       {"compiler", known(o.software.compiler)},
                       {"library", known(o.software.library)}};
  document.update(to_document(o.method, o.rounds));
  return document;
}

Document to_document(const MeasuringMethod& method, int64_t rounds) {
  return {{"timer", method.timer},
          {"regime", method.regime},
          {"rounds", rounds},
          {"data", method.data},
          {"reference", method.reference}};
}

Document to_document(const Problem& p) {
  Document document = {{"problem", to_string(p.shape)}};
  write_kind(p.kind, document);
  return document;
}

Document to_document(const Workload& workload) {
  Document document = to_document(problem_of(workload, 0));
  document["problem"] = shapes_text(workload);
  if (is_triangular(workload)) {
    document["op"] = to_string(workload.op);
    document["uplo"] = to_string(workload.uplo);
  }
  return document;
}

Document to_document(const TileConfig& config) {
  Document document = Document::object();
  for (const ConfigKey& key : config_keys(config)) {
    if (key.is_number) {
      document[key.name] = parse_count(key.value).value();
    } else {
      document[key.name] = key.value;
    }
  }
  return document;
}

Document to_document(const DeviceFingerprint& d) {
  return {{"name", d.name},         {"preset", d.preset},     {"compute", d.compute},
          {"sm_count", d.sm_count}, {"l2_bytes", d.l2_bytes}, {"memory_bytes", d.memory_bytes}};
}

Document to_document(const TuneEntry& entry) {
  Document ties = Document::array();
  for (const Tie& tie : entry.ties) {
    ties.push_back({{"config", to_string(tie.config)}, {"ratio", tie.ratio}});
  }
  Document wrong = Document::array();
  for (const WrongKernel& kernel : entry.wrong) {
    wrong.push_back(
        {{"config", to_string(kernel.config)}, {"verification", to_document(kernel.verification)}});
  }
  Document document = to_document(entry.problem);
  if (is_group(entry.problem)) document["group"] = group_document(group_key(entry.problem));
  if (is_triangular(entry.problem)) {
    // What every measured launch has.
    document["alpha"] = 1;
    document["beta"] = 0;
  }
  if (entry.pinned) document["pinned"] = true;
  document["choice"] = to_document(entry.choice);
  const bool library_wins = winner_of(entry) == Winner::Library;
  if (entry.objective != Objective::Time) {
    document["objective"] = kObjectives[static_cast<size_t>(entry.objective)];
  }
  document["winner"] = library_wins ? "library" : "ours";
  if (library_wins) document["algorithm"] = entry.reference->name;
  document["evidence"] = evidence_document(entry);
  // What was measured is evidence; the model's answer then stands beside it.
  if (entry.timing) document["model"] = to_document(entry.predicted);
  if (!entry.alternatives.empty()) document["alternatives"] = alternatives_document(entry);
  document["ties"] = ties;
  document["determinism"] = entry.determinism;
  if (!wrong.empty()) document["wrong"] = wrong;
  document["considered"] = considered_document(entry.considered);
  if (entry.origin) document["origin"] = to_document(*entry.origin);
  return document;
}

Document to_document(const Trial& trial) {
  Document document = to_document(trial.problem);
  document["date"] = trial.date;
  document["rounds"] = trial.rounds;
  document["predicted"] = to_string(trial.predicted);
  Document times = Document::array();
  for (const Trial::Time& time : trial.times) {
    times.push_back({{"us", time.us}, {"config", to_string(time.config)}});
  }
  document["times"] = times;
  if (trial.origin) document["origin"] = to_document(*trial.origin);
  return document;
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
  document["worst_regret"] = bucket.worst_regret;
  document["held_out_regret"] = bucket.held_out;
  document["shapes"] = bucket.trials;
  document["date"] = bucket.date;
  return document;
}

Document to_document(const Artefact& artefact) {
  Document entries = Document::array();
  for (const TuneEntry& entry : artefact.entries) entries.push_back(to_document(entry));
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

}  // namespace tilewright
