// Prints triton.Config objects with the parameters of the tutorials' matrix products
// (03-matrix-multiplication and 09-persistent-matmul).

#include <algorithm>

#include "base/text.hpp"
#include "exchange/exports.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

int warps_of(const TileConfig& c, const Problem& problem) {
  const FamilyRecord& family = record_of(c.family);
  return family.warps(family.params(workload_of(problem), c, {})).count;
}

std::vector<std::string> unsupported_by_triton(const TileConfig& c) {
  std::vector<std::string> unsupported;
  if (has_key(c.family, "warps")) {
    unsupported.push_back(format("warps={}: num_warps gives {} warps and no arrangement",
                                 to_string(c.sm80.warps), c.sm80.warps.m * c.sm80.warps.n));
    unsupported.push_back(format("smem={}", to_string(c.sm80.smem)));
    return unsupported;
  }
  if (c.cluster != ClusterShape{})
    unsupported.push_back(format("cluster={}", to_string(c.cluster)));
  if (c.schedule == KernelSchedule::PingPong) {
    unsupported.push_back(
        "schedule=pingpong: two warpgroups alternate tiles; num_warps counts those of one");
  }
  unsupported.push_back(format("l2_promotion={}", c.l2_promotion_bytes));
  if (c.evict_first.a || c.evict_first.b) {
    unsupported.push_back(format("evict_first={}", to_string(c.evict_first)));
  }
  return unsupported;
}

std::string triton_line(const TileConfig& c, int group, const Problem& problem) {
  return format(
      "    triton.Config({{\"BLOCK_SIZE_M\": {}, \"BLOCK_SIZE_N\": {}, \"BLOCK_SIZE_K\": {}, "
      "\"GROUP_SIZE_M\": {}}}, num_stages={}, num_warps={}),\n",
      c.cta.m, c.cta.n, c.cta.k, group, c.stages, warps_of(c, problem));
}

// Collects the list's entries: configs that the kernels can run, each with comments about what its
// entry cannot express.
class ConfigList {
 public:
  explicit ConfigList(const Workload& workload)
      : workload_(workload), problem_(problem_of(workload, 0)) {}

  void add(const TileConfig& c) {
    std::vector<std::string> unsupported = unsupported_by_triton(c);
    std::vector<int> groups;
    if (const auto walk = same_walk(Stack::Triton, workload_, c)) {
      groups = {walk->factors[0]};
    } else {
      unsupported.push_back(format(
          "raster={}: no GROUP_SIZE_M visits tiles in that order; the autotuner tries these values",
          to_string(c.raster)));
      groups = {1, 4, 8, 16};
    }
    std::string block;
    for (const int group : groups) block += triton_line(c, group, problem_);
    // Ties may differ only in options that Triton lacks; print the first of them.
    if (lines_.find(block) != std::string::npos) return;
    lines_ += commented({to_string(c)}, "    # ");
    for (const std::string& line : unsupported) {
      lines_ += commented({"not expressible: " + line}, "    # ");
      note_once(line);
    }
    lines_ += block;
  }

  void note_once(const std::string& line) {
    const auto same = std::find(unsupported_.begin(), unsupported_.end(), line);
    if (same == unsupported_.end()) unsupported_.push_back(line);
  }

  const std::string& lines() const { return lines_; }
  const std::vector<std::string>& unsupported() const { return unsupported_; }

 private:
  const Workload& workload_;
  Problem problem_;
  std::string lines_;
  std::vector<std::string> unsupported_;
};

}  // namespace

Export export_triton(const Dispatched& answer) {
  const TuneEntry& entry = answer.entry;
  const std::optional<MeasuredConfig> given = config_for(Stack::Triton, answer);
  if (!given) return empty_export(Stack::Triton, entry);
  ConfigList list(entry.problem);
  // config_for() comes first: only a config that is expressed completely has a known time.
  list.add(given->config);
  for (const TileConfig& c : candidates_of(entry)) {
    if (const std::string why = why_no_kernel(Stack::Triton, entry.problem, c); why.empty()) {
      list.add(c);
    } else {
      list.note_once(format("skipped {}: {}", to_string(c), why));
    }
  }
  Export out{.text = "",
             .unsupported = list.unsupported(),
             .substitution = substitution_note(Stack::Triton, *given, answer)};
  out.text = commented({format("{}, by tilewright: for the kernels of Triton's tutorials 03 and "
                               "09, as @triton.autotune(configs=configs, key=[\"M\", \"N\", "
                               "\"K\"]). {}",
                               to_string(entry.problem), role_text(out, answer))},
                       "# ") +
             commented(note_lines(answer, given->config == entry.choice), "# ") +
             "import triton\n\nconfigs = [\n" + list.lines() + "]\n";
  return out;
}

}  // namespace tilewright
