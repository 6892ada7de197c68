#include "tile/config/decomposition.hpp"

#include <array>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

constexpr std::array<std::string_view, 3> kVariants = {"two-tile", "one-tile", "all"};
constexpr std::array<std::string_view, 3> kNames = {"data-parallel", "split-k", "stream-k"};

[[noreturn]] void reject_decomposition_text(std::string_view text, const std::string& why) {
  throw usage_error(format("decomposition '{}': {}", text, why));
}

template <size_t N>
std::optional<size_t> index_in(const std::array<std::string_view, N>& names,
                               std::string_view word) {
  for (size_t i = 0; i < N; ++i) {
    if (names[i] == word) return i;
  }
  return {};
}

Reduction parse_reduction(std::string_view text, std::string_view word) {
  std::vector<std::string_view> names;
  std::vector<std::string> known;
  for (const tw::ReductionRecord& record : tw::kReductions) {
    if (record.name == word) return record.reduction;
    names.emplace_back(record.name);
    known.emplace_back(record.name);
  }
  reject_decomposition_text(text, format("unknown reduction '{}'{}; the reductions are {}", word,
                                         did_you_mean(word, names), join(known, ", ")));
}

SplitK parse_split_k(std::string_view text, const std::vector<std::string_view>& parts) {
  if (parts.size() < 2)
    reject_decomposition_text(text, "needs a number of slices, as in split-k:4");
  if (parts.size() > 3) reject_decomposition_text(text, "is split-k:S[:REDUCTION]");
  const std::optional<int64_t> slices = parse_count(parts[1]);
  if (!slices || *slices < 1 || *slices > kMaxSplits) {
    reject_decomposition_text(
        text, format("'{}' slices are not a whole number from 1 to {}", parts[1], kMaxSplits));
  }
  SplitK split{.slices = static_cast<int>(*slices)};
  if (parts.size() == 3) split.reduction = parse_reduction(text, parts[2]);
  return split;
}

StreamK parse_stream_k(std::string_view text, std::vector<std::string_view> parts) {
  StreamK stream;
  parts.erase(parts.begin());
  if (!parts.empty()) {
    if (const auto variant = index_in(kVariants, parts.front())) {
      stream.variant = static_cast<StreamKVariant>(*variant);
      parts.erase(parts.begin());
    }
  }
  if (parts.size() > 1)
    reject_decomposition_text(text, "is stream-k[:two-tile|one-tile|all][:REDUCTION]");
  if (parts.size() == 1) stream.reduction = parse_reduction(text, parts.front());
  const tw::PartialStorage partial_storage_of = tw::partial_storage_of(stream.reduction);
  if (partial_storage_of == tw::PartialStorage::SharedMemory) {
    reject_decomposition_text(
        text, "the parts of a stream-K tile do not form a cluster: use another reduction");
  }
  if (tw::waits_for_all_in_memory(stream.reduction)) {
    reject_decomposition_text(
        text, "the parts of a stream-K tile do not end at the same time: use another reduction");
  }
  if (partial_storage_of == tw::PartialStorage::Output) {
    reject_decomposition_text(text,
                              "the number of CTAs would decide how many parts of a stream-K tile "
                              "are rounded: use split-k");
  }
  return stream;
}

}  // namespace

std::vector<std::string_view> decomposition_names() {
  return {kNames.begin(), kNames.end()};
}

std::vector<std::string_view> stream_k_variants() {
  return {kVariants.begin(), kVariants.end()};
}

Decomposition parse_decomposition(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ':');
  if (parts.front() == "data-parallel") {
    if (parts.size() > 1) reject_decomposition_text(text, "data-parallel takes no suffix");
    return DataParallel{};
  }
  if (parts.front() == "split-k") return parse_split_k(text, parts);
  if (parts.front() == "stream-k") return parse_stream_k(text, parts);
  reject_decomposition_text(text,
                            format("unknown; the decompositions are data-parallel, "
                                   "split-k:S[:REDUCTION] and stream-k[:VARIANT][:REDUCTION]{}",
                                   did_you_mean(parts.front(), kNames)));
}

std::string to_string(Reduction reduction) {
  return tw::record_of(reduction).name;
}

std::string to_string(const Decomposition& decomposition) {
  const Reduction reduction = reduction_of(decomposition);
  const std::string tail =
      reduction == Reduction::Serial ? std::string() : format(":{}", to_string(reduction));
  if (const auto* split = std::get_if<SplitK>(&decomposition)) {
    return format("split-k:{}{}", split->slices, tail);
  }
  if (const auto* stream = std::get_if<StreamK>(&decomposition)) {
    if (stream->variant == StreamKVariant::TwoTile) return format("stream-k{}", tail);
    return format("stream-k:{}{}", kVariants[static_cast<size_t>(stream->variant)], tail);
  }
  return "data-parallel";
}

Reduction reduction_of(const Decomposition& decomposition) {
  if (const auto* split = std::get_if<SplitK>(&decomposition)) return split->reduction;
  if (const auto* stream = std::get_if<StreamK>(&decomposition)) return stream->reduction;
  return Reduction::Serial;
}

tw::Division division_of(const Decomposition& decomposition) {
  if (std::holds_alternative<SplitK>(decomposition)) return tw::Division::SplitK;
  return std::holds_alternative<StreamK>(decomposition) ? tw::Division::StreamK
                                                        : tw::Division::None;
}

std::string determinism_of(const Decomposition& decomposition) {
  const bool any_order = tw::wait_mode_of(reduction_of(decomposition)) == tw::WaitMode::LastArrives;
  return any_order ? "sums in the order of arrival" : "bitwise";
}

}  // namespace tilewright
