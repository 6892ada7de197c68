#include "render/report.hpp"

#include <algorithm>

#include "request/job.hpp"

namespace tilewright {
namespace {

struct TextPrinter {
  int width;

  std::string operator()(const std::string& lines) const { return lines; }
  std::string operator()(const Sentence& sentence) const {
    const int limit = sentence.most > 0 && width > 0 ? std::min(width, sentence.most)
                                                     : std::max(width, sentence.most);
    return sentence_lines(sentence.text, limit, sentence.head);
  }
  std::string operator()(const Table& table) const { return table.render(width); }
};

// What the report has in this format; a table's titles only if asked for.
std::string body_of(const Report& report, Format form, bool with_titles, const Console& console) {
  switch (form) {
    case Format::Text: return text_of(report, table_width(console));
    case Format::Json: return report.json ? report.json() : "";
    case Format::Csv: return report.table ? report.table().csv(with_titles) : "";
    case Format::Markdown: return report.table ? report.table().markdown(with_titles) : "";
  }
  return {};
}

ExitCode end(const Report& report, Console& console) {
  if (report.failure) std::rethrow_exception(report.failure);
  return std::max(report.code, report_violations(report.violated, console));
}

}  // namespace

std::string text_of(const Report& report, int width) {
  std::string text;
  for (const TextPart& part : report.text) text += std::visit(TextPrinter{width}, part);
  return text;
}

ExitCode print(const Report& report, Format form, Console& console) {
  if (is_of_tables(form) && !report.table) {
    throw usage_error("this answer has no table: --format takes text or json here");
  }
  console.note(report.notes);
  console.out << body_of(report, form, true, console);
  return end(report, console);
}

ExitCode print_parts(const std::function<Report(const ReportSink&)>& verb, Format form,
                     Console& console) {
  bool has_titles = false;
  const auto put = [&](const Report& part) {
    console.note(part.notes);
    console.out << body_of(part, form, !has_titles, console) << std::flush;
    has_titles = has_titles || part.table;
  };
  const Report whole = verb(put);
  put(whole);
  return end(whole, console);
}

}  // namespace tilewright
