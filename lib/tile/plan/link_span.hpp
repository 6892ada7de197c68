// When bytes cross a link between two GPUs that share a product.
#pragma once

namespace tilewright {

/// Bytes on their way from one GPU to another, microseconds from the launch's start.
struct LinkSpan {
  int from = 0;
  int to = 0;
  double begin_us = 0;
  double end_us = 0;
  double bytes = 0;
  bool operator==(const LinkSpan&) const = default;
};

}  // namespace tilewright
