// Prints a sample of the model, a config a line: class,half,MxNxK,"config"; with `kinds` that of
// block scales and epilogues, and a fifth column with bench's options.
#include <cstdio>
#include <string>
#include <string_view>

#include "support/kind_sample.hpp"
#include "support/model_sample.hpp"

namespace {

using namespace tilewright;
using namespace tilewright::testing;

void print(std::string_view name, bool held_out, const GemmShape& shape, const TileConfig& config,
           const std::string& flags) {
  std::printf("%s,%s,%lldx%lldx%lld,\"%s\"%s%s\n", std::string(name).c_str(),
              held_out ? "held out" : "fit", static_cast<long long>(shape.m),
              static_cast<long long>(shape.n), static_cast<long long>(shape.k),
              to_string(config).c_str(), flags.empty() ? "" : ",", flags.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "kinds") {
    for (const KindShape& s : kind_sample()) {
      for (const TileConfig& config : s.configs) {
        print(s.kind->name, s.held_out, s.problem.shape, config, flags_of(*s.kind));
      }
    }
    return 0;
  }
  ModelSample sample(argc > 1 ? std::stoull(argv[1]) : kModelSeed);
  for (const SampledShape& s : sample.shapes()) {
    for (const TileConfig& config : sample.configs(s.shape)) {
      print(s.shape_class, s.held_out, s.shape, config, {});
    }
  }
}
