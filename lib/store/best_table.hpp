// The artefact of a tuning run: for every problem the best config, its evidence and the search's
// counts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "record/kind_fields.hpp"
#include "search/bucket.hpp"
#include "search/foreign_answer.hpp"
#include "search/origin.hpp"
#include "search/result.hpp"
#include "search/trial.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

class Node;

/// best.yaml, schema `tilewright.best/1`. `predicted`: nothing ran and all times are the model's.
struct Artefact {
  std::string tool_version;
  bool predicted = false;
  DeviceFingerprint device;
  MeasuringMethod method;
  int64_t rounds = 0;  // of the longest final comparison; 0 when nothing ran
  std::vector<TuneEntry> entries;
  std::vector<ForeignEntry> foreign = {};  // of harnesses: at most one a problem and harness
  std::vector<Trial> trials = {};          // of products between those of the entries
  std::vector<Bucket> buckets = {};        // buckets_of() both when the trials were made
  bool operator==(const Artefact&) const = default;
};

/// The YAML text; parses back to the same artefact. Its last line marks the file as complete.
std::string print_best(const Artefact& artefact);

/// Throws a usage error that names the file, the line and the key.
Artefact parse_best(std::string_view text, const std::string& source);

/// Reads back what to_document() wrote for an entry. Throws a usage error for anything else.
TuneEntry read_entry(const Node& node);

/// Reads and parses a file. If it is missing, throws a usage error that explains how to create it.
Artefact load_best(const std::filesystem::path& path);

/// The pinned entries of a file's artefact; none if the file is missing, or is not an artefact and
/// pins nothing. Throws a usage error for a file that looks like an artefact and cannot be read,
/// and an environment error if its entries belong to another kind of device than `device`.
std::vector<TuneEntry> pinned_entries(const std::filesystem::path& path,
                                      const DeviceFingerprint& device);

/// Replaces the entries of the same problems by the pinned ones and appends the others. Returns how
/// many entries were replaced.
int64_t keep_pinned(Artefact& artefact, const std::vector<TuneEntry>& pinned);

/// What an answer was measured with: the entry's own origin if it has one, else the file's.
Origin origin_of(const TuneEntry& entry, const Artefact& artefact);

Origin origin_of(const Trial& trial, const Artefact& artefact);

/// The origins of all measured answers and of all trials.
std::vector<Origin> origins_of(const Artefact& artefact);

/// One part of an origin, such as "driver", that differs.
struct OriginDifference {
  std::string_view part;
  std::string before;
  std::string now;
};

/// The parts that differ, among driver, library, compiler, runtime, timer, regime and version of
/// tilewright.
std::vector<OriginDifference> origin_differences(const Origin& before, const Origin& now);

/// One line for each part that differs between several answers, with the number of answers for each
/// value: "the answers' driver differs: 570.1 (2 answers), 580.2 (1 answer)".
std::vector<std::string> origin_differences(const std::vector<Origin>& origins);

/// The entry of exactly this workload, preferably a pinned one; for a group without one, the entry
/// of the same layer with the nearest routing. Null if there is none.
const TuneEntry* find_entry(const Artefact& artefact, const Workload& workload);

/// The answers of harnesses for exactly this workload, the fastest first.
std::vector<const ForeignEntry*> foreign_answers(const Artefact& artefact,
                                                 const Workload& workload);

/// The entry of the same operation with the nearest sizes (sum of the logarithms' distances), or
/// null when there is none.
const TuneEntry* nearest_entry(const Artefact& artefact, const Workload& workload);

/// The distance of two workloads: of their sizes, plus up to 0.7 for another input type, operation
/// or triangle.
double distance(const Workload& a, const Workload& b);

/// Written in place of a tuned problem in a bucket that the model answers.
inline const std::string kFromModel = "model";

/// The artefact as a tree of keys and values, which both its YAML and its JSON print. Keys as in
/// the schema `tilewright.best/1`.
Document to_document(const Artefact& artefact);
Document to_document(const TuneEntry& entry);
Document to_document(const Trial& trial);
Document to_document(const Bucket& bucket);
/// Every key that a launch of the workload uses, as a map.
Document to_document(const TileConfig& config, const Workload& launched);
Document to_document(const MeasuringMethod& method, int64_t rounds);

}  // namespace tilewright
