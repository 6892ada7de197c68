#include "cli/help_marks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <stdexcept>
#include <utility>

#include "base/text.hpp"
#include "cli/verb_help.hpp"
#include "layout/algebra/composed_layout.hpp"
#include "layout/text/layout_dialect.hpp"
#include "layout/text/layout_expression.hpp"
#include "page/artefact_section.hpp"
#include "page/report_page.hpp"
#include "page/store_summary.hpp"
#include "store/cubin_manifest_file.hpp"
#include "store/harness_json.hpp"
#include "store/suite.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/grid_proof.hpp"
#include "tile/plan/legality.hpp"
#include "tile/workload/parallel.hpp"
#include "tile/workload/product_kind.hpp"

namespace tilewright {
namespace {

// Lines as code of Markdown.
std::string code(std::string_view lines) {
  std::string text;
  for (const std::string_view line : split(lines, '\n')) {
    if (!line.empty()) text += format("    {}\n", line);
  }
  return text;
}

// A word as Markdown; a meaning comes from a table, where a backslash is one.
std::string entry(const std::string& spelling, std::string_view meaning, std::string_view drawing) {
  std::string text = format("## `{}`\n\n", spelling);
  for (const char c : meaning) text += c == '\\' ? std::string("\\\\") : std::string(1, c);
  return text + "\n\n" + code(drawing);
}

// The slot of each tile, m down, n right; overhang in brackets.
std::string raster_drawing(const Raster& raster) {
  constexpr TileCoord kGrid{4, 6};
  TileCoord box = kGrid;
  const std::vector<TileCoord> order = raster_order(raster, kGrid);
  for (const TileCoord tile : order) {
    box = {std::max(box.m, tile.m + 1), std::max(box.n, tile.n + 1)};
  }
  std::vector<std::string> cells(static_cast<size_t>(box.m) * static_cast<size_t>(box.n));
  for (size_t slot = 0; slot < order.size(); ++slot) {
    const TileCoord tile = order[slot];
    cells[static_cast<size_t>(tile.m) * static_cast<size_t>(box.n) + static_cast<size_t>(tile.n)] =
        tw::is_inside(kGrid, tile) ? format("{}", slot) : format("({})", slot);
  }
  std::string text;
  for (size_t i = 0; i < cells.size(); ++i) {
    text += format("{:>5}{}", cells[i], (i + 1) % static_cast<size_t>(box.n) == 0 ? "\n" : "");
  }
  return format("{}:\n{}", to_string(raster), text);
}

std::string raster(const std::string& spelling) {
  return raster_drawing(parse_raster(spelling));
}

std::string rasters(const std::string& /*unused*/) {
  std::string text;
  for (const tw::RasterRecord& record : tw::kRasters) {
    const std::string example = record.most_factors == 0 ? "" : record.has_axis ? ":3" : ":2";
    text += entry(format("{}{}", record.name, record.factors), record.meaning,
                  raster(record.name + example));
  }
  return text;
}

// What each of three splits of a tile does; their main loops end at different times.
std::string wait_drawing(Reduction reduction) {
  constexpr size_t kLengths[] = {4, 7, 5};
  const tw::WaitMode mode = tw::wait_mode_of(reduction);
  const bool output = tw::partial_storage_of(reduction) == tw::PartialStorage::Output;
  std::string text;
  size_t done = 0;  // when the previous split has added its partial result
  for (size_t part = 0; part < std::size(kLengths); ++part) {
    const bool last = part + 1 == std::size(kLengths);
    const bool latest = kLengths[part] == 7;
    std::string line(kLengths[part], '=');
    if (mode == tw::WaitMode::Previous) {
      line.resize(std::max(line.size(), done), '.');
      line += output ? "D" : last ? "+D" : "+";
      done = line.size();
    } else if (mode == tw::WaitMode::All) {
      line += "+";
      line.resize(8, '.');
      line += "D";
    } else {
      line += "+";
      if (mode == tw::WaitMode::LastArrives && latest) line += "D";
    }
    text += format("part {}  {}\n", part, line);
  }
  if (mode == tw::WaitMode::None) text += "kernel 2          D\n";
  return text;
}

bool joins_streams(std::string_view reduction) {
  try {
    parse_decomposition(format("stream-k:{}", reduction));
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::string reductions(const std::string& /*unused*/) {
  std::string text;
  for (const tw::ReductionRecord& record : tw::kReductions) {
    const std::string repeats = determinism_of(SplitK{2, record.reduction});
    text += entry(
        record.name,
        format("{}\n{}{}", record.meaning, repeats == "bitwise" ? "repeats bit for bit" : repeats,
               joins_streams(record.name) ? "" : "; split-k only"),
        wait_drawing(record.reduction));
  }
  return text;
}

// The curve from -3 to 2: a column is 1/8, a line 1/4.
std::string curve_drawing(Activation activation) {
  constexpr int kColumns = 41;
  constexpr int kZero = 24;
  const auto line_of = [](double x) { return static_cast<int>(std::lround(4 * x)); };
  std::array<int, kColumns> lines{};
  for (int i = 0; i < kColumns; ++i) {
    lines[static_cast<size_t>(i)] = line_of(activation_value(activation, (i - kZero) / 8.0));
  }
  const auto [least, most] = std::minmax_element(lines.begin(), lines.end());
  std::string text;
  for (int line = *most; line >= *least; --line) {
    std::string row;
    for (int i = 0; i < kColumns; ++i) {
      const char axis = line == 0 ? '-' : i == kZero ? '|' : ' ';
      row += lines[static_cast<size_t>(i)] == line ? '*' : axis;
    }
    text += row.substr(0, row.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

std::string activations(const std::string& /*unused*/) {
  std::string text;
  for (const tw::ActivationRecord& record : tw::kActivations) {
    if (record.activation == Activation::None) continue;
    const char* const halves =
        record.gated ? "gate and up are columns 2 j and 2 j + 1 of the sum, and D is M x N / 2; "
                     : "";
    text += entry(
        record.name, format("{}; {}around a sum: {}(bias)", record.formula, halves, record.name),
        record.gated
            ? to_string(Problem{{4096, 4096, 4096}, {.epilogue = parse_epilogue(record.name)}})
            : curve_drawing(record.activation));
  }
  return text;
}

std::string scales_of(Operand operand) {
  std::string text;
  for (const tw::ScaleRecord& record : tw::kScales) {
    const std::string_view name = scale_name(record.scale, operand);
    if (name.empty()) continue;
    const std::string other = *record.other == 0 ? "" : format(" (also {})", record.other);
    // A product with these scales, in the words of reports.
    ProductKind kind{.dtype = DataType::E4M3};
    (operand == Operand::A ? kind.epilogue.scale_a : kind.epilogue.scale_b) = record.scale;
    text += entry(format("{} {}", operand == Operand::A ? "--scale-a" : "--scale-b", name),
                  format("one fp32 factor for {}{}", record.meaning, other), to_string(kind));
  }
  return text;
}

std::string scales(const std::string& /*unused*/) {
  return scales_of(Operand::A) + scales_of(Operand::B);
}

// The families of a config key, and its default; the argument "KEY EXAMPLE" shows a value instead.
std::string config_key(const std::string& argument) {
  const std::vector<std::string_view> words = split(argument, ' ');
  for (const ConfigKeyFacts& key : config_key_facts()) {
    if (key.name != words.front()) continue;
    std::vector<std::string> families;
    for (const Family family : key.families) families.push_back(to_string(family));
    const std::string value = words.size() > 1 ? std::string(words[1]) : key.default_value;
    return format("families: {}\n\n{}", join(families, ", "),
                  code(format("{}={}", key.name, value)));
  }
  throw std::logic_error(format("help: no config key '{}'", argument));
}

std::string suite(const std::string& /*unused*/) {
  std::string text;
  const auto add = [&text](const char* before, std::span<const SuiteKey> keys) {
    for (const SuiteKey& key : keys) {
      text += entry(format("{}{}", before, key.key), key.meaning, key.example);
    }
  };
  add("", suite_keys());
  add("cases: ", case_keys());
  add("waivers: ", waiver_keys());
  return text;
}

std::string describe(const std::string& /*unused*/) {
  std::string text;
  for (const HarnessKey& key : harness_keys()) {
    text += entry(format("describe: {}", key.key), key.meaning,
                  format("\"{}\": {}", key.key, key.example));
  }
  return text;
}

std::string manifest(const std::string& /*unused*/) {
  std::string text;
  for (const ManifestKey& key : cubin_manifest_keys()) {
    text += entry(format("manifest: {}{}{}", key.part, key.part.empty() ? "" : ".", key.key),
                  key.meaning, format("{}: {}", key.key, key.example));
  }
  return text;
}

std::string dialects(const std::string& /*unused*/) {
  const ComposedLayout layout = parse_layout("Sw<2,0,2> o 0 o (4,4):(4,1)");
  std::string text;
  for (const std::string_view name : layout_dialect_names()) {
    text += entry(format("--dialect {}", name), "the same layout as another program prints it",
                  print_layout(layout, parse_layout_dialect(name)));
  }
  return text;
}

constexpr std::string_view kArtefactUses[] = {
    "tilewright ship best.yaml -o lib                  # calls: C, C++, Python",
    "tilewright best 4096x4096x4096 --export cutlass   # a profiler command",
    "tilewright best 4096x4096x4096 --export triton    # input of autotune"};

std::string uses(const std::string& /*unused*/) {
  std::string text;
  for (const std::string_view use : kArtefactUses) text += format("{}\n", use);
  return text;
}

// What a page of `report` holds at most.
std::string report_limit(const std::string& name) {
  const std::pair<std::string_view, int64_t> limits[] = {{"pictures", kMaxPictures},
                                                         {"stored problems", kMaxStoredProblems},
                                                         {"stored configs", kMaxStoredConfigs},
                                                         {"configs of a problem", kMaxConfigsOfOne},
                                                         {"first rows", kRowsShownFirst}};
  for (const auto& [of, limit] : limits) {
    if (of == name) return format("{}", limit);
  }
  throw std::logic_error(format("help: the report has no limit '{}'", name));
}

std::string options(const std::string& /*unused*/) {
  std::string text;
  for (const CommandOption& option : shared_options()) {
    text += format("## `{}{}{}`\n\n{}\n\n", option.names.back(), option.value.empty() ? "" : " ",
                   option.value, option.help);
  }
  return text;
}

// The GPU of each quarter of A, B and D, of a product that two GPUs share.
std::string division_drawing(const CollectiveRecord& record) {
  const bool by_k = record.divided == 'k';
  const std::string rows[] = {"0 0", "1 1"};
  const std::string columns[] = {"0 1", "0 1"};
  const std::string all[] = {"01 01", "01 01"};
  const bool has_all = record.collective == Collective::AllReduce;
  std::string text = "A, M x K    B, K x N    D, M x N\n";
  for (size_t row = 0; row < 2; ++row) {
    const std::string d = has_all ? all[row] : by_k ? rows[row] : columns[row];
    text += format("  {:<12}{:<12}{}\n", by_k ? columns[row] : rows[row],
                   by_k ? rows[row] : columns[row], d);
  }
  return text;
}

std::string collectives(const std::string& /*unused*/) {
  std::string text;
  for (const std::string_view name : collective_names()) {
    const CollectiveRecord& record = record_of(parse_collective(name));
    text += entry(std::string(name), format("{}: {}", record.division, record.meaning),
                  division_drawing(record));
  }
  return text;
}

// The blocks of GPU 0 of 3, as own0, a0, b0 ..., in the order of its visits.
std::string visits_drawing(RankOrder order, bool own_last) {
  constexpr std::string_view kOwners[] = {"own", "a", "b"};
  const tw::PeerBlocks blocks{.gpus = 3, .chunks = 3, .order = order, .own_last = own_last};
  std::string text;
  for (int visit = 0; visit < blocks.count(); ++visit) {
    const int block = tw::visited_block(blocks, visit);
    const auto owner = static_cast<size_t>(tw::owner_of_block(blocks, block));
    text += format(" {}{}", kOwners[owner], block % blocks.chunks);
  }
  return text;
}

std::string rank_orders(const std::string& /*unused*/) {
  constexpr std::string_view kMeanings[] = {
      "as the rows lie, the same on every GPU: all send to one owner at once",
      "all blocks of one owner, then those of the next one, from the next GPU on",
      "the first blocks of all owners, then the second ones; an own block of a\n"
      "reduce-scatter comes one chunk late, when its parts are there"};
  std::string text;
  for (size_t i = 0; i < std::size(kRankOrders); ++i) {
    const auto order = static_cast<RankOrder>(i);
    text += entry(format("rank_order={}", kRankOrders[i]), kMeanings[i],
                  format("reduce-scatter {}\nall-gather     {}\n", visits_drawing(order, true),
                         visits_drawing(order, false)));
  }
  return text;
}

struct Mark {
  std::string_view name;
  std::string (*fill)(const std::string& argument);
};

constexpr Mark kMarks[] = {
    {"rasters", rasters},
    {"raster", raster},
    {"reductions", reductions},
    {"collectives", collectives},
    {"rank-orders", rank_orders},
    {"activations", activations},
    {"scales", scales},
    {"key", config_key},
    {"uses", uses},
    {"suite", suite},
    {"describe", describe},
    {"manifest", manifest},
    {"options", options},
    {"report-schema", [](const std::string& /*unused*/) { return std::string(kReportSchema); }},
    {"report-id", [](const std::string& /*unused*/) { return std::string(kReportDataId); }},
    {"report-limit", report_limit},
    {"dialects", dialects}};

}  // namespace

std::vector<std::string_view> help_mark_names() {
  std::vector<std::string_view> names;
  for (const Mark& mark : kMarks) names.push_back(mark.name);
  return names;
}

std::string help_mark(std::string_view name, const std::string& argument) {
  for (const Mark& mark : kMarks) {
    if (mark.name == name) return mark.fill(argument);
  }
  throw std::logic_error(format("help: nothing fills the mark '{}'", name));
}

std::string artefact_uses() {
  std::string text = "Uses of best.yaml:\n";
  for (const std::string_view use : kArtefactUses) text += format("  {}\n", use);
  return text;
}

}  // namespace tilewright
