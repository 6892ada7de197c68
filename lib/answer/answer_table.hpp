// What a library of shipped kernels contains: the answers of tuned files, measurements around them,
// and the kernels.
#pragma once

#include <cstdint>
#include <span>
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

/// Where an answer comes from: a row of this problem, which was tuned or pinned; the fastest config
/// where the product was tried; the winner of a range or of a similar routing; the model.
enum class AnswerSource { Tuned, Pinned, Tried, Range, Model };

inline constexpr std::string_view kAnswerSources[] = {"tuned", "pinned", "tried", "range", "model"};

/// True if a row or a trial of this very product has the answer; false for the winner of a range or
/// of a similar routing, and for the model's choice.
bool is_of_product(AnswerSource source);

/// One answer of a tuned file.
struct AnswerRow {
  Workload problem;
  TileConfig choice;
  bool pinned = false;
  double predicted_us = 0;
  double median_us = 0;  // 0: nothing ran
  std::string file;      // the tuned file
  // All recorded pins if some version of cuBLASLt answers, else none; without `beside`.
  std::vector<LibraryPin> library_pins = {};
  bool operator==(const AnswerRow&) const = default;
};

/// A shipped kernel: one launch that uses it, and its programs.
struct ShippedKernel {
  Workload workload;
  TileConfig config;
  OperandPlaces places = {};
  std::vector<uint64_t> programs;  // program_id() of each of its kernel_sources()
  bool operator==(const ShippedKernel&) const = default;
};

/// The precomputed answer for a range of products: those with open sizes of `low`, `low + step`,
/// ... `high`.
struct AnswerRange {
  Workload kind;    // without sizes
  GemmShape shape;  // 0 where a size is open
  int64_t low = 0;
  int64_t high = 0;
  int64_t step = 1;
  TileConfig config;
  AnswerSource source = AnswerSource::Model;
  bool operator==(const AnswerRange&) const = default;
};

/// The whole table; configs of `trials` and `buckets` need not be shipped.
struct AnswerTable {
  DeviceSpec device;
  std::vector<AnswerRow> rows;
  std::vector<Trial> trials;  // without their origins
  std::vector<Bucket> buckets;
  std::vector<ShippedKernel> kernels;
  std::vector<AnswerRange> ranges = {};
  bool asks_library = true;  // false: never calls cuBLASLt, and no row has pins
  bool operator==(const AnswerTable&) const = default;
};

/// Identifies a program: a hash of its file's name and its constants.
uint64_t program_id(const KernelSource& source);

/// The identifiers of the plan's kernel_sources().
std::vector<uint64_t> program_ids(const Plan& plan);

/// True if every program of the plan is in the table.
bool is_shipped(const AnswerTable& table, const Plan& plan);

/// True if the configs of one are candidates for the other: they differ only in sizes, alpha, beta
/// and the padding of scales in memory, and the operands of groups are packed alike.
bool answers_alike(const Workload& a, const Workload& b);

/// True if a call for one is a call for the other: they are equal, up to orders of scales that are
/// the same where K is a multiple of 512.
bool is_same_call(const Workload& a, const Workload& b);

/// Appends a config unless it is there.
void add_config(std::vector<TileConfig>& configs, const TileConfig& config);

/// The distinct configs of rows and kernels that answer alike, those of rows first.
std::vector<TileConfig> configs_alike(const AnswerTable& table, const Workload& workload);

/// The config, and its forms in rasters that fit the smallest grids; all use the same kernel.
std::vector<TileConfig> forms_of(const TileConfig& config);

/// The config of a product with numbers of parts that fill the device, if it divides tiles and
/// joins their parts: all use the same kernel.
std::vector<TileConfig> other_parts(const TileConfig& config, const Workload& product,
                                    const DeviceSpec& device);

/// The range that contains the product, or null.
const AnswerRange* find_answer_range(std::span<const AnswerRange> ranges, const Workload& workload);

}  // namespace tilewright
