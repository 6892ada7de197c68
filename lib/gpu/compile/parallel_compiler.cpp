#include "gpu/compile/parallel_compiler.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <mutex>
#include <thread>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"
#include "gpu/compile/nvrtc.hpp"

namespace tilewright {
namespace {

std::string first_error_line(std::string_view log) {
  for (const std::string_view line : split(log, '\n')) {
    if (line.find("error") != std::string_view::npos ||
        line.find("fatal") != std::string_view::npos) {
      return std::string(trim(line));
    }
  }
  return "the compiler failed without a message";
}

BuiltKernel build_one(const KernelSource& source, const std::string& identity,
                      const std::string& architecture, const CubinCache& cache) {
  BuiltKernel built;
  if (std::optional<CompiledKernel> cached = cache.find(identity)) {
    built.kernel = std::move(*cached);
    built.result.cached = true;
  } else {
    built.kernel = compile(source, architecture);
    cache.store(identity, built.kernel);
  }
  const CompilerLog log = parse_compiler_log(built.kernel.log);
  built.result.registers = log.registers;
  built.result.spill_bytes = log.spill_bytes;
  built.result.reason =
      built.kernel.cubin.empty() ? first_error_line(built.kernel.log) : reason_to_reject(log);
  return built;
}

// Runs work(0) .. work(count - 1) on all cores; rethrows the first exception.
template <class Work>
void for_each_in_parallel(size_t count, const Work& work) {
  std::atomic<size_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto run = [&] {
    for (size_t i = next++; i < count; i = next++) {
      try {
        throw_if_interrupted();
        work(i);
      } catch (...) {
        const std::lock_guard lock(failure_mutex);
        if (!failure) failure = std::current_exception();
      }
    }
  };
  const size_t cores = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::jthread> threads;
  for (size_t t = 1; t < std::min(cores, count); ++t) threads.emplace_back(run);
  run();
  threads.clear();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

std::vector<BuiltKernel> build_kernels(std::span<const KernelSource> sources,
                                       const std::string& architecture, const CubinCache& cache) {
  std::vector<std::string> identities;
  std::map<std::string, size_t> distinct;  // identity to the first source that has it
  for (const KernelSource& source : sources) {
    identities.push_back(compilation_identity(source, architecture));
    distinct.emplace(identities.back(), identities.size() - 1);
  }
  std::vector<size_t> work;
  work.reserve(distinct.size());
  for (const auto& [identity, index] : distinct) work.push_back(index);
  std::vector<BuiltKernel> built(sources.size());
  for_each_in_parallel(work.size(), [&](size_t i) {
    const size_t at = work[i];
    built[at] = build_one(sources[at], identities[at], architecture, cache);
  });
  const bool is_new =
      std::any_of(work.begin(), work.end(), [&](size_t at) { return !built[at].result.cached; });
  if (is_new) cache.trim();
  for (size_t i = 0; i < sources.size(); ++i) {
    const size_t first = distinct[identities[i]];
    if (first != i) built[i] = built[first];
  }
  return built;
}

std::string build_cubin(const KernelSource& source, const std::string& architecture,
                        const CubinCache& cache) {
  BuiltKernel built = std::move(build_kernels({&source, 1}, architecture, cache).front());
  if (built.kernel.cubin.empty()) {
    throw internal_error(format("{} does not compile: {}", source.file, built.result.reason));
  }
  return std::move(built.kernel.cubin);
}

}  // namespace tilewright
