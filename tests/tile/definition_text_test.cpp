#include "tile/config/definition_text.hpp"

#include <doctest/doctest.h>

#include <string>

#include "skinny/params.cuh"
#include "sm80/params.cuh"
#include "sm90/params.cuh"
#include "tools/finish_args.cuh"

namespace tilewright {
namespace {

// Converts to any type.
struct Anything {
  template <class T>
  operator T() const;
};

// The number of members of an aggregate: the most values that initialise it.
template <class T, class... Values>
constexpr int64_t member_count() {
  if constexpr (requires { T{Values{}..., Anything{}}; }) {
    return member_count<T, Values..., Anything>();
  } else {
    return sizeof...(Values);
  }
}

template <class Constants>
int64_t visited_count() {
  int64_t count = 0;
  Constants{}.for_each_constant([&](std::string_view, const auto&) { ++count; });
  return count;
}

TEST_CASE("for_each_constant visits every member of its struct") {
  CHECK(visited_count<tw::Sm90Params>() == member_count<tw::Sm90Params>());
  CHECK(visited_count<tw::Sm80Params>() == member_count<tw::Sm80Params>());
  CHECK(visited_count<tw::SkinnyParams>() == member_count<tw::SkinnyParams>());
  CHECK(visited_count<tw::SmemArrangement>() == member_count<tw::SmemArrangement>());
  CHECK(visited_count<tw::FinishParams>() == member_count<tw::FinishParams>());
}

TEST_CASE("numbers, flags, enumerators and nested structs are written as C++") {
  const tw::Sm80Params params{.cta_m = 64, .smem = {.kind = tw::SmemKind::Pad, .pad = 8}};
  const std::string text = definition_text("sm80/params.cuh", "tw::Sm80Params", "kParams", params);
  CHECK(
      text.starts_with("#pragma once\n#include \"sm80/params.cuh\"\n"
                       "inline constexpr tw::Sm80Params kParams = {.cta_m = 64, "));
  CHECK(text.find(".a_k_major = true") != std::string::npos);
  CHECK(text.find(".element = static_cast<decltype(tw::Sm80Params::element)>(0)") !=
        std::string::npos);
  CHECK(text.find(".smem = {.kind = static_cast<decltype(decltype(tw::Sm80Params::smem)::kind)>") !=
        std::string::npos);
  CHECK(text.find(".pad = 8}") != std::string::npos);
}

}  // namespace
}  // namespace tilewright
