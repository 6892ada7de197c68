// A report as one self-contained HTML file: sections with a verdict, charts and a table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "draw/scene.hpp"
#include "draw/svg_writer.hpp"
#include "record/document.hpp"
#include "stats/sample.hpp"

namespace tilewright {

/// `schema` of the JSON in a page, and the id of the element that holds it.
inline constexpr std::string_view kReportSchema = "tilewright.report/1";
inline constexpr std::string_view kReportDataId = "tilewright-data";

/// Rows that a table shows until the reader requests all; without a script it shows all.
inline constexpr size_t kRowsShownFirst = 60;

struct PageColumn {
  std::string title;
  std::string meaning = {};  // tooltip of the title
  bool is_number = false;
  bool is_minor = false;  // left out on narrow screens
};

/// A ratio with its interval, drawn on the scale of its table. Above 1 is better.
struct PageMark {
  PairedRatio ratio;
  bool operator==(const PageMark&) const = default;
};

struct PageCell {
  std::string text;
  std::optional<double> value = std::nullopt;  // sort key of the row; none: the text
  std::optional<PageMark> mark = std::nullopt;
};

/// The first cell names the row. `detail` is HTML that is shown when the row is opened.
struct PageRow {
  std::vector<PageCell> cells;
  std::string tag = {};  // value that the list beside the filter selects by
  std::string detail = {};
};

struct PageFigure {
  std::string caption;
  Scene scene;
};

/// The part of a page about one file.
struct PageSection {
  std::string title;
  std::string verdict;  // a sentence
  std::vector<std::string> notes = {};
  std::vector<PageFigure> figures = {};
  std::vector<PageColumn> columns = {};
  std::vector<PageRow> rows = {};
  std::string tag_name = {};  // label of the list of tags; empty: rows have none
};

struct ReportPage {
  std::string title;
  std::vector<PageSection> sections;
};

/// The HTML file. `data` holds all numbers of the page and is embedded under kReportDataId; its
/// bytes that are not UTF-8 become U+FFFD. The page's Content-Security-Policy forbids every
/// request, and every script but its own.
std::string page_html(const ReportPage& page, const Document& data);

/// The scene as an SVG element; its title is the name that screen readers read aloud.
std::string inline_svg(const Scene& scene, SvgTooltips tooltips = SvgTooltips::Whole);

/// The same in a box that scrolls, for a row's detail, which only the page's script shows: its
/// hover texts are shared.
std::string picture_html(const Scene& scene);

}  // namespace tilewright
