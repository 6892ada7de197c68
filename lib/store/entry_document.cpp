// Writes the answer for one problem as a map and reads it back.

#include "answer/group_key.hpp"
#include "base/text.hpp"
#include "record/kind_fields.hpp"
#include "record/node.hpp"
#include "record/record_fields.hpp"
#include "store/best_table.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {

template <>
constexpr auto kFields<Alternative> =
    std::array{always<&Alternative::change>("change"), always<&Alternative::config>("config"),
               always<&Alternative::same_launch>("same_launch"),
               positive<&Alternative::ratio, &PairedRatio::ratio>("ratio"),
               positive<&Alternative::ratio, &PairedRatio::interval>("ratio_ci")};

template <>
constexpr auto kFields<ExportConfig> =
    std::array{always<&ExportConfig::stack>("stack"), always<&ExportConfig::config>("config"),
               positive<&ExportConfig::ratio, &PairedRatio::ratio>("ratio"),
               positive<&ExportConfig::ratio, &PairedRatio::interval>("ratio_ci")};

template <>
constexpr auto kFields<Tie> =
    std::array{always<&Tie::config>("config"), positive<&Tie::ratio>("ratio")};

template <>
constexpr auto kFields<WrongKernel> = std::array{
    always<&WrongKernel::config>("config"), always<&WrongKernel::verification>("verification")};

namespace {

Document group_document(const GroupKey& key) {
  return {{"count", key.count},
          {"n", key.n},
          {"k", key.k},
          {"total_rows", key.total_rows},
          {"rows", Document::array({key.rows[0], key.rows[1], key.rows[2]})}};
}

bool library_wins(const TuneEntry& entry) {
  return winner_of(entry) == Winner::Library;
}

// Other factors are in the epilogue's own key.
bool is_plain_triangle(const TuneEntry& entry) {
  const Epilogue& e = entry.problem.kind.epilogue;
  return is_triangular(entry.problem) && e.alpha == 1 && e.beta == 0;
}

bool is_timed(const TuneEntry& entry) {
  return entry.timing.has_value();
}

bool is_predicted(const TuneEntry& entry) {
  return !entry.timing;
}

// Whether the prediction, the only evidence, has no time: the numbers that rank it are written.
bool is_ranked(const TuneEntry& entry) {
  return is_predicted(entry) && !entry.predicted.is_time;
}

// The numbers of an estimate without its times.
constexpr Fields<Estimate> kTimeless = Fields<Estimate>(kFields<Estimate>).last(6);

// The timing, or the prediction if nothing was timed, and what goes with it. A prediction without a
// time is null.
constexpr std::array kEvidence = {
    Field<TuneEntry>{.key = "predicted",
                     .is_required = false,
                     .is_set = is_predicted,
                     .written =
                         [](const TuneEntry& entry) {
                           return is_ranked(entry) ? Document() : to_document(entry.predicted);
                         },
                     .read =
                         [](const Node& node, TuneEntry& entry) {
                           entry.predicted.is_time = !node.is_null();
                           if (!node.is_null()) entry.predicted = read_record<Estimate>(node);
                         }},
    Field<TuneEntry>{
        .key = "ranked_by",
        .is_required = false,
        .is_set = is_ranked,
        .written = [](const TuneEntry& entry) { return document_of(entry.predicted, kTimeless); },
        .read =
            [](const Node& node, TuneEntry& entry) {
              if (entry.predicted.is_time)
                throw node.fail("is for an answer without a predicted time");
              entry.predicted = read_record<Estimate>(node, kTimeless);
              entry.predicted.is_time = false;
            }},
    part<&TuneEntry::timing>(),
    when_set<&TuneEntry::energy>("energy"),
    when_set<&TuneEntry::reference>("reference"),
    when_set<&TuneEntry::references>("references"),
    when_set<&TuneEntry::counters>("counters"),
    when_set<&TuneEntry::why_no_counters>("why_no_counters"),
    when_set<&TuneEntry::verified>("verified"),
    when_set<&TuneEntry::build>("build"),
};

// The reader checks the derived keys.
constexpr std::array kEntry = {
    part<&TuneEntry::problem>(),
    derived<TuneEntry>(
        "group", [](const TuneEntry& entry) { return group_document(group_key(entry.problem)); },
        [](const TuneEntry& entry) { return is_group(entry.problem); }),
    derived<TuneEntry>(
        "alpha", [](const TuneEntry&) { return Document(1); }, is_plain_triangle),
    derived<TuneEntry>(
        "beta", [](const TuneEntry&) { return Document(0); }, is_plain_triangle),
    when_set<&TuneEntry::pinned>("pinned"),
    when_set<&TuneEntry::required>("required"),
    Field<TuneEntry>{
        .key = "choice",
        .is_required = true,
        .is_set = MemberPath<&TuneEntry::choice>::is_always,
        .written = [](const TuneEntry& entry) { return to_document(entry.choice, entry.problem); },
        .read = MemberPath<&TuneEntry::choice>::read},
    when_set<&TuneEntry::objective>("objective"),
    derived<TuneEntry>(
        "winner",
        [](const TuneEntry& entry) { return Document(library_wins(entry) ? "library" : "ours"); }),
    derived<TuneEntry>(
        "algorithm", [](const TuneEntry& entry) { return Document(entry.reference->name); },
        library_wins),
    map_of<TuneEntry, kEvidence>("evidence"),
    when<&TuneEntry::predicted>("model", is_timed),
    when_set<&TuneEntry::library_pins>("library_pins"),
    when_set<&TuneEntry::alternatives>("alternatives"),
    when_set<&TuneEntry::exports>("exports"),
    always<&TuneEntry::ties>("ties"),
    always<&TuneEntry::determinism>("determinism"),
    when_set<&TuneEntry::wrong>("wrong"),
    always<&TuneEntry::considered>("considered"),
    when_set<&TuneEntry::origin>("origin"),
};

// Checks `winner`, which follows from the evidence; older artefacts lack the key.
void require_winner(const Node& node, const TuneEntry& entry) {
  const bool is_library = library_wins(entry);
  if (const auto winner = node.find("winner")) {
    const std::string expected = is_library ? "library" : "ours";
    if (winner->text() != expected) {
      throw winner->fail(format("is '{}', but the evidence gives {}", winner->text(), expected));
    }
  }
  if (const auto algorithm = node.find("algorithm")) {
    if (!is_library || algorithm->text() != entry.reference->name) {
      throw algorithm->fail("is not the algorithm of the library that won");
    }
  }
}

// Pins belong to a single product, and each version has at most one.
void require_pins(const Node& node, const TuneEntry& entry) {
  const auto pins = node.find("library_pins");
  if (!pins) return;
  if (!is_product(entry.problem)) throw pins->fail("is for single products");
  for (size_t i = 1; i < entry.library_pins.size(); ++i) {
    if (entry.library_pins[i - 1].version < entry.library_pins[i].version) continue;
    throw pins->fail("must list each version once, the oldest first");
  }
}

// Checks `group`, which follows from the problem and is written for other programs.
void require_group(const Node& node, const Workload& problem) {
  const auto group = node.find("group");
  if (!group) return;
  group->allow_only({"count", "n", "k", "total_rows", "rows"});
  const std::vector<Node> rows = group->at("rows").items();
  if (rows.size() != 3)
    throw group->fail("does not give the smallest, median and largest number of rows");
  const GroupKey key{.count = group->at("count").count(),
                     .n = group->at("n").count(),
                     .k = group->at("k").count(),
                     .total_rows = group->at("total_rows").count(),
                     .rows = {rows[0].count(), rows[1].count(), rows[2].count()}};
  if (!is_group(problem) || key != group_key(problem)) {
    throw group->fail("is not that of the problem's sizes");
  }
}

// Only the tuned factors are read yet; artefacts of products lack the key.
void require_scaling(const Node& node, const std::string& key, double tuned) {
  const auto scaling = node.find(key);
  if (!scaling || scaling->number() == tuned) return;
  throw scaling->fail(format("is {}; this version reads artefacts that were tuned with {} = {}",
                             scaling->number(), key, tuned));
}

}  // namespace

Document to_document(const TuneEntry& entry) {
  return document_of(entry, kEntry);
}

TuneEntry read_entry(const Node& node) {
  auto entry = read_record<TuneEntry>(node, kEntry);
  require_group(node, entry.problem);
  require_scaling(node, "alpha", 1);
  require_scaling(node, "beta", 0);
  (void)(entry.timing ? node.at("model") : node.at("evidence").at("predicted"));
  if (is_ranked(entry)) (void)node.at("evidence").at("ranked_by");
  require_winner(node, entry);
  require_pins(node, entry);
  return entry;
}

}  // namespace tilewright
