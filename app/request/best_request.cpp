#include "request/best_request.hpp"

#include <iterator>

#include "base/error.hpp"
#include "base/text.hpp"
#include "request/job.hpp"

namespace tilewright {
namespace {

void require_folder(const BestOptions& o) {
  if (o.output.empty()) {
    throw usage_error("--export vllm writes files: name a folder with -o FOLDER");
  }
  if (o.pin || !o.among.empty() || o.race > 0) {
    throw usage_error("--export vllm takes no --pin, no --among and no --race: omit them");
  }
  if (o.is_down && o.top_k == 0) throw usage_error("--down is for groups: add --top-k");
}

void require_race(const BestOptions& o) {
  if (o.race == 0) {
    if (o.device != BestSettings{}.device) throw usage_error("--device is for --race: omit it");
    return;
  }
  if (!o.among.empty()) throw usage_error("--race writes to the file of --from: omit --among");
  if (!o.config.empty()) throw usage_error("--race chooses a config: omit --config");
  if (o.from == "-") throw usage_error("--race writes to a file: give its name with --from");
}

void require_lookup(const BestOptions& o) {
  if (!o.output.empty()) throw usage_error("-o is for --export vllm, which writes files");
  if (o.top_k > 0 || o.is_down) {
    throw usage_error("--top-k and --down are for --export vllm: omit them");
  }
  if (!o.config.empty() && !o.pin) throw usage_error("--config needs --pin");
  require_race(o);
  if (!o.pin) return;
  if (!o.among.empty()) throw usage_error("--pin writes to the file of --from: omit --among");
  if (o.from == "-") throw usage_error("--pin writes to a file: give its name with --from");
}

}  // namespace

BestExport parse_best_export(const std::string& name) {
  for (size_t i = 0; i < std::size(kExports); ++i) {
    if (name == kExports[i]) return static_cast<BestExport>(i);
  }
  throw usage_error(format("unknown export '{}'{}; --export takes {}", name,
                           did_you_mean(name, kExports), join_words(kExports, "and")));
}

BestRequest read_best(const BestOptions& o) {
  BestRequest request;
  static_cast<BestSettings&>(request) = o;
  if (o.export_as == BestExport::Vllm) {
    require_folder(o);
    request.products = read_runnable(read_arguments({o.problem}), o.kind);
    return request;
  }
  require_lookup(o);
  request.products = {read_runnable_one(read_problem_argument(o.problem), o.kind)};
  if (!o.config.empty()) request.config = parse_config(o.config);
  return request;
}

}  // namespace tilewright
