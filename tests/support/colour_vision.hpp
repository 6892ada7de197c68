// Computes the difference of colours for normal and colour-blind vision.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "draw/scene.hpp"

namespace tilewright::testing {

using Triple = std::array<double, 3>;
using Matrix = std::array<Triple, 3>;

// Linear-light simulation of full dichromacy (Machado, Oliveira, Fernandes 2009).
inline constexpr Matrix kNormal = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
inline constexpr Matrix kProtanopia = {{{0.152286, 1.052583, -0.204868},
                                        {0.114503, 0.786281, 0.099216},
                                        {-0.003882, -0.048116, 1.051998}}};
inline constexpr Matrix kDeuteranopia = {{{0.367322, 0.860646, -0.227968},
                                          {0.280085, 0.672501, 0.047413},
                                          {-0.011820, 0.042940, 0.968881}}};
inline constexpr Matrix kTritanopia = {{{1.255528, -0.076749, -0.178779},
                                        {-0.078411, 0.930809, 0.147602},
                                        {0.004733, 0.691367, 0.303900}}};

inline double linear(uint8_t value) {
  const double c = value / 255.0;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

inline double luminance(Color c) {
  return 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b);
}

inline Triple lab(Color color, const Matrix& vision) {
  const Triple in = {linear(color.r), linear(color.g), linear(color.b)};
  Triple rgb = {};
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 3; ++j) rgb[i] += vision[i][j] * in[j];
    rgb[i] = std::max(0.0, rgb[i]);
  }
  const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
  const double x = f((0.4124 * rgb[0] + 0.3576 * rgb[1] + 0.1805 * rgb[2]) / 0.95047);
  const double y = f(0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]);
  const double z = f((0.0193 * rgb[0] + 0.1192 * rgb[1] + 0.9505 * rgb[2]) / 1.08883);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

inline double difference(Color a, Color b, const Matrix& vision) {
  const Triple p = lab(a, vision);
  const Triple q = lab(b, vision);
  return std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}

}  // namespace tilewright::testing
