// What a library of shipped kernels knows: the answers of tuned files, what was measured around
// them, and the kernels that are inside.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "search/bucket.hpp"
#include "search/library_pin.hpp"
#include "search/trial.hpp"
#include "tile/config/kernel_source.hpp"
#include "tile/config/tile_config.hpp"
#include "tile/plan/plan.hpp"
#include "tile/workload/device_spec.hpp"
#include "tile/workload/operand_places.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// Where an answer comes from: a row of this very problem, which was tuned or pinned; what was the
/// fastest where the product was tried; the winner of a range or of a routing much alike; the
/// model.
enum class AnswerSource { Tuned, Pinned, Tried, Range, Model };

inline constexpr std::string_view kAnswerSources[] = {"tuned", "pinned", "tried", "range", "model"};

/// One answer of a tuned file.
struct AnswerRow {
  Workload problem;
  TileConfig choice;
  bool pinned = false;
  double predicted_us = 0;
  double median_us = 0;  // 0: nothing ran
  std::string file;      // which has it
  // Where some version of cuBLASLt answers: all that are known, without `beside`.
  std::vector<LibraryPin> library_pins = {};
  bool operator==(const AnswerRow&) const = default;
};

/// A kernel that is shipped: a launch that it is of, and its programs.
struct ShippedKernel {
  Workload workload;
  TileConfig config;
  OperandPlaces places = {};
  std::vector<uint64_t> programs;  // program_id() of each of its kernel_sources()
  bool operator==(const ShippedKernel&) const = default;
};

/// The answers of a range of products that were worked out ahead: of those whose open sizes are
/// `low`, `low + step`, ... `high`.
struct AnswerRun {
  Workload kind;    // without sizes
  GemmShape shape;  // 0 where a size is open
  int64_t low = 0;
  int64_t high = 0;
  int64_t step = 1;
  TileConfig config;
  AnswerSource source = AnswerSource::Model;
  bool operator==(const AnswerRun&) const = default;
};

/// All of it; configs of `trials` and `ranges` need not be shipped.
struct AnswerTable {
  DeviceSpec device;
  std::vector<AnswerRow> rows;
  std::vector<Trial> trials;  // without their origins
  std::vector<Bucket> ranges;
  std::vector<ShippedKernel> kernels;
  std::vector<AnswerRun> runs = {};
  bool operator==(const AnswerTable&) const = default;
};

/// What a program is known by: a hash of its file's name and its constants.
uint64_t program_id(const KernelSource& source);

/// Those of kernel_sources().
std::vector<uint64_t> program_ids(const Plan& plan);

/// True where every program of the plan is one of the table's.
bool is_shipped(const AnswerTable& table, const Plan& plan);

/// True where the configs of one are looked at for the other: they differ in sizes, alpha and beta
/// alone, and the operands of groups are packed alike.
bool answers_alike(const Workload& a, const Workload& b);

/// Appends a config that is not there.
void add_config(std::vector<TileConfig>& configs, const TileConfig& config);

/// The distinct configs of rows and kernels that answer alike, those of rows first.
std::vector<TileConfig> configs_alike(const AnswerTable& table, const Workload& workload);

/// The config as it is, and in rasters that fit the smallest grids, by the same kernel.
std::vector<TileConfig> forms_of(const TileConfig& config);

}  // namespace tilewright
