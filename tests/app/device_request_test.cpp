#include "request/device_request.hpp"

#include <doctest/doctest.h>

#include <string>

#include "support/error_message.hpp"

namespace tilewright {
namespace {

using testing::contains;

DeviceRequest asked_device(const std::string& name, const std::string& action = "",
                           const std::string& output = "", Format format = Format::Text) {
  return read_device({.name = name, .action = action, .output = output, .format = format});
}

std::string refused(const std::string& name, const std::string& action = "",
                    const std::string& output = "", Format format = Format::Text) {
  return testing::error_message_of([&] { asked_device(name, action, output, format); });
}

TEST_CASE("the name may be left out before an action, and an action after a name") {
  for (const char* const name : {"auto", "h200", "cuda:3", "/a/file.yaml"}) {
    CHECK(asked_device(name).action == DeviceAction::Show);
    CHECK(asked_device(name).name == name);
    CHECK(asked_device(name, "calibrate").action == DeviceAction::Calibrate);
    CHECK(asked_device(name, "calibrate", "new.yaml").output == "new.yaml");
    CHECK(asked_device(name, "calibrate").name == name);
  }
  CHECK(asked_device("calibrate").action == DeviceAction::Calibrate);
  CHECK(asked_device("calibrate").name == "auto");
  CHECK(asked_device("doctor").action == DeviceAction::Doctor);
  CHECK(asked_device("list").action == DeviceAction::List);
}

TEST_CASE("doctor takes the number of a GPU, whether there is one or not") {
  CHECK(asked_device("doctor").gpu == 0);
  CHECK(asked_device("cuda", "doctor").gpu == 0);
  for (const int index : {0, 1, 77}) {
    CHECK(asked_device("cuda:" + std::to_string(index), "doctor").gpu == index);
  }
  CHECK(contains(refused("cuda:x", "doctor"), "N from 0"));
  CHECK(contains(refused("h200", "doctor"), "not the preset 'h200'"));
  CHECK(contains(refused("h20", "doctor"), "h200"));
}

TEST_CASE(
    "only list has a table, only calibrate writes, and words that are no action are refused") {
  CHECK(refused("list", "", "", Format::Csv).empty());
  for (const char* const action : {"", "calibrate", "doctor"}) {
    CHECK(contains(refused("auto", action, "", Format::Csv), "only device list"));
  }
  CHECK(contains(refused("h200", "", "x.yaml"), "omit -o"));
  CHECK(contains(refused("list", "", "x.yaml"), "omit -o"));
  CHECK(contains(refused("auto", "doctor", "x.yaml"), "omit -o"));
  CHECK(contains(refused("h200", "calibrat"), "did you mean 'calibrate'?"));
  CHECK(contains(refused("doktor"), "did you mean 'doctor'?"));
}

DeviceRequest asked_links(const std::string& name, const std::string& action = "") {
  DeviceOptions options;
  options.name = name;
  options.action = action;
  options.links = true;
  return read_device(options);
}

TEST_CASE("only calibrate measures links") {
  CHECK(asked_links("cuda:1", "calibrate").of_links);
  CHECK(asked_links("calibrate").of_links);
  CHECK_FALSE(asked_device("calibrate").of_links);
  for (const char* const name : {"auto", "h200x2", "list", "doctor"}) {
    CAPTURE(name);
    CHECK(contains(testing::error_message_of([&] { asked_links(name); }), "omit --links"));
  }
}

}  // namespace
}  // namespace tilewright
