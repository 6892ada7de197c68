#include "store/shipped_answers.hpp"

#include <doctest/doctest.h>

#include "support/error_message.hpp"

using namespace tilewright;
using testing::contains;
using testing::error_message_of;

TEST_CASE("an epilogue that a library's calls cannot ask for is not shipped") {
  Artefact tuned = load_best(TILEWRIGHT_SOURCE_DIR "/presets/tuned/h200.yaml");
  tuned.entries.resize(1);
  const auto why = [&](const Epilogue& epilogue) {
    tuned.entries.front().problem.kind.epilogue = epilogue;
    const TunedFile file{"tuned.yaml", tuned};
    return error_message_of([&] { shipped_answers({&file, 1}); });
  };
  const std::pair<Epilogue, const char*> unknown[] = {
      {{.row_bias = true}, "row-bias"},
      {{.activation = Activation::Swiglu, .stacked = true}, "@stacked"},
      {{.scale_d = true}, "scale_d"},
      {{.absmax = true}, "absmax"},
      {{.out_dtype = DataType::E4M3}, "D of e4m3"}};
  for (const auto& [epilogue, word] : unknown) {
    CHECK(contains(why(epilogue), word));
    CHECK(contains(why(epilogue), "tuned.yaml"));
  }
  CHECK(why({.bias = true, .activation = Activation::Swiglu}) == "");
}
