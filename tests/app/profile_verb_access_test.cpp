#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "app/fake_device.hpp"
#include "app/outcome.hpp"
#include "record/document.hpp"
#include "support/fake_backend.hpp"
#include "verbs/profile_verb.hpp"
#include "verbs/subjects.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

using testing::Outcome;

Outcome run_access_profile(const AccessOptions& options, const ResolvedDevice& device) {
  return testing::printed(options.format, [&](Console&) {
    return profile_accesses(read_accesses(options), options.checks, device);
  });
}

AccessOptions column_of_rows() {
  AccessOptions options;
  options.op = parse_access_op("ldmatrix.x1");
  options.addresses = "0,128,256,384,512,640,768,896";
  return options;
}

ResolvedDevice gpu_that_counts(double wavefronts) {
  auto backend = std::make_shared<testing::FakeBackend>(std::vector<DeviceSpec>{testing::h200()});
  backend->probe = [wavefronts](const WarpAccess&) { return wavefronts; };
  return {.spec = testing::h200(), .gpu_index = 0, .backend = backend, .why_no_gpu = ""};
}

TEST_CASE("a preset predicts, and the text says that nothing ran") {
  const Outcome outcome = run_access_profile(column_of_rows(), testing::fake_preset());
  CHECK(outcome.code == ExitCode::Good);
  CHECK(outcome.out.find("predicted, nothing ran") != std::string::npos);
  AccessOptions options = column_of_rows();
  options.format = Format::Json;
  const auto json = Document::parse(run_access_profile(options, testing::fake_preset()).out);
  CHECK(json["predicted"] == true);
  CHECK(json["accesses"][0]["predicted"] == 8);
  CHECK(!json["accesses"][0].contains("measured"));
}

TEST_CASE("equal counts end with 0; a difference ends with 1 and names the access") {
  AccessOptions options = column_of_rows();
  options.format = Format::Json;
  const Outcome good = run_access_profile(options, gpu_that_counts(8));
  CHECK(good.code == ExitCode::Good);
  CHECK(Document::parse(good.out)["accesses"][0]["measured"] == 8);
  const Outcome bad = run_access_profile(column_of_rows(), gpu_that_counts(9));
  CHECK(bad.code == ExitCode::No);
  CHECK(bad.out.find("differs") != std::string::npos);
  CHECK(bad.err.find("access 0: predicted 8 wavefronts, measured 9") != std::string::npos);
}

TEST_CASE("checks may name measured numbers on a GPU, but not for a preset") {
  AccessOptions options = column_of_rows();
  options.checks = parse_checks({"measured<=4"});
  CHECK(run_access_profile(options, gpu_that_counts(8)).code == ExitCode::No);
  CHECK(run_access_profile(options, testing::fake_preset()).code == ExitCode::Usage);
}

}  // namespace
}  // namespace tilewright
