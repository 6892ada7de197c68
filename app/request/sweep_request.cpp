#include "request/sweep_request.hpp"

#include <algorithm>
#include <vector>

#include "base/text.hpp"

namespace tilewright {
namespace {

std::string marked_size(const std::string& sizes, size_t index, const std::string& name) {
  std::vector<std::string> parts;
  for (const std::string_view part : split_sizes(sizes)) parts.emplace_back(part);
  if (index >= parts.size() || sizes.find_first_of(",@") != std::string::npos) {
    throw usage_error(format("'{}' has no size for {}: write {} at its place in the text", sizes,
                             name, sweep_mark(name)));
  }
  parts[index] = sweep_mark(name);
  return join(parts, "x");
}

}  // namespace

void require_sweep(const SweepOptions& o, std::string_view subject, Format format_of) {
  if (o.range) return;
  if (is_of_tables(format_of)) {
    throw usage_error(
        format("only a table has --format {}, and analyze {} prints a table only with --sweep{}",
               to_string(format_of), subject, subject == "grid" ? " or --rank" : ""));
  }
  const PictureOptions& p = o.picture;
  if (o.metrics.empty() && p.output.empty() && p.look == PictureLook{}) return;
  throw usage_error(
      format("--metric, -o and the options of a picture need --sweep NAME=VALUES; 'tilewright draw "
             "{}' draws the subject itself",
             subject));
}

std::string sweep_mark(const std::string& name) {
  return format("{{{}}}", name);
}

bool has_mark(const std::string& name, std::initializer_list<const std::string*> texts) {
  const std::string mark = sweep_mark(name);
  return std::any_of(texts.begin(), texts.end(), [&mark](const std::string* text) {
    return text->find(mark) != std::string::npos;
  });
}

void fill_mark(const std::string& name, int64_t value, std::initializer_list<std::string*> texts) {
  const std::string mark = sweep_mark(name);
  const std::string number = format("{}", value);
  for (std::string* const text : texts) {
    for (size_t at = text->find(mark); at != std::string::npos; at = text->find(mark, at)) {
      text->replace(at, mark.size(), number);
    }
  }
}

bool mark_size(const std::string& name, std::initializer_list<SizeParameter> parameters) {
  for (const SizeParameter& p : parameters) {
    if (p.name != name) continue;
    *p.text = marked_size(*p.text, p.index, name);
    return true;
  }
  return false;
}

std::string marked_raster(const std::string& raster, const std::string& name) {
  const std::string known = raster.empty() ? "swizzle-merge" : raster;
  const size_t colon = known.find(':');
  const size_t axis = known.find('@');
  const std::string head = known.substr(0, std::min(colon, axis));
  size_t rest = std::min(axis, known.size());
  if (colon < axis) rest = std::min(known.find_first_of(",x@", colon), known.size());
  return format("{}:{}{}", head, sweep_mark(name), known.substr(rest));
}

Error unknown_parameter(const std::string& name, std::initializer_list<std::string_view> known) {
  const std::vector<std::string_view> names(known);
  const std::string list =
      names.empty() ? ""
                    : format("; the parameters are {}",
                             join(std::vector<std::string>(known.begin(), known.end()), ", "));
  return usage_error(
      format("--sweep: unknown parameter '{}'{}{}; or write {} in the arguments of the subject "
             "where its values belong",
             name, did_you_mean(name, names), list, sweep_mark(name)));
}

}  // namespace tilewright
