// Where an item of a scene lies.
#pragma once

#include "draw/scene.hpp"

namespace tilewright {

struct Box {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
};

/// Lines without their width; a label from its capitals' top to its baseline.
Box box_of(const SceneItem& item);

/// True where the boxes share more than an edge.
bool overlap(const Box& a, const Box& b);

}  // namespace tilewright
