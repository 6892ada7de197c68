#include "store/foreign_entry.hpp"

#include "base/text.hpp"
#include "record/record_fields.hpp"
#include "store/best_table.hpp"

namespace tilewright {

template <>
constexpr auto kFields<ForeignTie> =
    std::array{always<&ForeignTie::values>("values"), positive<&ForeignTie::ratio>("ratio")};

template <>
constexpr auto kFields<ForeignFault> =
    std::array{always<&ForeignFault::values>("values"), always<&ForeignFault::reason>("reason")};

namespace {

constexpr std::array kForeignEvidence = {
    part<&ForeignEntry::timing>(),
    when_set<&ForeignEntry::reference>("reference"),
    when_set<&ForeignEntry::references>("references"),
    when_set<&ForeignEntry::ours>("ours"),
    when_set<&ForeignEntry::counters>("counters"),
    when_set<&ForeignEntry::why_no_counters>("why_no_counters"),
    always<&ForeignEntry::verified>("verified"),
    when_set<&ForeignEntry::default_beside>("default"),
};

constexpr std::array kForeign = {
    part<&ForeignEntry::problem>(),
    always<&ForeignEntry::choice>("harness"),
    when_set<&ForeignEntry::compiler>("compiler"),
    derived<ForeignEntry>("winner",
                          [](const ForeignEntry& entry) { return Document(winner_text(entry)); }),
    map_of<ForeignEntry, kForeignEvidence>("evidence"),
    always<&ForeignEntry::ties>("ties"),
    when_set<&ForeignEntry::wrong>("wrong"),
    always<&ForeignEntry::considered>("considered"),
    when_set<&ForeignEntry::date>("date"),
    always<&ForeignEntry::origin>("origin"),
};

}  // namespace

Document to_document(const ForeignEntry& entry) {
  return document_of(entry, kForeign);
}

ForeignEntry read_foreign_entry(const Node& node) {
  auto entry = read_record<ForeignEntry>(node, kForeign);
  // It follows from the evidence.
  const Node winner = node.at("winner");
  const std::string expected = winner_text(entry);
  if (winner.text() == expected) return entry;
  throw winner.fail(format("is '{}', but the evidence gives {}", winner.text(), expected));
}

bool is_foreign_entry(const Node& node) {
  return node.is_map() && node.find("harness").has_value();
}

}  // namespace tilewright
