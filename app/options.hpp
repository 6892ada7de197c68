// What each verb was asked for; cli.cpp fills these, the verbs read them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "console.hpp"

namespace tilewright {

/// `analyze grid` and, with `output`, `draw grid`.
struct GridOptions {
  std::string grid;  // MxN in tiles
  std::string raster = "row";
  bool order = false;
  std::string device;  // empty: no device columns
  std::string cta;     // MxNxK, with a device
  int64_t k = 0;       // elements, with a device
  std::string dtype = "bf16";
  std::string cluster = "1x1";
  int64_t ctas = 0;  // persistent CTAs; 0: one a multiprocessor
  std::vector<std::string> checks;
  Format format = Format::Text;
  std::string output;  // draw: FILE.{svg,png,pdf}
};

struct ScheduleOptions {
  std::string problem;  // MxNxK[,MxNxK...]
  std::string op = "gemm";
  std::string uplo = "lower";
  std::string cta;
  std::string device = "auto";
  std::string dtype = "bf16";
  std::string cluster = "1x1";
  std::string raster = "row";
  std::string decomposition = "data-parallel";
  std::string group_schedule = "device-only";
  std::string problem_order = "given";
  std::string emulate;  // empty: nobody
  bool plain = false;
  int64_t ctas = 0;  // 0: one a multiprocessor
  bool assignments = false;
  std::vector<std::string> checks;
  Format format = Format::Text;
};

struct TuneOptions {
  std::vector<std::string> problems;  // MxNxK or @FILE.yaml
  std::string device = "auto";
  std::string dtype = "bf16";
  std::string output;  // best.yaml; empty: none
  std::string config;  // keys that every candidate must have
  bool dry_run = false;
  bool counters = true;
  int64_t top = 5;     // rows of the printed table a problem
  int64_t rounds = 0;  // of the final comparison; 0: chosen by the kernel's length
  uint64_t seed = 1;
  Format format = Format::Text;
};

struct BenchOptions {
  std::string problem;
  std::string device = "auto";
  std::string dtype = "bf16";
  std::vector<std::string> configs;
  std::string against;  // empty or "cublaslt"
  int64_t rounds = 0;
  Format format = Format::Text;
};

struct ProfileOptions {
  std::string problem;
  std::string device = "auto";
  std::string dtype = "bf16";
  std::string config;
  std::string trace;  // JSON file of the kernel's own trace; empty: none
  Format format = Format::Text;
};

struct BestOptions {
  std::string problem;
  std::string dtype = "bf16";
  std::string from = "best.yaml";
  std::string export_format = "config";  // config, yaml or json
};

struct GateOptions {
  std::string suite;
  std::string baseline;
  bool update = false;
  std::string mode = "auto";  // auto, static or gpu
  std::string device = "auto";
  std::string from;   // best.yaml with the tuned configs; empty: the suite's own
  std::string junit;  // XML file; empty: none
  double threshold_pct = 2.0;
  int64_t rounds = 0;
  Format format = Format::Text;
};

struct DeviceOptions {
  std::string name = "auto";
  Format format = Format::Text;
};

}  // namespace tilewright
