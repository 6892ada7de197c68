// A shipped folder, as `ship` writes it for tuned answers.
//
//   lib/libNAME.so   include/NAME.h   src/   python/   README.md   example.c   test.py   bench.py
//   NOTICE   MANIFEST
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "answer/answer_table.hpp"
#include "tile/config/kernel_source.hpp"

namespace tilewright {

/// A program of the shipped kernels.
struct ShippedProgram {
  uint64_t id = 0;
  KernelSource source;
  std::string config;  // of the first kernel that uses the program
  std::string cubin = {};
};

/// The programs of all kernels of a table, each once, without machine code.
std::vector<ShippedProgram> programs_of(const AnswerTable& table);

struct Shipment {
  std::string name;
  std::string license;  // an SPDX licence expression; empty: none is named
  AnswerTable table;
  std::vector<ShippedProgram> programs;  // with machine code
};

/// Bytes that a program adds to the library.
int64_t packed_bytes(const ShippedProgram& program);

/// Path and content of every file of the folder. The library is made from `template_image`.
std::map<std::string, std::string> shipped_files(const Shipment& shipment,
                                                 std::string_view template_image);

}  // namespace tilewright
