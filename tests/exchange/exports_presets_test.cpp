// Exports every tuned row and every tried product of the published files in every format.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "exchange/exports.hpp"
#include "store/dispatch.hpp"
#include "store/preset_path.hpp"
#include "support/error_message.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

using testing::contains;

struct Format {
  Stack stack;
  Export (*make)(const Dispatched&);
};

constexpr std::array kFormatsTested = {Format{Stack::Cutlass, export_cutlass},
                                       Format{Stack::Triton, export_triton},
                                       Format{Stack::NvFuser, export_nvfuser}};

// A text's words, independent of the line breaks of its comments.
std::string words_of(const std::string& text) {
  std::string words;
  for (const std::string_view line : split(text, '\n')) {
    for (const std::string_view word : split(line, ' ')) {
      if (word.empty() || word == "#" || word == "//") continue;
      words += (words.empty() ? "" : " ") + std::string(word);
    }
  }
  return words;
}

// The words without spaces between them.
std::string letters_of(const std::string& text) {
  std::string letters = words_of(text);
  std::erase(letters, ' ');
  return letters;
}

// The first config in the text; for Triton, the first entry of the list.
TileConfig named_config(const Format& format, const std::string& text) {
  const std::string all = words_of(text);
  const size_t list = format.stack == Stack::Triton ? all.find("configs = [") : 0;
  const size_t at = all.find("family=", list);
  REQUIRE(at != std::string::npos);
  std::string config;
  // Lines may also break after commas.
  for (const std::string_view word : split(std::string_view(all).substr(at), ' ')) {
    config += word;
    if (!word.ends_with(',')) break;
  }
  return config_of(parse_config(config));
}

// True if the format can express this config alone, including every key that decides which CTA
// computes which tile.
bool is_supported_alone(const Format& format, Dispatched answer, const TileConfig& config) {
  answer.entry.choice = config;
  answer.entry.ties.clear();
  answer.entry.exports.clear();
  answer.trial = nullptr;
  const Export made = format.make(answer);
  if (made.text.empty()) return false;
  return std::none_of(
      made.unsupported.begin(), made.unsupported.end(), [](const std::string& line) {
        for (const char* const key : {"raster=", "evict_first=", "cluster=", "schedule="}) {
          if (line.starts_with(key)) return true;
        }
        return false;
      });
}

// The recorded times over the choice's, by config, for all configs of the answer's rounds.
std::map<std::string, double> recorded_ratios(const Dispatched& answer) {
  std::map<std::string, double> ratios;
  for (const Tie& tie : answer.entry.ties) ratios[to_string(tie.config)] = tie.ratio;
  for (const ExportConfig& other : answer.entry.exports) {
    ratios[to_string(other.config)] = other.ratio.ratio;
  }
  if (answer.trial != nullptr) {
    double own = 0;
    for (const Trial::Time& time : answer.trial->times) {
      if (time.config == answer.entry.choice) own = time.us;
    }
    for (const Trial::Time& time : answer.trial->times) {
      ratios[to_string(time.config)] = time.us / own;
    }
  }
  ratios[to_string(answer.entry.choice)] = 1;
  return ratios;
}

std::vector<Dispatched> answers_of(const Artefact& artefact) {
  std::vector<Dispatched> answers;
  for (const TuneEntry& entry : artefact.entries) {
    answers.push_back({.entry = entry, .source = DispatchSource::Tuned, .from = entry.problem});
  }
  for (const Trial& trial : artefact.trials) {
    const auto fastest = std::min_element(trial.times.begin(), trial.times.end(),
                                          [](const auto& a, const auto& b) { return a.us < b.us; });
    Dispatched answer{.entry = {}, .source = DispatchSource::Dispatched, .from = trial.problem};
    answer.entry.problem = trial.problem;
    answer.entry.choice = fastest->config;
    answer.trial = &trial;
    answers.push_back(std::move(answer));
  }
  return answers;
}

struct Counts {
  int64_t choices = 0;  // expressed completely
  int64_t others = 0;   // other configs in place of the choice
  int64_t in_part = 0;
  int64_t nothing = 0;
};

void check_export(const Format& format, const Dispatched& answer, Counts& counts) {
  const Export made = format.make(answer);
  const std::map<std::string, double> ratios = recorded_ratios(answer);
  std::optional<double> least;
  for (const auto& [config, ratio] : ratios) {
    if (!is_supported_alone(format, answer, config_of(parse_config(config)))) continue;
    if (!least || ratio < *least) least = ratio;
  }
  if (made.text.empty()) {
    CHECK(!least);
    CHECK(!made.unsupported.empty());
    ++counts.nothing;
    return;
  }
  const TileConfig config = named_config(format, made.text);
  const bool is_choice = config == answer.entry.choice;
  REQUIRE(ratios.count(to_string(config)) == 1);
  const bool is_supported = is_supported_alone(format, answer, config);
  CHECK(is_supported == least.has_value());
  CHECK(made.substitution.empty() == (is_choice && is_supported));
  // Lines of a comment may also break after commas.
  if (!made.substitution.empty())
    CHECK(contains(letters_of(made.text), letters_of(made.substitution)));
  ++(!is_supported ? counts.in_part : is_choice ? counts.choices : counts.others);
  if (!is_supported || is_choice) return;
  CHECK(!is_supported_alone(format, answer, answer.entry.choice));
  const double ratio = ratios.at(to_string(config));
  CHECK(ratio == *least);
  CHECK(
      contains(made.substitution, tilewright::format("takes {:.3f} of the choice's time", ratio)));
}

TEST_CASE("an export has a timed config, and no expressible config was faster") {
  Counts counts;
  for (const char* const name : {"dense", "fp8", "grouped", "rank-k"}) {
    const Artefact artefact = load_best(presets_folder() / "tuned" / format("h200-{}.yaml", name));
    for (const Dispatched& answer : answers_of(artefact)) {
      CAPTURE(to_string(answer.entry.problem));
      for (const Format& format : kFormatsTested) {
        CAPTURE(to_string(format.stack));
        check_export(format, answer, counts);
      }
    }
  }
  MESSAGE("choices ", counts.choices, ", others ", counts.others, ", in part ", counts.in_part,
          ", nothing ", counts.nothing);
  CHECK(counts.choices > 50);
  CHECK(counts.others > 50);
}

TEST_CASE("a config timed for a stack replaces a choice that it cannot express, with its ratio") {
  const Artefact artefact = load_best(presets_folder() / "tuned" / "h200-dense.yaml");
  int64_t checked = 0;
  for (const TuneEntry& entry : artefact.entries) {
    for (const Format& format : kFormatsTested) {
      Dispatched answer{.entry = entry, .source = DispatchSource::Tuned, .from = entry.problem};
      if (is_supported_alone(format, answer, entry.choice)) continue;
      answer.entry.ties.clear();
      TileConfig said = config_of(parse_config(
          "family=sm90,cta=128x128x64,cluster=1x1,stages=4,schedule=cooperative,raster=row,"
          "l2_promotion=128,decomposition=data-parallel,swap_ab=false"));
      const PairedRatio ratio{.ratio = 1.25, .interval = {.low = 1.24, .high = 1.26}};
      answer.entry.exports = {{std::string(to_string(format.stack)), said, ratio}};
      if (!is_supported_alone(format, answer, said)) continue;
      CAPTURE(to_string(entry.problem));
      CAPTURE(to_string(format.stack));
      const Export made = format.make(answer);
      CHECK(named_config(format, made.text) == said);
      CHECK(contains(made.substitution,
                     "takes 1.250 of the choice's time (95 % interval 1.240 to 1.260)"));
      const auto lead = library_lead(answer);
      const std::string of_library =
          lead ? tilewright::format(", {:.3f} of the library's", 1.25 / lead->ratio.ratio) : "";
      CHECK(contains(made.substitution, "1.260)" + of_library + ": "));
      ++checked;
    }
  }
  CHECK(checked > 50);
}

}  // namespace
}  // namespace tilewright
