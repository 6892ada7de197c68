// `record`: runs a program and lists the products that it computes with cuBLAS.

#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "capture/call_table_file.hpp"
#include "capture/captured_products.hpp"
#include "host/child_program.hpp"
#include "host/output_files.hpp"
#include "store/problems.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

constexpr const char* kShim = "tilewright_record.so";

std::string counted(int64_t count, const char* noun) {
  return format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// The path of the shim, which LD_PRELOAD can take.
std::string find_shim() {
  const std::filesystem::path shim = program_folder() / kShim;
  std::error_code ignored;
  if (!std::filesystem::exists(shim, ignored)) {
    throw environment_error(format(
        "{} is missing: record needs this library, which lies beside the program; install it again",
        shim.string()));
  }
  if (shim.string().find_first_of(": ") != std::string::npos) {
    throw environment_error(
        format("{}: LD_PRELOAD takes no path with a blank or a colon; install tilewright elsewhere",
               shim.string()));
  }
  return shim.string();
}

// What the shim needs in the environment; libraries that are preloaded already stay.
std::vector<std::string> shim_variables(const std::string& table) {
  const char* const others = std::getenv("LD_PRELOAD");
  const std::string behind = others != nullptr && *others != '\0' ? format(":{}", others) : "";
  return {format("LD_PRELOAD={}{}", find_shim(), behind),
          format("{}={}", kCallTableVariable, table)};
}

// Why nothing was counted, as far as the table shows.
std::string why_nothing(const CallTable& table, const CapturedProducts& found) {
  if (!found.skipped.empty()) return "none of its products is one that tilewright runs";
  if (table.process_count.load() == 0) {
    return "it did not load the shim, because it is linked statically or runs with more rights";
  }
  return format(
      "{} loaded the shim, and none called a product of cuBLAS: there was none to compute, cuBLAS "
      "is linked statically, or the kernels are others",
      counted(static_cast<int64_t>(table.process_count.load()), "process"));
}

std::vector<std::string> notes_on(const CapturedProducts& found, const std::string& name) {
  std::vector<std::string> notes;
  for (const SkippedCalls& one : found.skipped) {
    notes.push_back(format("skipped {}: {}", counted(one.calls, "call"), one.reason));
  }
  if (found.pitched_calls > 0) {
    notes.push_back(format("{} had rows or matrices with gaps between them; {} has them without",
                           counted(found.pitched_calls, "call"), name));
  }
  if (found.on_device_calls > 0) {
    notes.push_back(format("{} had alpha and beta on the GPU; {} takes them for 1 and 0",
                           counted(found.on_device_calls, "call"), name));
  }
  return notes;
}

int64_t calls_of(const CapturedProducts& found) {
  int64_t calls = 0;
  for (const CountedWorkload& one : found.products) calls += one.calls;
  return calls;
}

}  // namespace

Report run_record(const RecordOptions& options) {
  if (options.command.empty() == options.behind.empty()) {
    throw usage_error("record runs one program: write it and its arguments after --");
  }
  const std::vector<std::string>& words = options.behind.empty() ? options.command : options.behind;
  require_own_schema({"-o", options.output}, "a file of problems", "tilewright.problems/");
  CallTableFile file;
  const std::string& command = words.front();
  const ChildEnd end = run_program(words, shim_variables(file.path()), options.output == "-");
  if (!end.output.empty()) throw usage_error(format("cannot run '{}': {}", command, end.output));
  const CapturedProducts found = captured_products(file.table());
  Report report{.notes = notes_on(found, options.output)};
  report.code = static_cast<ExitCode>(end.code);  // the command's
  if (end.code != 0)
    report.notes.push_back(format("{} ended with exit code {}", command, end.code));
  if (found.products.empty()) {
    report.notes.push_back(
        format("{}: no product was recorded: {}", command, why_nothing(file.table(), found)));
    if (end.code == 0) report.code = ExitCode::No;
    return report;
  }
  write_file(options.output,
             problems_yaml(found.products,
                           format("Products of {}, as record counted them.", join(words, " "))));
  if (options.output != "-") {
    report.notes.push_back(format("wrote {}: {} of {}", options.output,
                                  counted(std::ssize(found.products), "product"),
                                  counted(calls_of(found), "call")));
  }
  return report;
}

}  // namespace tilewright
