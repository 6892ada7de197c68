#include "page/report_page.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "base/files.hpp"
#include "base/text.hpp"
#include "page/artefact_section.hpp"
#include "page/page_text.hpp"
#include "store/best_table.hpp"
#include "store/device_preset.hpp"

using namespace tilewright;

namespace {

// The content of the page's script element with this id.
std::string script_text(const std::string& html, std::string_view id) {
  const std::string head = format("<script type=\"application/json\" id=\"{}\">", id);
  const size_t begin = html.find(head);
  REQUIRE(begin != std::string::npos);
  return html.substr(begin + head.size(), html.find("</script>", begin) - begin - head.size());
}

int64_t count_of(const std::string& text, std::string_view part) {
  int64_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// Relative luminance by WCAG 2 of a colour "#rrggbb".
double luminance(const std::string& color) {
  constexpr std::array kWeights = {0.2126, 0.7152, 0.0722};
  double sum = 0;
  for (size_t i = 0; i < kWeights.size(); ++i) {
    const double c = std::stoi(color.substr(1 + 2 * i, 2), nullptr, 16) / 255.0;
    sum += kWeights[i] * (c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
  }
  return sum;
}

double contrast(const std::string& a, const std::string& b) {
  const double x = luminance(a);
  const double y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

}  // namespace

TEST_CASE("base64 follows RFC 4648") {
  CHECK(base64("") == "");
  CHECK(base64("f") == "Zg==");
  CHECK(base64("fo") == "Zm8=");
  CHECK(base64("foo") == "Zm9v");
  CHECK(base64("foobar") == "Zm9vYmFy");
  CHECK(base64("\xff\xfe\xfd") == "//79");
}

TEST_CASE("no text of the data can end a script element or begin an element") {
  const std::string hostile = "</script><script>alert(1)</script><img src=x>\"'&";
  PageSection section;
  section.title = hostile;
  section.verdict = hostile;
  section.notes = {hostile};
  section.columns = {{.title = hostile, .meaning = hostile}};
  section.rows = {{.cells = {{.text = hostile}}, .tag = hostile, .detail = hostile}};
  section.tag_name = hostile;
  const ReportPage page{.title = hostile, .sections = {section}};
  Document data = Document::object();
  data["name"] = hostile;
  const std::string html = page_html(page, data);
  CHECK(count_of(html, "<script") == 3);
  CHECK(count_of(html, "</script") == 3);
  CHECK(count_of(html, "<img") == 0);
  CHECK(count_of(html, "alert(1)") > 3);
  CHECK(Document::parse(script_text(html, kReportDataId))["name"] == hostile);
}

TEST_CASE("the page of a tuned suite contains the artefact's data in less than 1.7 MB") {
  const Artefact artefact = load_best(TILEWRIGHT_SOURCE_DIR "/presets/tuned/h200-dense.yaml");
  const ReportPage page{
      .title = "dense",
      .sections = {artefact_section(artefact, "dense", load_device_preset("h200"))}};
  Document given = Document::object();
  given["artefact"] = to_document(artefact);
  const std::string html = page_html(page, given);
  CHECK(html.size() < 1'700'000);
  const Document data = Document::parse(script_text(html, kReportDataId));
  REQUIRE(data["artefact"]["entries"].size() == artefact.entries.size());
  for (size_t i = 0; i < artefact.entries.size(); ++i) {
    const auto& reference = artefact.entries[i].reference;
    if (!reference) continue;
    CHECK(data["artefact"]["entries"][i]["evidence"]["reference"]["ratio"].get<double>() ==
          reference->ratio.ratio);
  }
  CHECK(html.find("default-src 'none'") != std::string::npos);
  CHECK(count_of(html, " scope=\"row\"") == static_cast<int64_t>(artefact.entries.size()));
}

TEST_CASE("texts have a contrast of 4.5 to 1 with their background in each theme") {
  const std::string css = read_file(TILEWRIGHT_SOURCE_DIR "/lib/page/page.css");
  int themes = 0;
  for (size_t at = css.find("--paper: #"); at != std::string::npos;
       at = css.find("--paper: #", at + 1)) {
    ++themes;
    const auto color = [&css, at](const std::string& name) {
      return css.substr(css.find("--" + name + ": #", at) + name.size() + 4, 7);
    };
    for (const char* const ink : {"ink", "muted", "better", "worse", "even", "link"}) {
      for (const char* const ground : {"paper", "band"}) {
        CAPTURE(ink);
        CHECK(contrast(color(ink), color(ground)) >= 4.5);
      }
    }
  }
  CHECK(themes == 3);
}
