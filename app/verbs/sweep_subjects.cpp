// The parameters that each subject of analyze can be swept over. The options are read once where a
// parameter is a number of the request, which is then set.
#include <algorithm>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "host/devices.hpp"
#include "request/job.hpp"
#include "request/sweep_request.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/workload/workload.hpp"
#include "verbs/schedule_subject.hpp"
#include "verbs/subjects.hpp"
#include "verbs/sweep.hpp"

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

int64_t within(const std::string& name, int64_t value, int64_t most) {
  if (positive(name, value) <= most) return value;
  throw usage_error(format("{} is at most {}", name, most));
}

// The first value that may be a size; a request that is read with it has the number to set.
int64_t first_size(const SweepOptions& o) {
  return std::max<int64_t>(1, o.range->values.front());
}

// The texts of a subject's options in which the user may write a mark.
constexpr std::string GridOptions::*kGridTexts[] = {&GridOptions::grid, &GridOptions::raster,
                                                    &GridOptions::cta, &GridOptions::cluster};
constexpr std::string ScheduleOptions::*kScheduleTexts[] = {
    &ScheduleOptions::problem, &ScheduleOptions::config, &ScheduleOptions::cta,
    &ScheduleOptions::cluster, &ScheduleOptions::raster, &ScheduleOptions::decomposition};
constexpr std::string LayoutOptions::*kLayoutTexts[] = {
    &LayoutOptions::expression, &LayoutOptions::threads, &LayoutOptions::access};
constexpr std::string SwizzleOptions::*kSwizzleTexts[] = {
    &SwizzleOptions::tile, &SwizzleOptions::swizzle, &SwizzleOptions::write, &SwizzleOptions::read};
constexpr std::string NestedOptions::*kNestedTexts[] = {&NestedOptions::text, &NestedOptions::shape,
                                                        &NestedOptions::access};

template <class Options, class Texts>
bool is_marked(const std::string& name, const Options& o, const Texts& texts) {
  return std::any_of(std::begin(texts), std::end(texts),
                     [&](const auto text) { return has_mark(name, {&(o.*text)}); });
}

// The options with the value in the place of the mark.
template <class Options, class Texts>
Options filled(Options o, const Texts& texts, const std::string& name, int64_t value) {
  for (const auto text : texts) fill_mark(name, value, {&(o.*text)});
  return o;
}

// A sweep over the requests that `at` returns.
template <class At>
SweepSubject swept(const std::string& words, const std::string& metric, const At& at) {
  return {.words = words, .metric = metric, .numbers_at = [at](int64_t value) {
            return numbers_of(at(value));
          }};
}

// Sets a size of a CTA tile; returns false where the name is none.
bool set_extent(TileShape& tile, const std::string& name, int64_t value) {
  int* const extent = name == "cta.m"   ? &tile.m
                      : name == "cta.n" ? &tile.n
                      : name == "cta.k" ? &tile.k
                                        : nullptr;
  if (extent != nullptr) *extent = static_cast<int>(within(name, value, kMaxExtent));
  return extent != nullptr;
}

void set_factor(Raster& raster, const std::string& name, int64_t value) {
  raster.factors[0] = static_cast<int>(within(name, value, kMaxFactor));
}

GridRequest with_number(GridRequest r, const std::string& name, int64_t value) {
  if (name == "factor") {
    set_factor(r.raster, name, value);
  } else if (name == "k") {
    r.k = positive(name, value);
  } else if (name == "ctas") {
    r.ctas = positive(name, value);
  } else if (!r.cta || !set_extent(*r.cta, name, value)) {
    (name == "m" ? r.tiles.m : r.tiles.n) = static_cast<int>(within(name, value, kMaxSize));
  }
  return r;
}

// A key of --config is read as a config reads it.
ScheduleRequest with_number(ScheduleRequest r, const std::string& name, int64_t value) {
  TileConfig& config = r.config.values;
  if (name == "m" || name == "n" || name == "k") {
    GemmShape& shape = r.workload.shapes.front();
    (name == "m" ? shape.m : name == "n" ? shape.n : shape.k) = within(name, value, kMaxSize);
    require_square(shape, r.workload.op);
  } else if (name == "factor") {
    set_factor(config.raster, name, value);
  } else if (name == "splits") {
    std::get<SplitK>(config.decomposition).slices =
        static_cast<int>(within(name, value, kMaxSplits));
  } else if (name == "ctas") {
    r.ctas = positive(name, value);
  } else if (!set_extent(config.cta, name, value)) {
    r.config = with_key(std::move(r.config), name, format("{}", value));
  }
  return r;
}

std::string fault_of(const GridRequest& r) {
  return fault_of_given(report_grid(r));
}

std::string fault_of(const ScheduleRequest& r) {
  const ScheduleSubject subject = plan_schedule(r);
  return fault_of_given(subject.plan, report_schedule(subject).report.proof);
}

// Without a price, the proof walks about 16 slots in the time of one unit.
int64_t units_of(const GridRequest& r) {
  constexpr int64_t kWalkedFaster = 16;
  const int64_t slots = int64_t{r.tiles.m} * r.tiles.n;
  return r.cta ? slots : slots / kWalkedFaster;
}

int64_t units_of(const ScheduleRequest& r) {
  const Plan plan = plan_schedule(r).plan;
  return (plan.units + plan.stream_k_tiles) * plan.cluster_size;
}

// A sweep that counts its work first; `is_given`: a file maps the work.
template <class At>
SweepSubject counted(const std::string& words, const std::string& metric, const At& at,
                     bool is_given, const std::optional<DeviceSpec>& device) {
  SweepSubject subject = swept(words, metric, at);
  if (device) subject.notes = rates_notes(*device);
  subject.units_at = [at](int64_t value) { return units_of(at(value)); };
  if (is_given) subject.fault_at = [at](int64_t value) { return fault_of(at(value)); };
  return subject;
}

SweepSubject grid_subject(const GridOptions& options, const std::string& name) {
  GridOptions o = options;
  const bool by_hand = is_marked(name, o, kGridTexts);
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
  std::optional<DeviceSpec> device;
  if (!o.device.empty()) device = resolve_device(o.device).spec;
  const std::string words = listed({format("{} tiles", o.grid), o.raster.empty() ? "row" : o.raster,
                                    o.cta.empty() ? "" : format("CTA tile {}", o.cta),
                                    number_words("K {}", "k", o.k, swept_number),
                                    o.cluster == "1x1" ? "" : format("cluster {}", o.cluster),
                                    number_words("{} CTAs", "ctas", o.ctas, swept_number),
                                    device ? format("predicted for {}", device->name) : ""});
  const bool priced = !o.cta.empty();
  const bool waves = !o.device.empty() || o.ctas > 0 || swept_number == "ctas";
  const auto options_at = [o, name, is_number](int64_t value) {
    GridOptions at = filled(o, kGridTexts, name, value);
    if (is_number) (name == "k" ? at.k : at.ctas) = positive(name, value);
    return at;
  };
  std::function<GridRequest(int64_t)> at;
  // A harness maps other tiles for each value.
  if (by_hand || !o.harness.empty()) {
    at = [=](int64_t value) { return read_grid_request(options_at(value)); };
  } else {
    at = [request = read_grid_request(options_at(first_size(o.sweep))), name](int64_t value) {
      return with_number(request, name, value);
    };
  }
  const std::string metric = priced ? "dram_read_bytes" : waves ? "wave_efficiency" : "waste_pct";
  return counted(words, metric, at, o.raster.starts_with(kFilePrefix), device);
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

// Options with the number that is swept in their request: a raster without a factor has none.
ScheduleOptions with_place(ScheduleOptions given, const ScheduleOptions& marked,
                           const std::string& name) {
  const int64_t value = first_size(given.sweep);
  if (name == "ctas") given.ctas = value;
  const bool in_text = name == "factor" || name == "splits" || name.starts_with("cta.");
  return in_text ? filled(marked, kScheduleTexts, name, value) : given;
}

SweepSubject schedule_subject(const ScheduleOptions& options, const std::string& name) {
  ScheduleOptions o = options;
  const bool by_hand = is_marked(name, o, kScheduleTexts);
  const bool is_ctas = !by_hand && name == "ctas";
  if (!by_hand && !is_ctas) mark_key(o, name);
  const DeviceSpec device = resolve_device(o.device).spec;
  const std::string words =
      listed({o.kind.op == "gemm" ? o.problem : format("{} {}", o.kind.op, o.problem), o.kind.dtype,
              o.kind.layout, o.config, o.cta.empty() ? "" : format("CTA tile {}", o.cta), o.raster,
              o.decomposition, number_words("{} CTAs", "ctas", o.ctas, is_ctas ? name : ""),
              format("predicted for {}", device.name)});
  std::function<ScheduleRequest(int64_t)> at;
  if (by_hand) {
    at = [o, name](int64_t value) {
      return read_schedule_request(filled(o, kScheduleTexts, name, value));
    };
  } else {
    at = [request = read_schedule_request(with_place(options, o, name)), name](int64_t value) {
      return with_number(request, name, value);
    };
  }
  const char* const usual = predicts_time(device) ? "predicted_us" : "waves";
  return counted(words, usual, at, !o.from.empty(), device);
}

SweepSubject layout_subject(const LayoutOptions& o, const std::string& name) {
  if (!is_marked(name, o, kLayoutTexts)) throw unknown_parameter(name, {});
  return swept(listed({o.expression, o.dtype, o.access}),
               o.access.empty() ? "footprint" : "wavefronts", [o, name](int64_t value) {
                 return read_layout_options(filled(o, kLayoutTexts, name, value));
               });
}

SweepSubject swizzle_subject(const SwizzleOptions& options, const std::string& name) {
  SwizzleOptions o = options;
  const bool by_hand = is_marked(name, o, kSwizzleTexts);
  const bool is_vector = !by_hand && name == "vector";
  if (!by_hand && !is_vector && !mark_size(name, {{"rows", &o.tile, 0}, {"cols", &o.tile, 1}})) {
    throw unknown_parameter(name, {"rows", "cols", "vector"});
  }
  const std::string words = listed(
      {format("{} of {}", o.tile, o.dtype), o.write.empty() ? "" : format("written by {}", o.write),
       o.read.empty() ? "" : format("read by {}", o.read),
       o.swizzle.empty() ? "the best swizzle" : format("swizzle {}", o.swizzle),
       number_words("vectors of {}", "vector", o.vector, is_vector ? name : "")});
  return swept(words, o.read.empty() ? "row_period" : "conflicts",
               [o, name, is_vector](int64_t value) {
                 SwizzleOptions at = filled(o, kSwizzleTexts, name, value);
                 if (is_vector) at.vector = positive(name, value);
                 return at;
               });
}

SweepSubject nested_subject(const NestedOptions& o, const std::string& name) {
  if (!is_marked(name, o, kNestedTexts)) throw unknown_parameter(name, {});
  return swept(o.text, "elements_per_thread", [o, name](int64_t value) {
    return read_nested_request(filled(o, kNestedTexts, name, value));
  });
}

template <class Options>
Report sweep(const Options& o, SweepSubject (*subject)(const Options&, const std::string&),
             Console& console) {
  return run_sweep(
      o.sweep, o.checks, [&](const std::string& name) { return subject(o, name); }, console);
}

}  // namespace

std::vector<NamedNumber> numbers_of(const GridRequest& request) {
  return numbers_of(report_grid(request));
}

std::vector<NamedNumber> numbers_of(const ScheduleRequest& request) {
  return numbers_of(report_schedule(plan_schedule(request)).report);
}

Report sweep_grid(const GridOptions& o, Console& console) {
  return sweep<GridOptions>(o, grid_subject, console);
}

Report sweep_schedule(const ScheduleOptions& o, Console& console) {
  return sweep<ScheduleOptions>(o, schedule_subject, console);
}

Report sweep_layout(const LayoutOptions& o, Console& console) {
  return sweep<LayoutOptions>(o, layout_subject, console);
}

Report sweep_swizzle(const SwizzleOptions& o, Console& console) {
  return sweep<SwizzleOptions>(o, swizzle_subject, console);
}

Report sweep_nested(const NestedOptions& o, Console& console) {
  return sweep<NestedOptions>(o, nested_subject, console);
}

}  // namespace tilewright
