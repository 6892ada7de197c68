#include "request/bench_request.hpp"

#include <filesystem>

#include "base/error.hpp"
#include "base/text.hpp"
#include "exchange/vllm_file.hpp"
#include "exchange/vllm_product.hpp"
#include "request/job.hpp"
#include "request/sweep_request.hpp"

namespace tilewright {
namespace {

constexpr ReferenceLibraries kReferences[] = {
    {"cublaslt", "cublas/", "cuBLASLt's algorithms"},
    {"cublas", "", "cuBLAS's and cuBLASLt's algorithms"},
};

// The first products of a large group.
std::string few_of(const std::string& problem) {
  constexpr size_t kMax = 4;
  const std::vector<std::string_view> shapes = split(problem, ',');
  if (shapes.size() <= kMax) return problem;
  const std::vector<std::string> first(shapes.begin(), shapes.begin() + kMax);
  return format("{} and {} more", join(first, ","), shapes.size() - kMax);
}

SweptProduct swept_product(const BenchOptions& o) {
  if (o.configs.empty()) {
    throw usage_error("bench --sweep needs the configs to compare: add --config key=value,...");
  }
  const std::string& name = o.sweep.range->parameter;
  std::string problem = o.problem;
  if (!has_mark(name, {&problem}) &&
      !mark_size(name, {{"m", &problem, 0}, {"n", &problem, 1}, {"k", &problem, 2}})) {
    throw unknown_parameter(name, {"m", "n", "k"});
  }
  const Workload kind = parse_kind(o.kind);
  return {.options = o.sweep,
          .words = format("{}{} {} {}", is_triangular(kind) ? to_string(kind.op) + " " : "",
                          few_of(problem), to_string(kind.kind.dtype), to_string(kind.kind.layout)),
          .workload_at = [problem, name, options = o.kind](int64_t value) {
            std::string text = problem;
            fill_mark(name, value, {&text});
            return read_runnable(read_arguments({text}), options).front();
          }};
}

bool is_parameter_file(const std::string& path) {
  return parse_vllm_file_name(std::filesystem::path(path).filename().string()).has_value();
}

// Gives each harness without values of its own those of the problem's row.
void take_row(const BenchOptions& o, BenchRequest& request) {
  if (request.harnesses.empty() || request.workloads.size() != 1) {
    throw usage_error(
        format("--from '{}' has the launch parameters of a foreign kernel: name one problem, and "
               "the kernel with --harness",
               o.from));
  }
  const VllmFile file = load_vllm_file(o.from);
  const Workload& problem = request.workloads.front();
  const auto [name, m] =
      place_of(problem, file.name.device, {.top_k = o.top_k, .is_down = file.name.is_down});
  if (name != file.name) {
    throw usage_error(format("{} is for {}, and the problem {} is {}", o.from,
                             product_text(file.name), to_string(problem), product_text(name)));
  }
  const VllmRow& row = nearest_row(file, m);
  const auto values = plain_values(row);
  if (!values) {
    throw usage_error(format("{}:{}: {} has parameters that no harness has", o.from, row.line,
                             to_string(row.values)));
  }
  for (HarnessRequest& harness : request.harnesses) {
    if (!harness.values.empty()) continue;
    harness.values = *values;
    harness.text = format("{}:{}", harness.file, to_string(*values));
  }
}

// Foreign kernels run on one problem, and several problems take a config each.
void require_configs(const BenchRequest& request) {
  if (!request.harnesses.empty()) {
    require_one_gpu(request.workloads, "--harness");
    if (is_suite(request)) throw usage_error("bench --harness takes one problem and no --from");
    return;
  }
  if (is_suite(request) && request.configs.size() > 1) {
    throw usage_error(
        "several problems take one --config, or --from best.yaml with an entry for each");
  }
  if (!is_suite(request) && request.configs.empty()) {
    throw usage_error(
        "bench needs the configs to compare: add --config key=value,... or --from best.yaml");
  }
}

}  // namespace

std::vector<std::string_view> reference_library_names() {
  std::vector<std::string_view> names;
  for (const ReferenceLibraries& libraries : kReferences) names.push_back(libraries.option);
  return names;
}

const ReferenceLibraries* parse_references(const std::string& against) {
  for (const ReferenceLibraries& libraries : kReferences) {
    if (libraries.option == against) return &libraries;
  }
  const std::vector<std::string_view> known = reference_library_names();
  throw usage_error(format("--against '{}'{}; it takes {}", against, did_you_mean(against, known),
                           join_words(known, "and")));
}

bool is_suite(const BenchRequest& request) {
  return request.workloads.size() > 1 || !request.from.empty();
}

BenchRequest read_bench(const BenchOptions& o) {
  BenchRequest request;
  std::vector<std::string> harnesses = o.harnesses;
  if (o.sweep.range) {
    request.sweep = swept_product(o);
  } else {
    require_sweep(o.sweep, "schedule");
    const std::vector<ProblemArgument> arguments = read_arguments({o.problem});
    request.workloads = read_runnable(arguments, o.kind);
    if (const std::string named = harness_for("", arguments); harnesses.empty() && !named.empty()) {
      harnesses.push_back(named);
    }
  }
  for (const std::string& text : harnesses) {
    request.harnesses.push_back(parse_harness_request(text));
    require_file(request.harnesses.back());
  }
  for (const std::string& text : o.configs) request.configs.push_back({text, parse_config(text)});
  request.device = o.device;
  if (is_parameter_file(o.from)) {
    take_row(o, request);
  } else {
    if (o.top_k > 0) {
      throw usage_error("--top-k is for --from with a file of experts' parameters: omit it");
    }
    request.from = o.from;
  }
  request.against = o.against;
  request.policy = {.against_reference = request.against != nullptr,
                    .rounds = o.rounds,
                    .seed = kDataSeed,
                    .counters = o.counters,
                    .beside = o.beside};
  if (request.against != nullptr) request.policy.left_out = request.against->left_out;
  request.regime = o.regime;
  request.shared = o.shared;
  if (request.policy.beside) require_one_gpu(request.workloads, "--beside");
  if (!request.sweep) require_configs(request);
  return request;
}

}  // namespace tilewright
