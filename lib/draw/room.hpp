// How large a picture may be: what its parts are laid out for.
#pragma once

namespace tilewright {

/// Pixels; 0: as many as the parts need.
struct Room {
  double width = 0;   // of the page, margins included
  double height = 0;  // of what is drawn between the header and the legend
  bool operator==(const Room&) const = default;
};

}  // namespace tilewright
