// Finds the items of a scene, for tests.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "draw/legend.hpp"
#include "draw/scene.hpp"

namespace tilewright::testing {

inline bool starts_with(const std::string& text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

inline std::vector<Box> label_boxes(const Scene& scene, std::string_view role) {
  std::vector<Box> boxes;
  for (const SceneItem& item : scene.items) {
    const auto* label = std::get_if<LabelItem>(&item);
    if (label != nullptr && label->role == role) boxes.push_back(box_of(*label));
  }
  return boxes;
}

/// The rectangles with a role that begins with `role`.
inline std::vector<RectangleItem> rectangles(const std::vector<SceneItem>& items,
                                             std::string_view role) {
  std::vector<RectangleItem> found;
  for (const SceneItem& item : items) {
    const auto* r = std::get_if<RectangleItem>(&item);
    if (r != nullptr && starts_with(r->role, role)) found.push_back(*r);
  }
  return found;
}

/// The paths of exactly this role.
inline int path_count(const std::vector<SceneItem>& items, std::string_view role) {
  return static_cast<int>(std::count_if(items.begin(), items.end(), [&](const SceneItem& item) {
    const auto* path = std::get_if<PathItem>(&item);
    return path != nullptr && path->role == role;
  }));
}

/// The texts of the labels of a role, in painting order.
inline std::vector<std::string> texts_of(const std::vector<SceneItem>& items,
                                         std::string_view role) {
  std::vector<std::string> texts;
  for (const SceneItem& item : items) {
    const auto* label = std::get_if<LabelItem>(&item);
    if (label != nullptr && label->role == role) texts.push_back(label->text);
  }
  return texts;
}

/// The tooltips of all areas, in painting order.
inline std::vector<std::string> tooltip_texts(const std::vector<SceneItem>& items) {
  std::vector<std::string> texts;
  for (const SceneItem& item : items) {
    if (const auto* tooltip = std::get_if<TooltipItem>(&item)) texts.push_back(tooltip->text);
  }
  return texts;
}

/// One line for each item that is closer than 4 pixels to the edges of the picture.
inline std::string outside_items(const Scene& scene) {
  std::string text;
  for (const SceneItem& item : scene.items) {
    const Box b = box_of(item);
    if (b.left >= 4 && b.top >= 4 && b.right <= scene.width - 4 && b.bottom <= scene.height - 4) {
      continue;
    }
    const std::string role = std::visit([](const auto& it) { return it.role; }, item);
    text += format("{} {} {} {} {}\n", role, b.left, b.top, b.right, b.bottom);
  }
  return text;
}

/// One line for each two labels of these roles that overlap.
inline std::string overlapping_labels(const Scene& scene,
                                      std::initializer_list<std::string_view> roles) {
  std::vector<const LabelItem*> labels;
  for (const SceneItem& item : scene.items) {
    const auto* label = std::get_if<LabelItem>(&item);
    if (label != nullptr && std::find(roles.begin(), roles.end(), label->role) != roles.end()) {
      labels.push_back(label);
    }
  }
  std::string text;
  for (size_t i = 0; i < labels.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (!overlap(box_of(*labels[i]), box_of(*labels[j]))) continue;
      text += format("'{}' on '{}'\n", labels[i]->text, labels[j]->text);
    }
  }
  return text;
}

/// The number of items of exactly this role.
inline size_t count_items(const Scene& scene, std::string_view role) {
  size_t count = 0;
  for (const SceneItem& item : scene.items) {
    count += std::visit([role](const auto& it) { return it.role == role ? 1U : 0U; }, item);
  }
  return count;
}

/// The area that the outlines enclose.
inline double outline_area(const Scene& scene) {
  double area = 0;
  for (const SceneItem& item : scene.items) {
    const auto* r = std::get_if<RectangleItem>(&item);
    if (r != nullptr && r->role == "outline") area += r->width * r->height;
  }
  return area;
}

}  // namespace tilewright::testing
