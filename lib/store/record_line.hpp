// One line of a store: a JSON object; its last key is a checksum of the text before it. A line of
// measurements holds one record.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "record/document.hpp"
#include "record/node.hpp"
#include "store/record_store.hpp"

namespace tilewright {

/// The schema in a head, followed by the version.
inline constexpr std::string_view kStoreSchema = "tilewright.store/";
inline constexpr int64_t kStoreVersion = 2;

/// A short id of a contender. The long name is written once, where a contender is introduced; its
/// many times refer to it by this id.
std::string contender_id(const std::string& contender);

/// A short id of a problem, by which records refer to it.
std::string problem_id(const Workload& problem);

/// The line with which a run begins.
Document head_line(const RunHead& head);
RunHead head_from(const Node& line);

/// Adds the keys of a record, in which ids stand for the contenders of measurements.
void write_record(const Record& record, Document& line);

/// Reads what write_record() wrote, or the one launch on a line of schema 1; contenders are ids.
/// Returns nothing for an impossible time or number of a round; throws a usage error for values of
/// other types.
std::optional<Record> record_from_line(const Node& line);

/// The result of a checksum test. Lines of earlier versions have no checksum.
enum class LineCheck { Right, Missing, Wrong };

/// Prints the object, which must have at least one key, on one line with a checksum and a line
/// break. Bytes that are not UTF-8 are replaced.
std::string store_line(const Document& object);

/// Tests a line without its line break. Any damage to a line with a checksum makes it Wrong or, if
/// it hits the checksum's own key, Missing.
LineCheck check_line(std::string_view line);

}  // namespace tilewright
