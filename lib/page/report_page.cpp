#include "page/report_page.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "draw/svg_writer.hpp"
#include "page/page_files.hpp"
#include "page/page_text.hpp"

namespace tilewright {
namespace {

constexpr double kMaxShrunkWidth = 1000;

std::string_view page_file(std::string_view name) {
  for (const EmbeddedFile& file : page_files()) {
    if (name == file.path) return file.text;
  }
  throw internal_error(format("the program contains no {}", name));
}

// A hexadecimal SHA-256 digest in the form of a Content-Security-Policy.
std::string policy_hash(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(digit(hex[i]) * 16 + digit(hex[i + 1]));
  }
  return format("'sha256-{}'", base64(bytes));
}

// The shared scale of a table's marks: the logarithm of the ratio. It reaches as far from 1 as
// three quarters of the ratios lie; marks beyond are drawn at its end.
class MarkScale {
 public:
  explicit MarkScale(const PageSection& section) {
    std::vector<double> ends;
    for (const PageRow& row : section.rows) {
      for (const PageCell& cell : row.cells) {
        if (cell.mark) ends.push_back(std::abs(std::log(cell.mark->ratio.ratio)));
      }
    }
    std::sort(ends.begin(), ends.end());
    constexpr double kMin = 0.05;
    if (!ends.empty()) most_ = std::max(kMin, 1.1 * ends[ends.size() * 3 / 4]);
  }

  std::string draw(const PageMark& mark) const {
    const PairedRatio& r = mark.ratio;
    const bool is_better = r.interval.low > 1;
    const bool is_worse = r.interval.high < 1;
    const char* const role = is_better ? "better" : is_worse ? "worse" : "even";
    std::string svg = format(
        "<svg class=\"mark {}\" width=\"124\" height=\"16\" viewBox=\"0 0 124 16\" "
        "aria-hidden=\"true\"><path class=\"one\" d=\"M62 1v14\"/><path class=\"interval\" "
        "d=\"M{:.1f} 8H{:.1f}\"/>",
        role, place(r.interval.low), std::max(place(r.interval.high), place(r.interval.low) + 1));
    const double x = place(r.ratio);
    // A disc, a square or a ring: the shape repeats the information of the colour.
    if (is_better) svg += format("<circle cx=\"{:.1f}\" cy=\"8\" r=\"4\"/>", x);
    if (is_worse) {
      svg += format("<path class=\"square\" d=\"M{:.1f} 4h8v8h-8z\"/>", x - 4);
    }
    if (!is_better && !is_worse) {
      svg += format("<circle class=\"ring\" cx=\"{:.1f}\" cy=\"8\" r=\"3.5\"/>", x);
    }
    return svg + "</svg>";
  }

  std::string ends_text() const {
    return format("{:.2f} to {:.2f}", std::exp(-most_), std::exp(most_));
  }

 private:
  double place(double ratio) const {
    return 62 + 56 * std::clamp(std::log(ratio) / most_, -1.0, 1.0);
  }

  double most_ = 0.05;
};

std::string class_list(const PageColumn& column) {
  std::string classes = column.is_number ? "number" : "";
  if (column.is_minor) classes += classes.empty() ? "minor" : " minor";
  return classes.empty() ? "" : format(" class=\"{}\"", classes);
}

std::string table_head(const PageSection& section) {
  std::string html = "<thead><tr>";
  for (const PageColumn& column : section.columns) {
    html +=
        format("<th scope=\"col\"{}{}>{}</th>", class_list(column),
               column.meaning.empty() ? "" : format(" title=\"{}\"", xml_escape(column.meaning)),
               xml_escape(column.title));
  }
  return html + "</tr></thead>";
}

std::string table_row(const PageSection& section, const PageRow& row, const MarkScale& scale,
                      size_t piece) {
  std::string html = format("<tr data-piece=\"{}\"{}>", piece,
                            row.tag.empty() ? "" : format(" data-tag=\"{}\"", xml_escape(row.tag)));
  for (size_t i = 0; i < row.cells.size(); ++i) {
    const PageCell& cell = row.cells[i];
    const std::string_view tag = i == 0 ? "th" : "td";
    html += format("<{}{}{}{}>{}{}</{}>", tag, i == 0 ? " scope=\"row\"" : "",
                   class_list(section.columns[i]),
                   cell.value ? format(" data-v=\"{}\"", *cell.value) : "", xml_escape(cell.text),
                   cell.mark ? scale.draw(*cell.mark) : "", tag);
  }
  return html + "</tr>\n";
}

std::string tag_list(const PageSection& section) {
  if (section.tag_name.empty()) return {};
  std::set<std::string> tags;
  for (const PageRow& row : section.rows) tags.insert(row.tag);
  std::string html =
      format("<label>{} <select><option value=\"\">all</option>", xml_escape(section.tag_name));
  for (const std::string& tag : tags) {
    html += format("<option>{}</option>", xml_escape(tag));
  }
  return html + "</select></label>\n";
}

// Browsers without a script show the whole table from the noscript element; the script takes rows
// from there.
std::string table_html(const PageSection& section, std::vector<std::string>& pieces) {
  if (section.columns.empty()) return {};
  const MarkScale scale(section);
  std::string html = format(
      "<div class=\"controls\" hidden><label>Filter <input type=\"search\" size=\"18\"></label>\n"
      "{}<output></output></div>\n<div class=\"table\"></div>\n<noscript><table>"
      "<caption>{}</caption>{}<tbody>\n",
      tag_list(section), xml_escape(section.title), table_head(section));
  for (const PageRow& row : section.rows) {
    throw_if_interrupted();
    html += table_row(section, row, scale, pieces.size());
    pieces.push_back(row.detail.empty() ? "" : packed_text(row.detail));
  }
  html += "</tbody></table></noscript>\n";
  const auto has_mark = [](const PageRow& row) {
    return std::any_of(row.cells.begin(), row.cells.end(),
                       [](const PageCell& cell) { return cell.mark.has_value(); });
  };
  if (std::any_of(section.rows.begin(), section.rows.end(), has_mark)) {
    html += format(
        "<p class=\"note\">Marks: a ratio and its 95 % interval, {} on a logarithmic scale with a "
        "line at 1; values beyond the scale are at its end. Disc: better than 1 by more than the "
        "noise; square: worse; ring: neither.</p>\n",
        scale.ends_text());
  }
  return html;
}

std::string section_html(const PageSection& section, const std::string& page_title,
                         std::vector<std::string>& pieces) {
  std::string html = format("<section>\n{}<p class=\"verdict\">{}</p>\n",
                            section.title == page_title ? "" : element("h2", section.title) + "\n",
                            xml_escape(section.verdict));
  for (const std::string& note : section.notes) {
    html += format("<p class=\"note\">{}</p>\n", xml_escape(note));
  }
  if (!section.figures.empty()) html += "<div class=\"figures\">\n";
  for (const PageFigure& figure : section.figures) {
    // On narrow screens, a figure scrolls if shrinking would make it illegible.
    const bool is_wide = figure.scene.width > kMaxShrunkWidth;
    html += format("<figure{}>{}{}</figure>\n", is_wide ? " class=\"wide\" tabindex=\"0\"" : "",
                   inline_svg(figure.scene),
                   figure.caption.empty() ? "" : element("figcaption", figure.caption));
  }
  if (!section.figures.empty()) html += "</div>\n";
  return html + table_html(section, pieces) + "</section>\n";
}

}  // namespace

std::string inline_svg(const Scene& scene, SvgTooltips tooltips) {
  const std::string svg = svg_document(scene, scene.width, scene.height, tooltips);
  return "<svg role=\"img\" " + svg.substr(svg.find("<svg ") + 5);
}

std::string picture_html(const Scene& scene) {
  return format("<div class=\"picture\" tabindex=\"0\">{}</div>\n",
                inline_svg(scene, SvgTooltips::Shared));
}

std::string page_html(const ReportPage& page, const Document& data) {
  std::vector<std::string> pieces;
  std::string body;
  for (const PageSection& section : page.sections) {
    body += section_html(section, page.title, pieces);
  }
  const std::string style(page_file("page.css"));
  const std::string script(page_file("page.js"));
  return format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
      "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src {}; "
      "style-src {}; base-uri 'none'; form-action 'none'\">\n<meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" "
      "content=\"light dark\">\n<title>{}</title>\n<style>{}</style>\n</head>\n<body "
      "data-first=\"{}\">\n<main>\n<h1>{}</h1>\n{}</main>\n<footer>tilewright {}. This file "
      "contains the numbers as JSON, in the element {}.</footer>\n<script "
      "type=\"application/json\" id=\"{}\">{}</script>\n<script type=\"application/json\" "
      "id=\"tilewright-pieces\">{}</script>\n<script>{}</script>\n</body>\n</html>\n",
      policy_hash(TILEWRIGHT_SCRIPT_SHA256), policy_hash(TILEWRIGHT_STYLE_SHA256),
      xml_escape(page.title), style, kRowsShownFirst, xml_escape(page.title), body, kVersion,
      kReportDataId, kReportDataId, script_json(data), script_json(Document(pieces)), script);
}

}  // namespace tilewright
