// The artefact of a tuning run: for every problem its best config, the evidence, what was looked
// at.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "search/bucket.hpp"
#include "search/foreign_answer.hpp"
#include "search/result.hpp"
#include "search/trial.hpp"
#include "store/document.hpp"
#include "store/origin_differences.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

class YamlReader;

/// best.yaml, schema `tilewright.best/1`. `predicted`: nothing ran, all times are the model's.
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

/// The YAML text; parses back to the same artefact. Its last line tells a whole file from a
/// truncated one.
std::string print_best(const Artefact& artefact);

/// Throws a usage error that names file, line and key of what is wrong.
Artefact parse_best(std::string_view text, const std::string& source);

/// What to_document() wrote of an entry. Both throw a usage error for anything else.
TuneEntry read_entry(const YamlReader& node);
TuneEntry entry_from(const Document& node);

/// Reads and parses a file; a missing one is a usage error that says how to make it.
Artefact load_best(const std::filesystem::path& path);

/// The pinned entries of the artefact that a file holds; none where there is no file, or it is
/// none and pins nothing. Throws a usage error for one that seems to and does not read, an
/// environment error where they are of another kind of device than `device`.
std::vector<TuneEntry> pinned_entries(const std::filesystem::path& path,
                                      const DeviceFingerprint& device);

/// Puts them in the places of the entries of their problems, or behind all. Returns how many of
/// these there were.
int64_t keep_pinned(Artefact& artefact, const std::vector<TuneEntry>& pinned);

/// What an answer was measured with: as it says itself, else as far as its file does.
Origin origin_of(const TuneEntry& entry, const Artefact& artefact);

Origin origin_of(const Trial& trial, const Artefact& artefact);

/// The origins of all measured answers and of all trials.
std::vector<Origin> origins_of(const Artefact& artefact);

/// The entry of exactly this workload, a pinned one before others, else of a group the one of the
/// same layer whose routing is nearest, or null.
const TuneEntry* find_entry(const Artefact& artefact, const Workload& workload);

/// The answers of harnesses for exactly this workload, the fastest first.
std::vector<const ForeignEntry*> foreign_answers(const Artefact& artefact,
                                                 const Workload& workload);

/// The entry of the same operation whose sizes are nearest (sum of the logarithms' distances), or
/// null when there is none.
const TuneEntry* nearest_entry(const Artefact& artefact, const Workload& workload);

/// How far apart two workloads are: by their sizes, and then by what is done with them.
double distance(const Workload& a, const Workload& b);

/// Stands for a tuned problem where the model answers in a bucket.
inline const std::string kFromModel = "model";

/// The artefact as a tree of keys and values: what its YAML and its JSON share. Keys as in the
/// schema `tilewright.best/1`.
Document to_document(const Artefact& artefact);
Document to_document(const TuneEntry& entry);
Document to_document(const Trial& trial);
Document to_document(const Bucket& bucket);
/// `problem`, `dtype` and `layout`, with `out_dtype` and `bias` where they apply.
Document to_document(const Problem& problem);
/// The same, with "problem" the sizes of every product.
Document to_document(const Workload& workload);
/// The CONFIG keys as a map.
Document to_document(const TileConfig& config);
Document to_document(const MeasuringMethod& method, int64_t rounds);

}  // namespace tilewright
