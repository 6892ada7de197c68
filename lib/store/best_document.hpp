// The artefact as a tree of keys and values: what its YAML and its JSON share.
#pragma once

#include "store/best_table.hpp"
#include "store/document.hpp"

namespace tilewright {

/// Keys as in the schema `tilewright.best/1`.
Document to_document(const Artefact& artefact);
Document to_document(const TuneEntry& entry);
/// `problem`, `dtype` and `layout`, with `out_dtype` and `bias` where they apply.
Document to_document(const Problem& problem);
/// The CONFIG keys as a map.
Document to_document(const TileConfig& config);
Document to_document(const DeviceFingerprint& device);

}  // namespace tilewright
