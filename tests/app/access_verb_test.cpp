#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "app/outcome.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "record/document.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

using testing::Outcome;

Outcome run(const AccessOptions& options) {
  return testing::outcome_of([&](Console& console) {
    return print(run_analyze_access(read_access_request(options)), options.format, console);
  });
}

// Addresses of lanes 0 to 31, `step` bytes apart.
std::string stride(int step) {
  std::vector<std::string> addresses;
  for (int lane = 0; lane < 32; ++lane) addresses.push_back(std::to_string(lane * step));
  return join(addresses, ",");
}

AccessOptions asked(const std::string& op, const std::string& addresses) {
  AccessOptions options;
  options.op = parse_access_op(op);
  options.addresses = addresses;
  return options;
}

TEST_CASE("the JSON has the contract's keys") {
  AccessOptions options = asked("ld.b32", stride(8));
  options.format = Format::Json;
  const auto json = Document::parse(run(options).out);
  REQUIRE(json["accesses"].size() == 1);
  const auto access = json["accesses"][0];
  CHECK(access["op"] == "ld.b32");
  CHECK(access["wavefronts"] == 2);
  CHECK(access["ideal"] == 1);
  CHECK(access["conflicts"] == 1);
  REQUIRE(access["phases"].size() == 1);
  CHECK(access["phases"][0]["bank"] == 0);
  CHECK(access["phases"][0]["words"] == 2);
  CHECK(access["phases"][0]["lanes"] == Document{0, 16});
  options.space = MemorySpace::Global;
  const auto global = Document::parse(run(options).out)["accesses"][0];
  CHECK(global["sectors"] == 8);
  CHECK(global["lines"] == 2);
  CHECK(global["efficiency"] == 0.5);
}

TEST_CASE("the text names colliding lanes and their bank; --show prints the words of each bank") {
  CHECK(run(asked("ld.b32", stride(8))).out ==
        "ld.b32: 2 wavefronts, ideal 1, 1 conflicts\n  lanes 0-31: 2 wavefronts: lanes 0,16 access "
        "2 words of bank 0\n");
  AccessOptions options = asked("ld.b32", stride(8));
  options.show = true;
  CHECK(run(options).out.find("2.2.2.2.2.2.2.2.2.2.2.2.2.2.2.2.  2\n") != std::string::npos);
}

TEST_CASE("a check fails when one access of the file violates it") {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("accesses" + std::to_string(getpid()) + ".csv");
  write_file(path, stride(4) + "\n" + stride(8) + "\n");
  AccessOptions options = asked("ld.b32", "");
  options.file = path.string();
  options.checks = parse_checks({"wavefronts<=1", "ideal==1"});
  const Outcome outcome = run(options);
  std::filesystem::remove(path);
  CHECK(outcome.code == ExitCode::No);
  CHECK(outcome.err.find("access 1: ") != std::string::npos);
  CHECK(outcome.err.find("access 0: ") == std::string::npos);
}

TEST_CASE("bad requests are usage errors without output") {
  AccessOptions both = asked("ld.b32", stride(4));
  both.file = "x.csv";
  AccessOptions unknown = asked("ld.b32", stride(4));
  unknown.checks = parse_checks({"wavefront<2"});
  for (const AccessOptions& options :
       {both, unknown, asked("ld.b32", ""), asked("ld.v4", stride(4))}) {
    const Outcome outcome = run(options);
    CHECK(outcome.code == ExitCode::Usage);
    CHECK(outcome.out.empty());
    CHECK(!outcome.err.empty());
  }
}

}  // namespace
}  // namespace tilewright
