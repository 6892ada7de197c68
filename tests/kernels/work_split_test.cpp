#include "map/work_split.cuh"

#include <doctest/doctest.h>

TEST_CASE("even shares are consecutive, cover the whole and differ by at most one") {
  for (int total = 0; total <= 60; ++total) {
    for (int parts = 1; parts <= 20; ++parts) {
      int end = 0;
      for (int part = 0; part < parts; ++part) {
        const tw::Span<int> share = tw::even_share(total, parts, part);
        REQUIRE(share.begin == end);
        REQUIRE(share.size() >= total / parts);
        REQUIRE(share.size() <= (total + parts - 1) / parts);
        if (part > 0) REQUIRE(share.size() <= tw::even_share(total, parts, part - 1).size());
        end = share.end;
      }
      REQUIRE(end == total);
    }
  }
}

TEST_CASE("every slice has a k-step") {
  CHECK(tw::useful_slices(5, 8) == 5);
  CHECK(tw::useful_slices(8, 5) == 5);
  CHECK(tw::useful_slices(1, 1) == 1);
}

TEST_CASE("two-tile streams less than two tiles a worker, one-tile less than one") {
  using tw::StreamKVariant;
  for (long long tiles = 1; tiles <= 70; ++tiles) {
    for (long long workers = 1; workers <= 20; ++workers) {
      const long long two = tw::stream_k_tile_count(StreamKVariant::TwoTile, tiles, workers);
      const long long one = tw::stream_k_tile_count(StreamKVariant::OneTile, tiles, workers);
      REQUIRE(tw::stream_k_tile_count(StreamKVariant::All, tiles, workers) == tiles);
      REQUIRE((tiles - two) % workers == 0);
      REQUIRE((tiles - one) % workers == 0);
      REQUIRE(one < workers);
      REQUIRE(two < 2 * workers);
      REQUIRE((one == 0) == (two == 0));
      if (two != 0 && tiles > workers) REQUIRE(two > workers);
    }
  }
}
