// Writes and reads the answer of a harness for one problem: an entry of `tilewright.best/1` with
// the key `harness` instead of `choice`.
#pragma once

#include "search/foreign_answer.hpp"
#include "store/document.hpp"

namespace tilewright {

class YamlReader;

/// The axes and their values, in order.
Document values_document(const std::vector<AxisValue>& values);

/// `name`, `file`, `build` and `values` of a foreign config.
Document harness_document(const ForeignConfig& config);

Document to_document(const DefaultBeside& beside);
Document to_document(const ForeignEntry& entry);
/// What to_document() wrote. Throws a usage error for anything else.
ForeignEntry read_foreign_entry(const YamlReader& node);
ForeignEntry foreign_entry_from(const Document& node);
/// True of an entry that a harness answers.
bool is_foreign_entry(const YamlReader& node);

}  // namespace tilewright
