#include "base/error.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <functional>
#include <new>
#include <string>
#include <thread>
#include <vector>

namespace tilewright {
namespace {

Error error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const std::exception& error) {
    return as_error(error);
  }
  return Error(ExitCode::Good, "nothing was thrown");
}

TEST_CASE("what the system refuses is the environment's fault, in words of the tool") {
  const Error memory = error_of([] { throw std::bad_alloc(); });
  CHECK(memory.code() == ExitCode::Environment);
  CHECK(std::string(memory.what()).rfind("out of memory", 0) == 0);
  const Error file =
      error_of([] { std::filesystem::directory_iterator listing("/nowhere/at/all"); });
  CHECK(file.code() == ExitCode::Environment);
  CHECK(std::string(file.what()) == "cannot use '/nowhere/at/all': No such file or directory");
  const Error thread = error_of([] {
    throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
  });
  CHECK(thread.code() == ExitCode::Environment);
}

TEST_CASE("an Error stays as it is, and any other exception is internal") {
  const Error known = error_of([] { throw Error(ExitCode::NoBaseline, "none"); });
  CHECK(known.code() == ExitCode::NoBaseline);
  CHECK(std::string(known.what()) == "none");
  const Error other = error_of([] { (void)std::vector<int>().at(3); });
  CHECK(other.code() == ExitCode::Internal);
  CHECK(is_internal(std::out_of_range("far")));
  CHECK(!is_internal(std::bad_alloc()));
}

}  // namespace
}  // namespace tilewright
