// Parses the workloads that users name: one product, a group, or a file with a list of them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tile/workload/counted_workload.hpp"
#include "tile/workload/problem.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// "MxNxK", several with commas for one group, or "@FILE.yaml" (first a plain path, then a file in
/// the presets folder) with the file's content: a pipe delivers it only once.
struct ProblemArgument {
  std::string text;          // as the user wrote it
  std::string file = {};     // its path; empty: no file
  std::string content = {};  // of the file
};

/// Reads the file of "@FILE.yaml". Throws a usage error.
ProblemArgument read_problem_argument(std::string_view text);

/// The workloads of the argument. `kind` gives the types, layout and operation that it leaves out;
/// its shapes are ignored. Throws a usage error.
std::vector<Workload> workloads_of(const ProblemArgument& argument, const Workload& kind);

/// The key `harness` of the argument's file: the foreign kernel, FILE[:axis=value,...], that tune,
/// bench and profile run its problems with. Empty if there is none. Throws a usage error.
std::string harness_of(const ProblemArgument& argument);

inline constexpr std::string_view kProblemsSchema = "tilewright.problems/1";

/// Reads a list of workloads, schema `tilewright.problems/1`, each "MxNxK" or a map with `problem`
/// or `group`, a list; `source` is the file's name in messages. Throws a usage error.
std::vector<Workload> parse_workload_file(std::string_view text, const std::string& source,
                                          const Workload& kind);
/// The same with the key `calls` of each map: how often a program ran the workload.
std::vector<CountedWorkload> parse_counted_file(std::string_view text, const std::string& source,
                                                const Workload& kind);

/// A file that parse_counted_file() reads back; `about` describes it to people.
std::string problems_yaml(const std::vector<CountedWorkload>& workloads, const std::string& about);

}  // namespace tilewright
