// The size that a picture is laid out for.
#pragma once

namespace tilewright {

/// Pixels; 0: as many as the content needs.
struct AvailableSize {
  double width = 0;   // width of the page, margins included
  double height = 0;  // height between the header and the legend
  bool operator==(const AvailableSize&) const = default;
};

}  // namespace tilewright
