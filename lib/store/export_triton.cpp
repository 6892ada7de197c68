// Prints triton.Config objects with the parameters of the tutorials' matrix products
// (03-matrix-multiplication and 09-persistent-matmul).

#include <algorithm>

#include "base/text.hpp"
#include "store/exports.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

int warps_of(const TileConfig& c, const Problem& problem) {
  const FamilyRecord& family = record_of(c.family);
  return family.warps(family.params(workload_of(problem), c, {})).count;
}

std::vector<std::string> unsaid_by_triton(const TileConfig& c) {
  std::vector<std::string> unsaid;
  if (has_key(c.family, "warps")) {
    unsaid.push_back(format("warps={} are {} of any arrangement", to_string(c.sm80.warps),
                            c.sm80.warps.m * c.sm80.warps.n));
    unsaid.push_back(format("smem={}", to_string(c.sm80.smem)));
    return unsaid;
  }
  if (c.cluster != ClusterShape{}) unsaid.push_back(format("cluster={}", to_string(c.cluster)));
  if (c.schedule == KernelSchedule::PingPong) {
    unsaid.push_back("schedule=pingpong: two tiles in turn; num_warps are those of one");
  }
  unsaid.push_back(format("l2_promotion={}", c.l2_promotion_bytes));
  if (c.evict_first.a || c.evict_first.b) {
    unsaid.push_back(format("evict_first={}", to_string(c.evict_first)));
  }
  return unsaid;
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
    std::vector<std::string> unsaid = unsaid_by_triton(c);
    std::vector<int> groups;
    if (const auto walk = same_walk(Stack::Triton, workload_, c)) {
      groups = {walk->factors[0]};
    } else {
      unsaid.push_back(format("raster={}: no GROUP_SIZE_M walks so; the tuner is to try these",
                              to_string(c.raster)));
      groups = {1, 4, 8, 16};
    }
    std::string block;
    for (const int group : groups) block += triton_line(c, group, problem_);
    // Ties may differ only in options that Triton lacks; print the first of them.
    if (lines_.find(block) != std::string::npos) return;
    lines_ += commented({to_string(c)}, "    # ");
    for (const std::string& line : unsaid) {
      lines_ += commented({"not said: " + line}, "    # ");
      say_once(line);
    }
    lines_ += block;
  }

  void say_once(const std::string& line) {
    const auto same = std::find(unsaid_.begin(), unsaid_.end(), line);
    if (same == unsaid_.end()) unsaid_.push_back(line);
  }

  const std::string& lines() const { return lines_; }
  const std::vector<std::string>& unsaid() const { return unsaid_; }

 private:
  const Workload& workload_;
  Problem problem_;
  std::string lines_;
  std::vector<std::string> unsaid_;
};

}  // namespace

Export export_triton(const Dispatched& answer) {
  const TuneEntry& entry = answer.entry;
  const std::optional<MeasuredConfig> given = config_for(Stack::Triton, answer);
  if (!given) return nothing_for(Stack::Triton, entry);
  ConfigList list(entry.problem);
  // config_for() comes first: only a config that is expressed completely has a known time.
  list.add(given->config);
  for (const TileConfig& c : candidates_of(entry)) {
    if (const std::string why = no_kernel(Stack::Triton, entry.problem, c); why.empty()) {
      list.add(c);
    } else {
      list.say_once(format("left out {}: {}", to_string(c), why));
    }
  }
  Export out{.text = "",
             .unsaid = list.unsaid(),
             .instead = instead_of_choice(Stack::Triton, *given, answer)};
  out.text = commented({format("{}, by tilewright: for the kernels of Triton's tutorials 03 and "
                               "09, as @triton.autotune(configs=configs, key=[\"M\", \"N\", "
                               "\"K\"]). {}",
                               to_string(entry.problem), role_text(out, answer))},
                       "# ") +
             commented(lead_lines(answer, given->config == entry.choice), "# ") +
             "import triton\n\nconfigs = [\n" + list.lines() + "]\n";
  return out;
}

}  // namespace tilewright
