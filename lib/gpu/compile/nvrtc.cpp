#include "gpu/compile/nvrtc.hpp"

#include <cctype>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"
#include "gpu/compile/embedded_kernels.hpp"
#include "gpu/compile/library_check.hpp"

namespace tilewright {

namespace {

const EmbeddedFile& embedded(std::string_view path) {
  for (const EmbeddedFile& file : embedded_kernels()) {
    if (std::string_view(file.path) == path) return file;
  }
  throw internal_error(format("no embedded kernel file '{}'", path));
}

// Destroys the program on every way out.
class Program {
 public:
  explicit Program(const KernelSource& source) {
    std::vector<const char*> names{"config.cuh"};
    std::vector<const char*> texts{source.config_header.c_str()};
    for (const EmbeddedFile& file : embedded_kernels()) {
      names.push_back(file.path);
      texts.push_back(file.text);
    }
    TW_CHECK(nvrtcCreateProgram(&program_, embedded(source.file).text, source.file.c_str(),
                                static_cast<int>(names.size()), texts.data(), names.data()));
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() { nvrtcDestroyProgram(&program_); }

  nvrtcProgram get() const { return program_; }

 private:
  nvrtcProgram program_ = nullptr;
};

std::string program_log(nvrtcProgram program) {
  size_t size = 0;
  TW_CHECK(nvrtcGetProgramLogSize(program, &size));
  std::string log(size, '\0');
  TW_CHECK(nvrtcGetProgramLog(program, log.data()));
  while (!log.empty() && log.back() == '\0') log.pop_back();
  return log;
}

// A digest of all headers that a program may include.
const std::string& kernels_digest() {
  static const std::string digest = [] {
    std::string text;
    for (const EmbeddedFile& file : embedded_kernels()) {
      text += format("{}\n{}\n", file.path, file.text);
    }
    return hash_text(text);
  }();
  return digest;
}

// The whole number that ends right before `words`, if the line has them.
std::optional<int> number_before(std::string_view line, std::string_view words) {
  const size_t at = line.find(words);
  if (at == std::string_view::npos) return std::nullopt;
  size_t begin = at;
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(line[begin - 1])) != 0) --begin;
  const std::optional<int64_t> value = parse_count(line.substr(begin, at - begin));
  if (!value) return std::nullopt;
  return static_cast<int>(*value);
}

bool is_kernel_warning(std::string_view line) {
  const size_t at = line.find("(C7");
  return at != std::string_view::npos && line.size() > at + 6 && line[at + 6] == ')';
}

}  // namespace

std::string compiler_version() {
  int major = 0;
  int minor = 0;
  TW_CHECK(nvrtcVersion(&major, &minor));
  return format("{}.{}", major, minor);
}

std::vector<std::string> compiler_options(const std::string& architecture) {
  return {"--gpu-architecture=" + architecture, "-std=c++20", "-default-device",
          "--ptxas-options=-v"};
}

std::string compilation_identity(const KernelSource& source, const std::string& architecture) {
  std::string identity = compiler_version() + '\n' + source.file + '\n' + source.config_header;
  for (const std::string& option : compiler_options(architecture)) identity += option + '\n';
  return identity + "kernels " + kernels_digest();
}

CompiledKernel compile(const KernelSource& source, const std::string& architecture) {
  const Program program(source);
  const std::vector<std::string> options = compiler_options(architecture);
  std::vector<const char*> arguments;
  arguments.reserve(options.size());
  for (const std::string& option : options) arguments.push_back(option.c_str());
  const nvrtcResult result =
      nvrtcCompileProgram(program.get(), static_cast<int>(arguments.size()), arguments.data());
  CompiledKernel kernel{.cubin = {}, .log = program_log(program.get())};
  if (result == NVRTC_ERROR_COMPILATION) return kernel;
  TW_CHECK(result);
  size_t size = 0;
  TW_CHECK(nvrtcGetCUBINSize(program.get(), &size));
  kernel.cubin.resize(size);
  TW_CHECK(nvrtcGetCUBIN(program.get(), kernel.cubin.data()));
  return kernel;
}

CompilerLog parse_compiler_log(std::string_view log) {
  CompilerLog result;
  for (const std::string_view line : split(log, '\n')) {
    if (const auto registers = number_before(line, " registers")) result.registers = *registers;
    if (const auto stores = number_before(line, " bytes spill stores")) {
      result.spill_bytes += *stores;
    }
    if (const auto loads = number_before(line, " bytes spill loads")) result.spill_bytes += *loads;
    if (result.warning.empty() && is_kernel_warning(line)) result.warning = trim(line);
  }
  return result;
}

std::string reason_to_reject(const CompilerLog& log) {
  if (!log.warning.empty()) return log.warning;
  if (log.spill_bytes > 0) return format("spills {} bytes a thread", log.spill_bytes);
  return {};
}

}  // namespace tilewright
