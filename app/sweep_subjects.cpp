// The parameters that each subject of analyze can be swept over.
#include <algorithm>

#include "base/text.hpp"
#include "devices.hpp"
#include "job.hpp"
#include "schedule_subject.hpp"
#include "subjects.hpp"
#include "sweep.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

// Joins the parts that are not empty with commas.
std::string listed(const std::vector<std::string>& parts) {
  std::vector<std::string> there;
  for (const std::string& part : parts) {
    if (!part.empty()) there.push_back(part);
  }
  return join(there, ", ");
}

// "K 4096", or "K {k}" if the sweep is over k.
std::string number_words(const char* format_of, const std::string& name, int64_t value,
                         const std::string& swept) {
  if (swept != name && value == 0) return {};
  std::string words = format_of;
  return words.replace(words.find("{}"), 2, swept == name ? sweep_mark(name) : format("{}", value));
}

int64_t positive(const std::string& name, int64_t value) {
  if (value > 0) return value;
  throw usage_error(format("{} is at least 1", name));
}

// A sweep over a parameter that is marked in a subject's options.
template <class Options>
SweepSubject swept(const Options& marked, const std::string& words, const std::string& metric,
                   const std::function<void(Options&, int64_t)>& fill,
                   int64_t (*units_of)(const Options&) = nullptr,
                   std::string (*fault_of)(const Options&) = nullptr) {
  const auto filled = [=](int64_t value) {
    Options at = marked;
    fill(at, value);
    return at;
  };
  SweepSubject subject{.words = words, .metric = metric, .numbers_at = [=](int64_t value) {
                         return numbers_of(filled(value));
                       }};
  if (units_of != nullptr) {
    subject.units_at = [=](int64_t value) { return units_of(filled(value)); };
  }
  if (fault_of != nullptr) {
    subject.fault_at = [=](int64_t value) { return fault_of(filled(value)); };
  }
  return subject;
}

std::string fault_of(const GridOptions& o) {
  return fault_of_given(report_grid(o));
}

std::string fault_of(const ScheduleOptions& o) {
  const ScheduleSubject subject = read_schedule(o);
  return fault_of_given(subject.plan, report_schedule(subject).report.proof);
}

// Without a price, the proof walks about 16 slots in the time of one unit.
int64_t units_of(const GridOptions& o) {
  constexpr int64_t kWalkedFaster = 16;
  const TileCoord grid = parse_grid(o.grid);
  const int64_t slots = int64_t{grid.m} * grid.n;
  return o.cta.empty() ? slots / kWalkedFaster : slots;
}

int64_t units_of(const ScheduleOptions& o) {
  const Plan plan = read_schedule(o).plan;
  return (plan.units + plan.stream_k_tiles) * plan.cluster_size;
}

SweepSubject grid_subject(const GridOptions& options, const std::string& name) {
  GridOptions o = options;
  const bool by_hand = has_mark(name, {&o.grid, &o.raster, &o.cta, &o.cluster});
  const bool is_number = !by_hand && (name == "k" || name == "ctas");
  if (!by_hand && name == "factor") {
    o.raster = marked_raster(o.raster, name);
  } else if (!by_hand && !is_number &&
             !mark_size(name, {{"m", &o.grid, 0},
                               {"n", &o.grid, 1},
                               {"cta.m", &o.cta, 0},
                               {"cta.n", &o.cta, 1},
                               {"cta.k", &o.cta, 2}})) {
    throw unknown_parameter(name, {"factor", "m", "n", "k", "ctas", "cta.m", "cta.n", "cta.k"});
  }
  const std::string swept_number = is_number ? name : "";
  const std::string words = listed(
      {format("{} tiles", o.grid), o.raster.empty() ? "row" : o.raster,
       o.cta.empty() ? "" : format("CTA tile {}", o.cta),
       number_words("K {}", "k", o.k, swept_number),
       o.cluster == "1x1" ? "" : format("cluster {}", o.cluster),
       number_words("{} CTAs", "ctas", o.ctas, swept_number),
       o.device.empty() ? "" : format("predicted for {}", resolve_device(o.device).spec.name)});
  const bool priced = !o.cta.empty();
  const bool waves = !o.device.empty() || o.ctas > 0 || swept_number == "ctas";
  std::string (*const fault)(const GridOptions&) = fault_of;
  return swept<GridOptions>(
      o, words,
      priced  ? "dram_read_bytes"
      : waves ? "wave_efficiency"
              : "waste_pct",
      [name, is_number](GridOptions& at, int64_t value) {
        fill_mark(name, value, {&at.grid, &at.raster, &at.cta, &at.cluster});
        if (is_number) (name == "k" ? at.k : at.ctas) = positive(name, value);
      },
      units_of, std::string_view(o.raster).starts_with(kFilePrefix) ? fault : nullptr);
}

// The value of a key in "key=value,..."; empty where it is not named.
std::string config_value(const std::string& config, const std::string& key) {
  for (const std::string& part : split_assignments(config)) {
    if (part.rfind(key + '=', 0) == 0) return part.substr(key.size() + 1);
  }
  return {};
}

std::string with_config_value(const std::string& config, const std::string& key,
                              const std::string& value) {
  std::vector<std::string> parts;
  bool named = false;
  for (const std::string& part : split_assignments(config)) {
    const bool is_key = part.rfind(key + '=', 0) == 0;
    named = named || is_key;
    parts.push_back(is_key ? format("{}={}", key, value) : part);
  }
  if (!named) parts.push_back(format("{}={}", key, value));
  return join(parts, ",");
}

// Replaces the number of splits in "split-k:4:workspace" by a mark; makes an empty or data-parallel
// decomposition split-k.
std::string marked_splits(const std::string& decomposition, const std::string& name) {
  std::string reduction;
  if (decomposition.rfind("split-k:", 0) == 0) {
    const size_t colon = decomposition.find(':', std::string_view("split-k:").size());
    if (colon != std::string::npos) reduction = decomposition.substr(colon);
  } else if (!decomposition.empty() && decomposition != "data-parallel") {
    throw usage_error(format("only split-k has splits, not {}", decomposition));
  }
  return format("split-k:{}{}", sweep_mark(name), reduction);
}

// Marks a key of --config, or, without --config, the option of the same name.
void mark_key(ScheduleOptions& o, const std::string& name) {
  const bool has_config = !o.config.empty();
  const auto text_of = [&](const char* key, const std::string& option) {
    return has_config ? config_value(o.config, key) : option;
  };
  const auto put = [&](const char* key, std::string& option, const std::string& value) {
    if (has_config) {
      o.config = with_config_value(o.config, key, value);
    } else {
      option = value;
    }
  };
  if (name == "factor") {
    put("raster", o.raster, marked_raster(text_of("raster", o.raster), name));
    return;
  }
  if (name == "splits") {
    put("decomposition", o.decomposition,
        marked_splits(text_of("decomposition", o.decomposition), name));
    return;
  }
  std::string cta = text_of("cta", o.cta);
  if (mark_size(name, {{"cta.m", &cta, 0}, {"cta.n", &cta, 1}, {"cta.k", &cta, 2}})) {
    put("cta", o.cta, cta);
    return;
  }
  if (mark_size(name, {{"m", &o.problem, 0}, {"n", &o.problem, 1}, {"k", &o.problem, 2}})) return;
  const std::vector<ConfigKeyFacts> keys = config_key_facts();
  const bool is_key = std::any_of(keys.begin(), keys.end(),
                                  [&](const ConfigKeyFacts& key) { return key.name == name; });
  if (!is_key) {
    throw unknown_parameter(
        name, {"factor", "splits", "ctas", "m", "n", "k", "cta.m", "cta.n", "cta.k", "stages"});
  }
  if (!has_config) {
    throw usage_error(
        format("--sweep: {} is a key of --config: add --config cta={} and the other known keys",
               name, o.cta.empty() ? "128x256x64" : o.cta));
  }
  o.config = with_config_value(o.config, name, sweep_mark(name));
}

SweepSubject schedule_subject(const ScheduleOptions& options, const std::string& name) {
  ScheduleOptions o = options;
  const bool by_hand =
      has_mark(name, {&o.problem, &o.config, &o.cta, &o.cluster, &o.raster, &o.decomposition});
  const bool is_ctas = !by_hand && name == "ctas";
  if (!by_hand && !is_ctas) mark_key(o, name);
  const std::string words =
      listed({o.op == "gemm" ? o.problem : format("{} {}", o.op, o.problem), o.dtype, o.layout,
              o.config, o.cta.empty() ? "" : format("CTA tile {}", o.cta), o.raster,
              o.decomposition, number_words("{} CTAs", "ctas", o.ctas, is_ctas ? name : ""),
              format("predicted for {}", resolve_device(o.device).spec.name)});
  std::string (*const fault)(const ScheduleOptions&) = fault_of;
  return swept<ScheduleOptions>(
      o, words, "predicted_us",
      [name, is_ctas](ScheduleOptions& at, int64_t value) {
        fill_mark(name, value,
                  {&at.problem, &at.config, &at.cta, &at.cluster, &at.raster, &at.decomposition});
        if (is_ctas) at.ctas = positive(name, value);
      },
      units_of, o.from.empty() ? nullptr : fault);
}

SweepSubject layout_subject(const LayoutOptions& o, const std::string& name) {
  if (!has_mark(name, {&o.expression, &o.threads, &o.access})) throw unknown_parameter(name, {});
  const std::string words = listed({o.expression, o.dtype, o.access});
  return swept<LayoutOptions>(o, words, o.access.empty() ? "footprint" : "wavefronts",
                              [name](LayoutOptions& at, int64_t value) {
                                fill_mark(name, value, {&at.expression, &at.threads, &at.access});
                              });
}

SweepSubject swizzle_subject(const SwizzleOptions& options, const std::string& name) {
  SwizzleOptions o = options;
  const bool by_hand = has_mark(name, {&o.tile, &o.swizzle, &o.write, &o.read});
  const bool is_vector = !by_hand && name == "vector";
  if (!by_hand && !is_vector && !mark_size(name, {{"rows", &o.tile, 0}, {"cols", &o.tile, 1}})) {
    throw unknown_parameter(name, {"rows", "cols", "vector"});
  }
  const std::string words = listed(
      {format("{} of {}", o.tile, o.dtype), o.write.empty() ? "" : format("written by {}", o.write),
       o.read.empty() ? "" : format("read by {}", o.read),
       o.swizzle.empty() ? "the best swizzle" : format("swizzle {}", o.swizzle),
       number_words("vectors of {}", "vector", o.vector, is_vector ? name : "")});
  return swept<SwizzleOptions>(
      o, words, o.read.empty() ? "row_period" : "conflicts",
      [name, is_vector](SwizzleOptions& at, int64_t value) {
        fill_mark(name, value, {&at.tile, &at.swizzle, &at.write, &at.read});
        if (is_vector) at.vector = positive(name, value);
      });
}

SweepSubject nested_subject(const NestedOptions& o, const std::string& name) {
  if (!has_mark(name, {&o.text, &o.shape, &o.access})) throw unknown_parameter(name, {});
  return swept<NestedOptions>(o, o.text, "elements_per_thread",
                              [name](NestedOptions& at, int64_t value) {
                                fill_mark(name, value, {&at.text, &at.shape, &at.access});
                              });
}

template <class Options>
Report sweep(const Options& o, SweepSubject (*subject)(const Options&, const std::string&),
             Console& console) {
  return run_sweep(
      o.sweep, o.checks, [&](const std::string& name) { return subject(o, name); }, console);
}

Report with_rates_notes(Report report, const std::string& device) {
  if (device.empty()) return report;
  for (std::string& note : rates_notes(resolve_device(device).spec)) {
    report.notes.push_back(std::move(note));
  }
  return report;
}

}  // namespace

std::vector<NamedNumber> numbers_of(const GridOptions& options) {
  return numbers_of(report_grid(options));
}

std::vector<NamedNumber> numbers_of(const ScheduleOptions& options) {
  return numbers_of(report_schedule(read_schedule(options)).report);
}

Report sweep_grid(const GridOptions& o, Console& console) {
  return with_rates_notes(sweep<GridOptions>(o, grid_subject, console), o.device);
}

Report sweep_schedule(const ScheduleOptions& o, Console& console) {
  return with_rates_notes(sweep<ScheduleOptions>(o, schedule_subject, console), o.device);
}

Report sweep_layout(const LayoutOptions& o, Console& console) {
  return sweep<LayoutOptions>(o, layout_subject, console);
}

ExitCode sweep_swizzle(const SwizzleOptions& o, Console& console) {
  return print(sweep<SwizzleOptions>(o, swizzle_subject, console), o.format, console);
}

Report sweep_nested(const NestedOptions& o, Console& console) {
  return sweep<NestedOptions>(o, nested_subject, console);
}

}  // namespace tilewright
