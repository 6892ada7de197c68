#include "gpu/contenders/device_kernels.hpp"

#include "base/text.hpp"
#include "gpu/compile/parallel_compiler.hpp"
#include "tile/config/definition_text.hpp"
#include "tile/config/tile_config.hpp"

namespace tilewright {
namespace {

constexpr LaunchShape kWide{.ctas = 1024, .threads = 256};
constexpr LaunchShape kWider{.ctas = 4096, .threads = 256};

template <class Args>
void launch_with(const LoadedKernel& kernel, LaunchShape shape, const Args& args) {
  Args copy = args;
  void* arguments[] = {&copy};
  kernel.launch(shape, arguments, nullptr);
}

std::string config_header(DataType dtype, DataType output) {
  const auto define = [](const char* name, DataType type) {
    return definition_text("sm90/params.cuh", "tw::ElementType", name, type);
  };
  return define("kElement", dtype) + define("kOutput", output);
}

void fill(const LoadedKernel& kernel, void* data, int64_t count, uint64_t seed) {
  auto elements = static_cast<long long>(count);
  auto start = static_cast<unsigned long long>(seed);
  void* arguments[] = {&data, &elements, &start};
  kernel.launch(kWide, arguments, nullptr);
}

}  // namespace

KernelSource verification_source(DataType dtype, DataType output) {
  return {.file = "tools/verify.cu", .config_header = config_header(dtype, output)};
}

DeviceKernels::DeviceKernels(DataType dtype, DataType output, const std::string& architecture,
                             const CubinCache& cache)
    : DeviceKernels(
          build_cubin(verification_source(dtype, output), architecture, cache),
          build_cubin({.file = "tools/delay.cu", .config_header = ""}, architecture, cache)) {}

DeviceKernels::DeviceKernels(const std::string& verify_cubin, const std::string& delay_cubin)
    : fill_operand_(verify_cubin, "fill_operand"),
      fill_addend_(verify_cubin, "fill_addend"),
      reference_(verify_cubin, "reference_lines"),
      compare_(verify_cubin, "compare_lines"),
      samples_(verify_cubin, "compare_samples"),
      norms_(verify_cubin, "line_norms"),
      columns_(verify_cubin, "signed_columns"),
      expected_(verify_cubin, "expected_sums"),
      sums_(verify_cubin, "check_sums"),
      checksum_(verify_cubin, "checksum"),
      poison_(verify_cubin, "count_poison"),
      largest_(verify_cubin, "largest_element"),
      round_(verify_cubin, "round_maximum"),
      delay_(delay_cubin, "delay"),
      hold_(delay_cubin, "hold") {}

void DeviceKernels::fill_operand(void* data, int64_t count, uint64_t seed) const {
  fill(fill_operand_, data, count, seed);
}

void DeviceKernels::fill_addend(void* data, int64_t count, uint64_t seed) const {
  fill(fill_addend_, data, count, seed);
}

void DeviceKernels::reference_lines(const tw::ReferenceArgs& args) const {
  launch_with(reference_, kWider, args);
}

void DeviceKernels::compare_lines(const tw::CompareArgs& args) const {
  launch_with(compare_, kWide, args);
}

void DeviceKernels::compare_samples(const tw::SampleArgs& args) const {
  launch_with(samples_, kWider, args);
}

void DeviceKernels::line_norms(const tw::NormArgs& args) const {
  launch_with(norms_, kWide, args);
}

void DeviceKernels::signed_columns(const tw::SignedColumnsArgs& args) const {
  launch_with(columns_, kWider, args);
}

void DeviceKernels::expected_sums(const tw::ExpectedSumsArgs& args) const {
  launch_with(expected_, kWider, args);
}

void DeviceKernels::check_sums(const tw::CheckSumsArgs& args) const {
  launch_with(sums_, kWider, args);
}

void DeviceKernels::checksum(const void* data, int64_t count, unsigned long long* sum) const {
  auto elements = static_cast<long long>(count);
  void* arguments[] = {&data, &elements, &sum};
  checksum_.launch(kWide, arguments, nullptr);
}

void DeviceKernels::count_poison(const tw::PoisonArgs& args) const {
  launch_with(poison_, kWide, args);
}

void DeviceKernels::largest_element(const tw::PoisonArgs& args) const {
  launch_with(largest_, kWide, args);
}

void DeviceKernels::round_maximum(const tw::OutputScaling* scaling, bool scaled,
                                  unsigned* rounded) const {
  void* arguments[] = {&scaling, &scaled, &rounded};
  round_.launch({.ctas = 1, .threads = 1}, arguments, nullptr);
}

void DeviceKernels::delay(uint64_t nanoseconds, cudaStream_t stream) const {
  auto time = static_cast<unsigned long long>(nanoseconds);
  void* arguments[] = {&time};
  delay_.launch({.ctas = 1, .threads = 1}, arguments, stream);
}

void DeviceKernels::hold(const unsigned* released, uint64_t most_ns) const {
  auto time = static_cast<unsigned long long>(most_ns);
  void* arguments[] = {&released, &time};
  hold_.launch({.ctas = 1, .threads = 1}, arguments, nullptr);
}

}  // namespace tilewright
