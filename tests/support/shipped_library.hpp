// Writes a library as `ship` does, and loads it.
#pragma once

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "serve/api.h"
#include "ship/shipment.hpp"
#include "support/shipped_table.hpp"
#include "support/temporary_folder.hpp"

namespace tilewright::testing {

/// Compiles programs, in order.
using ProgramCompiler = std::function<std::vector<std::string>(const std::vector<KernelSource>&)>;

/// The library of a table, in its own folder. Without `compile` it has no kernels, but it still
/// answers.
class ShippedLibrary {
 public:
  ShippedLibrary(AnswerTable table, const std::string& name, const ProgramCompiler& compile = {})
      : name_(name) {
    Shipment shipment{.name = name, .license = "", .table = std::move(table), .programs = {}};
    shipment.programs = programs_of(shipment.table);
    if (compile) {
      std::vector<KernelSource> sources;
      for (const ShippedProgram& program : shipment.programs) sources.push_back(program.source);
      std::vector<std::string> cubins = compile(sources);
      for (size_t i = 0; i < cubins.size(); ++i) shipment.programs[i].cubin = std::move(cubins[i]);
    }
    const std::filesystem::path image = program_folder() / "tilewright_library.so";
    constexpr int64_t kMaxBytes = int64_t{64} << 20;
    path_ = folder_.path() / ("lib" + name + ".so");
    write_file(path_,
               shipped_files(shipment, read_file(image, kMaxBytes)).at("lib/lib" + name + ".so"));
    handle_.reset(dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL));
    REQUIRE_MESSAGE(handle_, dlerror());
  }

  const std::filesystem::path& path() const { return path_; }
  static shipped_call default_call() { return shipped_default_call(); }
  int prepare(int device) const { return function<int(int)>("prepare")(device); }
  int gemm(const shipped_call& call) const { return gemm_function()(&call); }
  /// The function itself, for calls without overhead.
  auto gemm_function() const -> int (*)(const shipped_call*) {
    return function<int(const shipped_call*)>("gemm");
  }
  int grouped_gemm(const shipped_call& call) const { return run("grouped_gemm", call); }
  int rank_k(const shipped_call& call) const { return run("rank_k", call); }
  /// Calls the function for the call's operation.
  int launch(const shipped_call& call) const {
    return run(call.op != SHIPPED_GEMM ? "rank_k"
               : call.groups > 0       ? "grouped_gemm"
                                       : "gemm",
               call);
  }
  int workspace(const shipped_call& call, uint64_t& bytes, uint64_t& alignment) const {
    return function<int(const shipped_call*, uint64_t*, uint64_t*)>("workspace")(&call, &bytes,
                                                                                 &alignment);
  }
  /// The source of the answer, or the error if there is none.
  std::string why(const shipped_call& call) const {
    std::string text(1024, '\0');
    const auto ask = function<int(const shipped_call*, char*, uint64_t)>("why");
    if (ask(&call, text.data(), text.size()) != SHIPPED_GOOD) return error();
    return text.c_str();
  }
  std::string error() const { return function<const char*()>("error")(); }

  /// NAME_suffix.
  template <class Signature>
  Signature* function(const std::string& suffix) const {
    void* const found = dlsym(handle_.get(), (name_ + "_" + suffix).c_str());
    REQUIRE_MESSAGE(found != nullptr, suffix);
    return reinterpret_cast<Signature*>(found);
  }

 private:
  struct Close {
    void operator()(void* handle) const { dlclose(handle); }
  };

  int run(const char* suffix, const shipped_call& call) const {
    return function<int(const shipped_call*)>(suffix)(&call);
  }

  std::string name_;
  TemporaryFolder folder_;
  std::filesystem::path path_;
  std::unique_ptr<void, Close> handle_;
};

/// Completes `call` for a workload with contiguous rows and without addresses; `rows` holds the
/// arrays to which it points.
inline shipped_call call_of(shipped_call call, const Workload& w, std::vector<int64_t>& rows) {
  call.op = static_cast<int32_t>(w.op);
  call.type = static_cast<int32_t>(w.kind.dtype);
  call.out_type = static_cast<int32_t>(output_type(w.kind));
  call.layout = static_cast<int32_t>(w.kind.layout);
  call.uplo = static_cast<int32_t>(w.uplo);
  call.m = total_rows(w);
  call.n = w.shapes.front().n;
  call.k = w.shapes.front().k;
  if (is_across_gpus(w)) {
    const GemmShape whole = whole_of(w.shapes.front(), w.parallel);
    call.n = whole.n;
    call.k = whole.k;
    call.parallel = static_cast<int32_t>(w.parallel.collective);
    call.gpus = w.parallel.gpus;
  }
  call.alpha = w.kind.epilogue.alpha;
  call.beta = w.kind.epilogue.beta;
  const Epilogue& e = w.kind.epilogue;
  call.activation = static_cast<int32_t>(e.activation);
  const auto form_of = [](OperandScale scale) {
    return scale == OperandScale::None ? 0 : static_cast<int32_t>(scale) - 1;
  };
  call.scale_a_form = form_of(e.scale_a);
  call.scale_b_form = form_of(e.scale_b);
  call.accumulation = static_cast<int32_t>(w.kind.accumulation);
  call.bias_along_m = e.row_bias ? 1 : 0;
  call.stacked = e.stacked ? 1 : 0;
  call.uses_scale_d = e.scale_d ? 1 : 0;
  call.takes_absmax = e.absmax ? 1 : 0;
  rows.clear();
  for (const GemmShape& shape : w.shapes) rows.push_back(shape.m);
  if (is_group(w)) {
    call.groups = static_cast<int64_t>(rows.size());
    call.group_rows = rows.data();
  }
  return call;
}

inline shipped_call call_of(const ShippedLibrary& library, const Workload& w,
                            std::vector<int64_t>& rows) {
  return call_of(library.default_call(), w, rows);
}

}  // namespace tilewright::testing
