// Prints the model's sample, a config a line: class,half,MxNxK,"config".
#include <cstdio>
#include <string>

#include "support/model_sample.hpp"

int main(int argc, char** argv) {
  using namespace tilewright;
  using namespace tilewright::testing;
  ModelSample sample(argc > 1 ? std::stoull(argv[1]) : kModelSeed);
  for (const SampledShape& s : sample.shapes()) {
    for (const TileConfig& config : sample.configs(s.shape)) {
      std::printf("%s,%s,%lldx%lldx%lld,\"%s\"\n", std::string(s.shape_class).c_str(),
                  s.held_out ? "held out" : "fit", static_cast<long long>(s.shape.m),
                  static_cast<long long>(s.shape.n), static_cast<long long>(s.shape.k),
                  to_string(config).c_str());
    }
  }
}
