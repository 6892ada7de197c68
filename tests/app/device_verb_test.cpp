#include <doctest/doctest.h>

#include <sstream>
#include <string>

#include "support/complaint.hpp"
#include "support/fake_backend.hpp"
#include "verbs.hpp"

namespace tilewright {
namespace {

using testing::contains;

TEST_CASE("auto without a GPU shows the preset and says why in one line") {
  std::ostringstream out;
  std::ostringstream err;
  Console console{.out = out, .err = err};
  CHECK(run_device({}, console, testing::no_backend) == ExitCode::Good);
  CHECK(err.str() == "no usable GPU: this build has no GPU module; showing the h200 preset\n");
  CHECK(contains(out.str(), "h200 (preset"));
  CHECK(contains(out.str(), "predicted"));
}

TEST_CASE("JSON has every field of the spec") {
  std::ostringstream out;
  std::ostringstream err;
  Console console{.out = out, .err = err};
  const DeviceOptions options{.name = "a100", .format = Format::Json};
  CHECK(run_device(options, console, testing::no_backend) == ExitCode::Good);
  CHECK(err.str().empty());
  CHECK(contains(out.str(), "\"preset\": true"));
  CHECK(contains(out.str(), "\"sm_count\": 108"));
  CHECK(contains(out.str(), "\"architecture\": \"sm_80\""));
}

}  // namespace
}  // namespace tilewright
