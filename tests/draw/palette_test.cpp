#include "draw/palette.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>

using namespace tilewright;

namespace {

using Triple = std::array<double, 3>;
using Matrix = std::array<Triple, 3>;

// Linear-light simulation of full dichromacy (Machado, Oliveira, Fernandes 2009).
constexpr Matrix kNormal = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr Matrix kProtanopia = {{{0.152286, 1.052583, -0.204868},
                                 {0.114503, 0.786281, 0.099216},
                                 {-0.003882, -0.048116, 1.051998}}};
constexpr Matrix kDeuteranopia = {{{0.367322, 0.860646, -0.227968},
                                   {0.280085, 0.672501, 0.047413},
                                   {-0.011820, 0.042940, 0.968881}}};
constexpr Matrix kTritanopia = {{{1.255528, -0.076749, -0.178779},
                                 {-0.078411, 0.930809, 0.147602},
                                 {0.004733, 0.691367, 0.303900}}};

double linear(uint8_t value) {
  const double c = value / 255.0;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

double luminance(Color c) {
  return 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b);
}

Triple lab(Color color, const Matrix& eye) {
  const Triple in = {linear(color.r), linear(color.g), linear(color.b)};
  Triple rgb = {};
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 3; ++j) rgb[i] += eye[i][j] * in[j];
    rgb[i] = std::max(0.0, rgb[i]);
  }
  const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
  const double x = f((0.4124 * rgb[0] + 0.3576 * rgb[1] + 0.1805 * rgb[2]) / 0.95047);
  const double y = f(0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]);
  const double z = f((0.0193 * rgb[0] + 0.1192 * rgb[1] + 0.9505 * rgb[2]) / 1.08883);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

double difference(Color a, Color b, const Matrix& eye) {
  const Triple p = lab(a, eye);
  const Triple q = lab(b, eye);
  return std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}

}  // namespace

TEST_CASE("waves stay apart for every kind of eye") {
  for (const Matrix& eye : {kNormal, kProtanopia, kDeuteranopia, kTritanopia}) {
    for (int a = 0; a < palette::kWaveColors; ++a) {
      CHECK(difference(palette::wave_color(a), palette::wave_color(a + 1), eye) >= 32);
      for (int b = 0; b < a; ++b) {
        CHECK(difference(palette::wave_color(a), palette::wave_color(b), eye) >= 20);
      }
    }
  }
}

TEST_CASE("dark text is legible on every fill") {
  // The 4.5 : 1 that WCAG asks of small text.
  const auto contrast = [](Color fill) {
    return (luminance(fill) + 0.05) / (luminance(palette::kInk) + 0.05);
  };
  for (int i = 0; i < palette::kWaveColors; ++i) CHECK(contrast(palette::wave_color(i)) >= 4.5);
  for (int i = 0; i < palette::kRampSteps; ++i) CHECK(contrast(palette::ramp_color(i)) >= 4.5);
  for (int i = 0; i < palette::kHues; ++i) CHECK(contrast(palette::hue(i)) >= 4.5);
  for (int i = 0; i < palette::kBankShades; ++i) CHECK(contrast(palette::bank_color(i)) >= 4.5);
  CHECK(contrast(palette::kPaper) >= 4.5);
}

TEST_CASE("the ramp darkens step by step and waves repeat") {
  for (int i = 1; i < palette::kRampSteps; ++i) {
    CHECK(luminance(palette::ramp_color(i)) < luminance(palette::ramp_color(i - 1)));
  }
  CHECK(palette::wave_color(palette::kWaveColors + 2) == palette::wave_color(2));
}

TEST_CASE("hues and banks are all different, and threads in a row too") {
  for (int a = 0; a < palette::kHues; ++a) {
    for (int b = 0; b < a; ++b) {
      CHECK(difference(palette::hue(a), palette::hue(b), kNormal) >= 14);
    }
  }
  for (int a = 0; a < palette::kBankShades; ++a) {
    for (int b = 0; b < a; ++b) CHECK(palette::bank_color(a) != palette::bank_color(b));
  }
  for (int64_t thread = 0; thread < 1024; ++thread) {
    CHECK(palette::thread_hue(thread) != palette::thread_hue(thread + 1));
    CHECK(palette::thread_hue(thread) != palette::thread_hue(thread + palette::kHues));
  }
}

TEST_CASE(
    "what a CTA does beside its main loops stays apart from every hue, for every kind of eye") {
  const Color kinds[] = {palette::kLaunch, palette::kEpilogue, palette::kFixUp,
                         palette::kReduction};
  for (const Matrix& eye : {kNormal, kProtanopia, kDeuteranopia, kTritanopia}) {
    for (const Color& kind : kinds) {
      for (int i = 0; i < palette::kHues; ++i) {
        CHECK(difference(kind, palette::hue(i), eye) >= 10);
      }
      CHECK(difference(kind, palette::kOverhang, eye) >= 20);  // idle
      for (const Color& other : kinds) {
        if (kind != other) CHECK(difference(kind, other, eye) >= 13);
      }
    }
  }
}

TEST_CASE("heat darkens step by step, and dark text stays legible on it") {
  for (int i = 0; i < palette::kRampSteps; ++i) {
    const Color heat = palette::heat_color(i);
    CHECK((luminance(heat) + 0.05) / (luminance(palette::kInk) + 0.05) >= 4.5);
    if (i > 0) CHECK(luminance(heat) < luminance(palette::heat_color(i - 1)));
  }
}
