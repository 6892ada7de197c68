#include "report.hpp"

#include <algorithm>

#include "job.hpp"

namespace tilewright {
namespace {

struct TextPrinter {
  int width;

  std::string operator()(const std::string& lines) const { return lines; }
  std::string operator()(const Sentence& sentence) const {
    return sentence_lines(sentence.text, width, sentence.head);
  }
  std::string operator()(const Table& table) const { return table.render(width); }
};

}  // namespace

ExitCode print(const Report& report, Format form, Console& console) {
  if (form == Format::Csv && !report.csv) {
    throw usage_error("this answer has no table: --format takes text or json here");
  }
  console.note(report.notes);
  switch (form) {
    case Format::Json: console.out << report.json(); break;
    case Format::Csv: console.out << report.csv(); break;
    case Format::Text:
      for (const TextPart& part : report.text) {
        console.out << std::visit(TextPrinter{table_width(console)}, part);
      }
  }
  return std::max(report.code, report_violations(report.violated, console));
}

}  // namespace tilewright
