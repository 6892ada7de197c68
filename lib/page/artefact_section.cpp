#include "page/artefact_section.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "base/text.hpp"
#include "model/roofline.hpp"
#include "page/log_chart.hpp"
#include "page/page_text.hpp"
#include "page/plan_picture.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

std::optional<double> time_of(const TuneEntry& entry) {
  return entry.timing ? std::optional(entry.timing->median_us) : believed_us(entry.predicted);
}

// Compares with the reference: the whole interval above 1 is faster, below 1 slower.
std::string standing(const TuneEntry& entry) {
  if (!entry.reference) return "no reference";
  const Interval& interval = entry.reference->ratio.interval;
  return interval.low > 1 ? "faster" : interval.high < 1 ? "slower" : "within the noise";
}

std::string verdict_of(const Artefact& artefact) {
  std::map<std::string, int64_t> counts;
  std::vector<double> ratios;
  for (const TuneEntry& entry : artefact.entries) {
    if (!entry.reference) continue;
    ++counts[standing(entry)];
    ratios.push_back(entry.reference->ratio.ratio);
  }
  if (ratios.empty()) {
    return format("{} answers{}, none compared with a reference.", artefact.entries.size(),
                  !artefact.predicted ? ""
                  : artefact.entries.front().predicted.is_time
                      ? ", predicted: nothing ran"
                      : ", by waves and traffic: nothing ran");
  }
  return format(
      "Our kernels are faster than the reference library on {} of {} problems, slower on {}, and "
      "within the noise on {}; the library's time divided by ours is {:.3f} in the geometric mean "
      "and {:.3f} at the lowest.",
      counts["faster"], ratios.size(), counts["slower"], counts["within the noise"],
      geometric_mean(ratios), *std::min_element(ratios.begin(), ratios.end()));
}

std::string command_words(const Workload& workload) {
  const Document document = to_document(workload);
  std::string words = document["problem"].get<std::string>();
  for (const auto& [key, value] : document.items()) {
    if (key == "problem") continue;
    std::string flag = key;
    std::replace(flag.begin(), flag.end(), '_', '-');
    if (value.is_boolean()) {
      words += value.get<bool>() ? " --" + flag : "";
    } else if (value.is_number()) {
      words += format(" --{} {}", flag, value.get<int64_t>());
    } else {
      words += format(" --{} '{}'", flag, value.get<std::string>());
    }
  }
  return words;
}

std::string predicted_beside_measured(const TuneEntry& e) {
  const auto text = [](double value) { return format("{:.4g}", value); };
  std::vector<std::vector<std::string>> rows = {{"time, us",
                                                 e.predicted.is_time ? text(e.predicted.us) : "-",
                                                 e.timing ? text(e.timing->median_us) : "-"}};
  const std::optional<Counters>& c = e.counters;
  const auto megabytes = [&text](double bytes) { return text(bytes * 1e-6); };
  rows.push_back({"DRAM reads, MB", megabytes(e.predicted.dram_read_bytes),
                  c ? megabytes(c->dram_read_bytes) : "-"});
  rows.push_back({"DRAM writes, MB", megabytes(e.predicted.dram_write_bytes),
                  c ? megabytes(c->dram_write_bytes) : "-"});
  rows.push_back(
      {"L2 hits, %", text(100 * e.predicted.l2_hit_rate), c ? text(c->l2_hit_pct) : "-"});
  if (c) rows.push_back({"tensor pipe active, %", "-", text(c->tensor_active_pct)});
  return titled_table("Predicted beside measured", {"", "predicted", "measured"}, rows);
}

std::string picture_of(const TuneEntry& e, const DeviceSpec& device) {
  const PlanPicture picture = plan_picture(e.problem, e.choice, device);
  if (!picture.scene) return element("p", picture.why_not);
  return picture_html(*picture.scene);
}

std::string command_of(const char* verb, const TuneEntry& e, const std::string& more) {
  const std::string command =
      format("tilewright {} {} --config '{}' {}", verb, command_words(e.problem),
             launch_config_text(e.choice, e.problem), more);
  return format("<pre><code>{}</code></pre>\n", xml_escape(command));
}

std::string detail_of(const TuneEntry& e, const std::optional<DeviceSpec>& device,
                      bool has_picture) {
  std::vector<std::vector<std::string>> keys;
  for (const ConfigKey& key : launch_config_keys(e.choice, e.problem))
    keys.push_back({key.name, key.value});
  std::vector<std::vector<std::string>> ties;
  for (const Tie& tie : e.ties)
    ties.push_back({to_string(tie.config), format("{:.4f}", tie.ratio)});
  std::vector<std::vector<std::string>> runners;
  for (const ReferenceTime& r : e.references) {
    runners.push_back({r.name, format("{:.4g}", r.median_us)});
  }
  std::vector<std::vector<std::string>> rejected;
  for (const auto& [rule, count] : e.considered.rejected) {
    rejected.push_back({rule, format("{}", count)});
  }
  std::string html =
      format("<div class=\"parts\">{}{}{}{}</div>\n", predicted_beside_measured(e),
             titled_table("Choice", {"key", "value"}, keys),
             titled_table("The reference library's algorithms", {"way", "us"}, runners),
             titled_table("Rejected configs by rule", {"rule", "configs"}, rejected));
  if (!ties.empty()) {
    html += format("<div class=\"parts\">{}</div>\n",
                   titled_table("Ties", {"config", "of the choice's time"}, ties));
  }
  html += "<h3>Repeat</h3>" + command_of("bench", e, "--against cublaslt");
  if (!device) return html;
  if (has_picture) return html + picture_of(e, *device);
  return html + "<h3>Draw</h3>" +
         command_of("draw schedule", e, format("--device {} -o schedule.svg", device->name));
}

PageCell us_cell(const std::optional<double>& us) {
  if (!us) return {"-"};
  return {us_text(*us), *us};
}

PageRow row_of(const TuneEntry& e, const std::optional<DeviceSpec>& device, bool has_picture) {
  const std::optional<double> us = time_of(e);
  PageRow row;
  row.cells.push_back({to_string(e.problem)});
  row.cells.push_back(us_cell(us));
  row.cells.push_back(us_cell(believed_us(e.predicted)));
  if (us) {
    const double tflops = flops(e.problem) / *us / 1e6;
    row.cells.push_back({format("{:.0f}", tflops), tflops});
  } else {
    row.cells.push_back({"-"});
  }
  if (e.reference) {
    const PairedRatio& r = e.reference->ratio;
    const double half = (r.interval.high - r.interval.low) / 2;
    row.cells.push_back({format("{:.3f}", r.ratio), r.ratio});
    row.cells.push_back({"", r.ratio, PageMark{r}});
    if (half > 0) {
      row.cells.push_back({format("{:+.1f}", (r.ratio - 1) / half), (r.ratio - 1) / half});
    } else {
      row.cells.push_back({""});
    }
  } else {
    row.cells.resize(row.cells.size() + 3);
  }
  row.cells.push_back({standing(e)});
  row.tag = standing(e);
  row.detail = detail_of(e, device, has_picture);
  return row;
}

void add_figures(const Artefact& artefact, const std::optional<DeviceSpec>& device,
                 PageSection& section) {
  LogChart scatter = predicted_chart();
  LogChart roof{.title = "Roofline",
                .x_name = "multiply-adds x 2, divided by compulsory bytes",
                .y_name = "TFLOP/s",
                .disc_name = "ours",
                .square_name = "library faster"};
  std::set<double> peaks;
  for (const TuneEntry& e : artefact.entries) {
    const std::string name = to_string(e.problem);
    if (e.timing) scatter.points.push_back({e.predicted.us, e.timing->median_us, false, name});
    const std::optional<double> us = time_of(e);
    if (!device || !us) continue;
    const Roofline least = roofline(e.problem, *device);
    const double bytes = least.dram_us * 1e-6 * device->dram_bytes_per_s;
    const double tflops = flops(e.problem) / *us / 1e6;
    peaks.insert(std::round(flops(e.problem) / least.tensor_us / 1e6));
    roof.points.push_back({flops(e.problem) / bytes, tflops, winner_of(e) == Winner::Library,
                           format("{}: {:.0f} TFLOP/s", name, tflops)});
  }
  for (const double peak : peaks) {
    const double ridge = peak * 1e12 / device->dram_bytes_per_s;
    const double slope = device->dram_bytes_per_s / 1e12;
    roof.lines.push_back(
        {.points = {{1e-2, 1e-2 * slope}, {ridge, peak}, {1e9, peak}}, .is_strong = true});
  }
  if (!scatter.points.empty()) {
    const std::string note = points_note(scatter.points.size());
    section.figures.push_back({"On the line, both are equal." + note, draw_log_chart(scatter)});
  }
  if (!roof.points.empty()) {
    section.figures.push_back({format("The roof is that of {} at its sustained rates.{}",
                                      device->name, points_note(roof.points.size())),
                               draw_log_chart(roof)});
  }
}

}  // namespace

PageSection artefact_section(const Artefact& artefact, const std::string& source,
                             const std::optional<DeviceSpec>& device) {
  PageSection section;
  section.title = source;
  section.verdict = verdict_of(artefact);
  section.notes.push_back(to_string(artefact.device));
  if (!artefact.predicted) {
    section.notes.push_back(format("{}; {}", artefact.method.timer, artefact.method.regime));
  }
  section.columns = {{.title = "Problem"},
                     {.title = "us", .is_number = true},
                     {.title = "predicted us", .is_number = true, .is_minor = true},
                     {.title = "TFLOP/s", .is_number = true, .is_minor = true},
                     {.title = "ratio",
                      .meaning = "the reference library's time divided by ours",
                      .is_number = true},
                     {.title = "interval"},
                     {.title = "in noise",
                      .meaning = "distance of the ratio from 1, in half widths of its interval",
                      .is_number = true,
                      .is_minor = true},
                     {.title = "verdict", .is_minor = true}};
  section.tag_name = "Verdict";
  add_figures(artefact, device, section);
  if (device && artefact.entries.size() > kMaxPictures) {
    section.notes.push_back(
        format("The first {} rows of {} contain their pictures; the others show the command that "
               "draws them.",
               kMaxPictures, artefact.entries.size()));
  }
  for (const TuneEntry& entry : artefact.entries) {
    section.rows.push_back(row_of(entry, device, section.rows.size() < kMaxPictures));
  }
  return section;
}

}  // namespace tilewright
