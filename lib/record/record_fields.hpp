// Field tables of measurements and predictions, for artefacts, baselines, stores and the messages
// of runner processes.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "model/estimate.hpp"
#include "record/field_table.hpp"
#include "search/foreign_answer.hpp"
#include "search/origin.hpp"
#include "search/result.hpp"
#include "search/runner.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

template <>
inline constexpr auto kFields<Estimate> =
    std::array{positive<&Estimate::us>("us"),
               always<&Estimate::tensor_us>("tensor_us", NumberRange::NotNegative),
               always<&Estimate::l2_us>("l2_us", NumberRange::NotNegative),
               always<&Estimate::dram_us>("dram_us", NumberRange::NotNegative),
               always<&Estimate::dram_read_bytes>("dram_read_bytes", NumberRange::NotNegative),
               always<&Estimate::dram_write_bytes>("dram_write_bytes", NumberRange::NotNegative),
               always<&Estimate::l2_hit_rate>("l2_hit_rate", NumberRange::Share),
               always<&Estimate::slots>("slots", NumberRange::NotNegative),
               always<&Estimate::waves>("waves", NumberRange::NotNegative),
               always<&Estimate::wave_efficiency>("wave_efficiency", NumberRange::NotNegative)};

template <>
inline constexpr auto kFields<Counters> =
    std::array{always<&Counters::dram_read_bytes>("dram_read_bytes", NumberRange::NotNegative),
               always<&Counters::dram_write_bytes>("dram_write_bytes", NumberRange::NotNegative),
               always<&Counters::l2_hit_pct>("l2_hit_pct", NumberRange::NotNegative),
               always<&Counters::tensor_active_pct>("tensor_active_pct", NumberRange::NotNegative),
               always<&Counters::shared_wavefronts>("shared_wavefronts", NumberRange::NotNegative),
               always<&Counters::passes>("passes", NumberRange::NotNegative)};

/// `counters` is null if they could not be read.
template <>
inline constexpr auto kFields<CounterReading> =
    std::array{always<&CounterReading::counters>("counters"),
               when_set<&CounterReading::why_not>("why_no_counters")};

template <>
inline constexpr auto kFields<Energy> = std::array{
    always<&Energy::joules>("joules", NumberRange::NotNegative), positive<&Energy::us>("us")};

template <>
inline constexpr auto kFields<EnergyReading> = std::array{
    when_set<&EnergyReading::energy, &Energy::joules>("joules", NumberRange::NotNegative),
    when_set<&EnergyReading::energy, &Energy::us>("us", NumberRange::Positive),
    when_set<&EnergyReading::why_not>("why_not")};

template <>
inline constexpr auto kFields<Verification> =
    std::array{always<&Verification::ok>("ok"),
               always<&Verification::rel_error>("rel_error", NumberRange::NotNegative),
               when_set<&Verification::detail>("detail")};

template <>
inline constexpr auto kFields<BuildResult> =
    std::array{always<&BuildResult::registers>("registers", NumberRange::NotNegative),
               always<&BuildResult::spill_bytes>("spill_bytes", NumberRange::NotNegative),
               always<&BuildResult::smem_bytes>("smem_bytes", NumberRange::NotNegative),
               always<&BuildResult::cached>("cached"), when_set<&BuildResult::reason>("reason")};

/// `us` or `lost`.
template <>
inline constexpr auto kFields<LaunchTime> = std::array{
    when_set<&LaunchTime::us>("us", NumberRange::Positive), when_set<&LaunchTime::failure>("lost"),
    when_set<&LaunchTime::sm_mhz>("sm_mhz", NumberRange::NotNegative),
    when_set<&LaunchTime::watts>("watts", NumberRange::NotNegative)};

template <>
inline constexpr auto kFields<Timing> =
    std::array{positive<&Timing::median_us>("median_us"), positive<&Timing::ci_us>("ci_us"),
               always<&Timing::tflops>("tflops", NumberRange::NotNegative),
               when_set<&Timing::sm_mhz>("sm_mhz", NumberRange::NotNegative),
               when_set<&Timing::watts>("watts", NumberRange::NotNegative)};

template <>
inline constexpr auto kFields<ReferenceTime> = std::array{
    always<&ReferenceTime::name>("name"), positive<&ReferenceTime::median_us>("median_us")};

template <>
inline constexpr auto kFields<ReferenceResult> =
    std::array{always<&ReferenceResult::name>("name"),
               positive<&ReferenceResult::median_us>("median_us"),
               positive<&ReferenceResult::ratio, &PairedRatio::ratio>("ratio"),
               positive<&ReferenceResult::ratio, &PairedRatio::interval>("ratio_ci"),
               when_set<&ReferenceResult::counters>("counters"),
               when_set<&ReferenceResult::energy>("energy")};

template <>
inline constexpr auto kFields<Considered> = std::array{
    always<&Considered::enumerated>("enumerated"), always<&Considered::rejected>("rejected"),
    always<&Considered::measured>("measured")};

template <>
inline constexpr auto kFields<LibraryAlgorithm> = std::array{
    always<&LibraryAlgorithm::bits>("algorithm"),
    always<&LibraryAlgorithm::workspace_bytes>("workspace_bytes", NumberRange::NotNegative)};

template <>
inline constexpr auto kFields<LibraryAlgorithms> = std::array{
    always<&LibraryAlgorithms::version>("version"), always<&LibraryAlgorithms::list>("list")};

template <>
inline constexpr auto kFields<LibraryPin> = std::array{
    always<&LibraryPin::version>("version"),
    always<&LibraryPin::name>("name"),
    always<&LibraryPin::algorithm, &LibraryAlgorithm::bits>("algorithm"),
    always<&LibraryPin::algorithm, &LibraryAlgorithm::workspace_bytes>("workspace_bytes"),
    positive<&LibraryPin::median_us>("median_us"),
    positive<&LibraryPin::ratio, &PairedRatio::ratio>("ratio"),
    positive<&LibraryPin::ratio, &PairedRatio::interval>("ratio_ci"),
    positive<&LibraryPin::first_us>("first_us"),
    positive<&LibraryPin::first_ratio, &PairedRatio::ratio>("first_ratio"),
    positive<&LibraryPin::first_ratio, &PairedRatio::interval>("first_ratio_ci"),
    when_set<&LibraryPin::beside>("beside")};

template <>
inline constexpr auto kFields<TraceRecord> = std::array{always<&TraceRecord::cta>("cta"),
                                                        always<&TraceRecord::sm>("sm"),
                                                        always<&TraceRecord::slot>("slot"),
                                                        always<&TraceRecord::m>("m"),
                                                        always<&TraceRecord::n>("n"),
                                                        always<&TraceRecord::inside>("inside"),
                                                        since<&TraceRecord::k_begin>("k_begin"),
                                                        since<&TraceRecord::k_end>("k_end"),
                                                        always<&TraceRecord::start_ns>("start_ns"),
                                                        always<&TraceRecord::end_ns>("end_ns"),
                                                        since<&TraceRecord::problem>("problem")};

template <>
inline constexpr auto kFields<MeasuringMethod> = std::array{
    always<&MeasuringMethod::timer>("timer"), always<&MeasuringMethod::regime>("regime"),
    always<&MeasuringMethod::data>("data"), always<&MeasuringMethod::reference>("reference")};

/// Text for a version that the file does not record.
inline const std::string kUnknownVersion = "unknown";

/// A software version in an origin. An unknown version is "" in memory and kUnknownVersion in
/// files.
template <auto... Path, class M = MemberPath<Path...>>
constexpr Field<Origin> known_version(std::string_view key) {
  return {.key = key,
          .is_required = true,
          .is_set = M::is_always,
          .written = [](const Origin& origin) -> Document {
            const std::string& known = *M::find(origin);
            return known.empty() ? kUnknownVersion : known;
          },
          .read =
              [](const Node& node, Origin& origin) {
                const std::string text = node.text();
                *M::find(origin) = text == kUnknownVersion ? "" : text;
              }};
}

template <>
inline constexpr auto kFields<Origin> =
    std::array{known_version<&Origin::tool_version>("tool_version"),
               known_version<&Origin::software, &Software::driver>("driver"),
               known_version<&Origin::software, &Software::runtime>("runtime"),
               known_version<&Origin::software, &Software::compiler>("compiler"),
               known_version<&Origin::software, &Software::library>("library"),
               always<&Origin::method, &MeasuringMethod::timer>("timer"),
               always<&Origin::method, &MeasuringMethod::regime>("regime"),
               always<&Origin::rounds>("rounds"),
               always<&Origin::method, &MeasuringMethod::data>("data"),
               always<&Origin::method, &MeasuringMethod::reference>("reference")};

/// The method of an origin and its rounds, without versions.
inline constexpr Fields<Origin> kMethodRows = Fields<Origin>(kFields<Origin>).last(5);

template <>
inline constexpr auto kFields<DeviceFingerprint> =
    std::array{always<&DeviceFingerprint::name>("name"),
               always<&DeviceFingerprint::preset>("preset"),
               always<&DeviceFingerprint::compute>("compute"),
               always<&DeviceFingerprint::sm_count>("sm_count", NumberRange::NotNegative),
               always<&DeviceFingerprint::l2_bytes>("l2_bytes", NumberRange::NotNegative),
               always<&DeviceFingerprint::memory_bytes>("memory_bytes", NumberRange::NotNegative)};

template <>
inline constexpr auto kFields<ForeignConfig> =
    std::array{always<&ForeignConfig::harness>("name"), always<&ForeignConfig::file>("file"),
               always<&ForeignConfig::build>("build"), always<&ForeignConfig::values>("values")};

template <>
inline constexpr auto kFields<OursBeside> =
    std::array{always<&OursBeside::config>("config"), positive<&OursBeside::median_us>("median_us"),
               positive<&OursBeside::ratio, &PairedRatio::ratio>("ratio"),
               positive<&OursBeside::ratio, &PairedRatio::interval>("ratio_ci")};

template <>
inline constexpr auto kFields<DefaultBeside> =
    std::array{always<&DefaultBeside::values>("values"), part<&DefaultBeside::timing>(),
               positive<&DefaultBeside::ratio, &PairedRatio::ratio>("ratio"),
               positive<&DefaultBeside::ratio, &PairedRatio::interval>("ratio_ci")};

}  // namespace tilewright
