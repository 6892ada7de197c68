#include <doctest/doctest.h>
#include <zlib.h>

#include <filesystem>
#include <map>
#include <regex>
#include <string>
#include <tuple>
#include <vector>

#include "app/outcome.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "page/report_page.hpp"
#include "record/document.hpp"
#include "request/options.hpp"
#include "store/best_table.hpp"
#include "store/gate_history.hpp"
#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"
#include "tile/config/config_keys.hpp"
#include "verbs/sweep.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

using testing::contains;
using testing::Outcome;

const std::string kRoot = TILEWRIGHT_SOURCE_DIR;

Outcome report(const std::vector<std::string>& files, const std::string& output) {
  const ReportOptions options{.files = files, .output = output, .device = "h200"};
  return testing::printed(Format::Text,
                          [&](Console& console) { return run_report(options, console); });
}

std::string page_of(const std::vector<std::string>& files) {
  const testing::TemporaryFolder folder;
  const std::string output = folder.path() / "report.html";
  REQUIRE(report(files, output).code == ExitCode::Good);
  return read_file(output);
}

Document json_of(const std::string& html, std::string_view id) {
  const std::string head = format("id=\"{}\">", id);
  const size_t begin = html.find(head) + head.size();
  return Document::parse(html.substr(begin, html.find("</script>", begin) - begin));
}

// Decodes RFC 4648's base64.
std::string unpacked_base64(const std::string& text) {
  std::string bytes;
  uint32_t bits = 0;
  int held = 0;
  for (const char c : text) {
    if (c == '=') break;
    const int digit = c >= 'a'   ? c - 'a' + 26
                      : c >= 'A' ? c - 'A'
                      : c == '+' ? 62
                      : c == '/' ? 63
                                 : c - '0' + 52;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes += static_cast<char>(bits >> held & 255);
  }
  return bytes;
}

// The details of a row, unpacked as the page's script does it.
std::string detail_of(const std::string& piece) {
  const std::string packed = unpacked_base64(piece);
  std::string text(32 << 20, '\0');
  uLongf size = text.size();
  REQUIRE(uncompress(reinterpret_cast<Bytef*>(text.data()), &size,
                     reinterpret_cast<const Bytef*>(packed.data()), packed.size()) == Z_OK);
  text.resize(size);
  return text;
}

using Tile = std::pair<int64_t, int64_t>;
using Doing = std::tuple<int64_t, int64_t, int64_t, int64_t>;  // CTA, unit, k-steps

// The titles of an SVG, each after the `data-head` of its group, as the page's script joins them.
std::vector<std::string> titles_of(const std::string& svg) {
  static const std::regex part(R"re(<g\b[^>]*>|</g>|<title>([^<]*)</title>)re");
  static const std::regex head(R"re(data-head="([^"]*)")re");
  std::vector<std::string> heads = {""};
  std::vector<std::string> titles;
  for (std::sregex_iterator at(svg.begin(), svg.end(), part), end; at != end; ++at) {
    const std::string text = at->str();
    std::smatch found;
    if (text == "</g>") {
      heads.pop_back();
    } else if (text.front() == '<' && text[1] == 'g') {
      heads.push_back(std::regex_search(text, found, head) ? found[1].str() : heads.back());
    } else {
      titles.push_back(heads.back() + (*at)[1].str());
    }
  }
  return titles;
}

std::map<Tile, Doing> tooltips_of(const std::string& detail) {
  static const std::regex pattern(
      R"(tile (\d+),(\d+): CTA (\d+), unit (\d+), k-steps (\d+) to (\d+), DRAM re-reads [\d.]+x)");
  std::map<Tile, Doing> tooltips;
  for (const std::string& title : titles_of(detail)) {
    std::smatch at;
    if (!std::regex_match(title, at, pattern)) continue;
    const auto number = [&at](size_t i) { return std::stoll(at[i].str()); };
    CHECK(
        tooltips
            .emplace(Tile{number(1), number(2)}, Doing{number(3), number(4), number(5), number(6)})
            .second);
  }
  return tooltips;
}

// The same from the output of `analyze grid`: CTA = slot mod CTAs, unit = slot / CTAs.
std::map<Tile, Doing> analyzed(const TuneEntry& entry) {
  const TileConfig& config = entry.choice;
  const GemmShape& shape = entry.problem.shapes.front();
  const auto tiles = [](int64_t size, int64_t tile) { return (size + tile - 1) / tile; };
  GridOptions options;
  options.grid = format("{}x{}", tiles(shape.m, config.cta.m), tiles(shape.n, config.cta.n));
  options.raster = to_string(config.raster);
  options.cluster = to_string(config.cluster);
  options.device = "h200";
  options.cta = to_string(config.cta);
  options.k = shape.k;
  options.order = true;
  options.format = Format::Json;
  const Outcome outcome = testing::outcome_of([&](Console& c) {
    return print(run_analyze_grid(read_grid_request(options)), options.format, c);
  });
  REQUIRE(outcome.code == ExitCode::Good);
  const Document grid = Document::parse(outcome.out);
  const int64_t ctas = grid["ctas"].get<int64_t>();
  std::map<Tile, Doing> doing;
  int64_t slot = 0;
  for (const Document& tile : grid["order"]) {
    if (!tile.is_null()) {
      doing[{tile[0].get<int64_t>(), tile[1].get<int64_t>()}] = {slot % ctas, slot / ctas, 0,
                                                                 tiles(shape.k, config.cta.k)};
    }
    ++slot;
  }
  return doing;
}

}  // namespace

TEST_CASE("the tooltip of a winner's tile agrees with analyze grid") {
  const std::string file = kRoot + "/presets/tuned/h200-dense.yaml";
  const Artefact artefact = load_best(file);
  const std::string html = page_of({file});
  const Document pieces = json_of(html, "tilewright-pieces");
  REQUIRE(pieces.size() == artefact.entries.size());
  int winners = 0;
  for (size_t i = 0; i < artefact.entries.size(); ++i) {
    const TuneEntry& entry = artefact.entries[i];
    const TileConfig& config = entry.choice;
    if (config.decomposition != Decomposition{} || config.swap_ab) continue;
    CAPTURE(to_string(entry.problem));
    ++winners;
    CHECK(tooltips_of(detail_of(pieces[i].get<std::string>())) == analyzed(entry));
  }
  CHECK(winners >= 40);
}

TEST_CASE("a page accepts the files of all other verbs, and holds their numbers") {
  const testing::TemporaryFolder folder;
  const auto path = [&folder](const char* name) { return (folder.path() / name).string(); };
  HistoryRun run;
  run.time = 1767225600;
  run.suite = "s.yaml";
  run.mode = "baseline";
  run.device = "NVIDIA H200";
  run.cases = {{"cube", "pass", {{"ratio", 1.25}}}};
  write_file(path("history.jsonl"), print_history(run));
  GridOptions grid;
  grid.grid = "8x8";
  grid.sweep.range = parse_sweep_range("factor=1,2,4");
  grid.sweep.metrics = {"waste_pct"};
  grid.format = Format::Json;
  const Outcome swept =
      testing::outcome_of([&](Console& c) { return print(sweep_grid(grid, c), grid.format, c); });
  REQUIRE(swept.code == ExitCode::Good);
  write_file(path("sweep.json"), swept.out);
  const std::string trace = kRoot + "/tests/data/made_up_trace.json";
  const std::string store = kRoot + "/tests/data/made_up_store.jsonl";
  const std::string artefact = kRoot + "/presets/tuned/h200-fp8.yaml";
  const std::string html =
      page_of({path("history.jsonl"), path("sweep.json"), trace, store, artefact});
  const Document data = json_of(html, kReportDataId);
  CHECK(data["schema"] == kReportSchema);
  const Document& sources = data["sources"];
  REQUIRE(sources.size() == 5);
  CHECK(sources[0]["history"][0]["cases"][0] == Document::parse(print_history(run))["cases"][0]);
  CHECK(sources[1]["sweep"] == Document::parse(swept.out));
  CHECK(sources[2]["trace"] == Document::parse(read_file(trace)));
  CHECK(sources[3]["store"]["records"] == 5);
  CHECK(sources[3]["store"]["problems"][0]["problem"] == "256x256x256");
  CHECK(sources[4]["artefact"]["entries"].size() == load_best(artefact).entries.size());
}

TEST_CASE("a file that no verb wrote is refused, and no page is written") {
  const testing::TemporaryFolder folder;
  const std::string input = folder.path() / "input";
  const std::string output = folder.path() / "report.html";
  for (const char* const text :
       {"", "hello", "[1, 2]", "{}", R"({"points": 3})", R"({"records": []})",
        R"({"schema": "tilewright.history/2"})", R"({"schema": "tilewright.store/9", "run": "x"})",
        R"({"records": [], "config": "family=sm90", "problem": "64x64x64"})"}) {
    CAPTURE(text);
    write_file(input, text);
    const Outcome outcome = report({input}, output);
    CHECK(outcome.code == ExitCode::Usage);
    CHECK(contains(outcome.err, input));
    CHECK_FALSE(std::filesystem::exists(output));
  }
}

}  // namespace tilewright
