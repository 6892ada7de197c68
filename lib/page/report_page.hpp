// A report as one HTML file that needs nothing else: sections with a verdict, charts and a table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "draw/scene.hpp"
#include "stats/sample.hpp"
#include "store/document.hpp"

namespace tilewright {

/// `schema` of the JSON that stands in a page, and the id of the element that holds it.
inline constexpr std::string_view kReportSchema = "tilewright.report/1";
inline constexpr std::string_view kReportDataId = "tilewright-data";

/// Rows that a table shows before all of them are asked for; without a script it shows all.
inline constexpr size_t kRowsShownFirst = 60;

struct PageColumn {
  std::string title;
  std::string meaning = {};  // shown when the title is pointed at
  bool is_number = false;
  bool is_minor = false;  // narrow screens leave it out
};

/// A ratio with its interval, drawn on the scale that a table's marks share. Above 1 is better.
struct PageMark {
  PairedRatio ratio;
  bool operator==(const PageMark&) const = default;
};

struct PageCell {
  std::string text;
  std::optional<double> value = std::nullopt;  // what rows are sorted by; none: the text
  std::optional<PageMark> mark = std::nullopt;
};

/// The first cell names the row. `detail` is what the row opens to, HTML.
struct PageRow {
  std::vector<PageCell> cells;
  std::string tag = {};  // that a list beside the filter selects by
  std::string detail = {};
};

struct PageFigure {
  std::string caption;
  Scene scene;
};

/// One file's part of a page.
struct PageSection {
  std::string title;
  std::string verdict;  // a sentence
  std::vector<std::string> notes = {};
  std::vector<PageFigure> figures = {};
  std::vector<PageColumn> columns = {};
  std::vector<PageRow> rows = {};
  std::string tag_name = {};  // what the rows' tags are; empty: rows have none
};

struct ReportPage {
  std::string title;
  std::vector<PageSection> sections;
};

/// The file. `data`: all of the page as numbers, which it holds under kReportDataId. Its
/// Content-Security-Policy forbids every request and every script but its own. Bytes that are no
/// UTF-8 become U+FFFD in the data.
std::string page_html(const ReportPage& page, const Document& data);

/// The scene as an element of a page, which a reader of screens calls by the scene's title.
std::string inline_svg(const Scene& scene);

/// The same in a box of its own that scrolls, as a row's detail has it.
std::string picture_html(const Scene& scene);

}  // namespace tilewright
