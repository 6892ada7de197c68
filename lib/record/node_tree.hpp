// The values of a parsed text, as its nodes hold them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "record/node.hpp"

namespace tilewright {

/// A Word is a scalar of a file, which is whatever it can be read as.
enum class NodeKind : uint8_t { Null, Word, Text, Number, Truth, List, Map };

/// A text within Tree::texts.
struct NodeSpan {
  uint32_t begin = 0;
  uint32_t size = 0;
};

/// 0 stands for none: the root has no siblings and is inside of nothing.
struct NodeValue {
  uint32_t parent = 0;
  uint32_t first = 0;  // inside of a list or a map
  uint32_t next = 0;   // in the same list or map
  int line = 0;
  NodeSpan key;
  NodeSpan text;
  NodeKind kind = NodeKind::Null;
};

struct Node::Tree {
  std::string source;
  std::string texts;
  std::vector<NodeValue> values;  // each before those inside of it

  std::string_view text_of(NodeSpan span) const {
    return std::string_view(texts).substr(span.begin, span.size);
  }
};

}  // namespace tilewright
