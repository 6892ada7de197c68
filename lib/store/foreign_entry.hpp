// Writes and reads the answer of a harness for one problem: an entry of `tilewright.best/1` with
// the key `harness` instead of `choice`.
#pragma once

#include "record/document.hpp"
#include "record/node.hpp"
#include "search/foreign_answer.hpp"

namespace tilewright {

Document to_document(const ForeignEntry& entry);
/// What to_document() wrote. Throws a usage error for anything else.
ForeignEntry read_foreign_entry(const Node& node);
/// True of an entry that a harness answers.
bool is_foreign_entry(const Node& node);

}  // namespace tilewright
