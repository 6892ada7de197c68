// How algorithms of cuBLASLt divide a product, by the enumerators of its header and a fake library.
#include "gpu/launch/library_mapping.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <map>

namespace tilewright {
namespace {

// Values of the attributes that an algorithm has.
std::map<int, int>& attributes() {
  static std::map<int, int> all;
  return all;
}

LibraryFunctions made_up_library() {
  LibraryFunctions library;
  library.get_configuration = [](const cublasLtMatmulAlgo_t*,
                                 cublasLtMatmulAlgoConfigAttributes_t attribute, void* value,
                                 size_t bytes, size_t* written) {
    const auto at = attributes().find(attribute);
    if (at == attributes().end()) return CUBLAS_STATUS_INVALID_VALUE;
    std::memcpy(value, &at->second, bytes);
    *written = bytes;
    return CUBLAS_STATUS_SUCCESS;
  };
  return library;
}

std::optional<AlgorithmMapping> read() {
  return mapping_of(made_up_library(), cublasLtMatmulAlgo_t{});
}

void set(int id, int tile, int cluster, int parts) {
  attributes() = {{CUBLASLT_ALGO_CONFIG_ID, id},
                  {CUBLASLT_ALGO_CONFIG_TILE_ID, tile},
                  {CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID, cluster},
                  {CUBLASLT_ALGO_CONFIG_SPLITK_NUM, parts}};
}

// Column-major rows are columns of D.
#define CHECK_TILE(rows, columns)                           \
  CHECK(tile_of(CUBLASLT_MATMUL_TILE_##rows##x##columns) == \
        AlgorithmMapping{.tile_m = columns, .tile_n = rows})

TEST_CASE("tiles have the sizes in the names of the header") {
  CHECK_TILE(8, 8);
  CHECK_TILE(64, 8);
  CHECK_TILE(256, 32);
  CHECK_TILE(8, 128);
  CHECK_TILE(8, 768);
  CHECK_TILE(40, 64);
  CHECK_TILE(64, 192);
  CHECK_TILE(96, 192);
  CHECK_TILE(136, 64);
  CHECK_TILE(192, 192);
  CHECK_TILE(192, 256);
  CHECK_TILE(256, 192);
  CHECK_TILE(384, 128);
  CHECK_TILE(768, 64);
  CHECK_TILE(64, 16);
  CHECK_TILE(64, 760);
  CHECK_TILE(128, 8);
  CHECK_TILE(128, 184);
  CHECK_TILE(128, 512);
  CHECK_TILE(192, 8);
  CHECK_TILE(192, 208);
  CHECK_TILE(256, 8);
  CHECK_TILE(256, 200);
  CHECK_TILE(256, 256);
  CHECK_TILE(320, 192);
  CHECK_TILE(448, 128);
  CHECK_TILE(512, 128);
  CHECK_TILE(704, 88);
  CHECK_TILE(768, 80);
  CHECK(tile_of(CUBLASLT_MATMUL_TILE_UNDEFINED) == AlgorithmMapping{});
  CHECK(tile_of(CUBLASLT_MATMUL_TILE_END) == AlgorithmMapping{});
}

TEST_CASE("an algorithm's tile, cluster and parts are those of a row-major D") {
  set(66, CUBLASLT_MATMUL_TILE_128x64, CUBLASLT_CLUSTER_SHAPE_2x1x1, 3);
  const AlgorithmMapping expected{.tile_m = 64, .tile_n = 128, .cluster = {1, 2}, .slices = 3};
  CHECK(read() == expected);
  set(66, CUBLASLT_MATMUL_TILE_64x256, CUBLASLT_CLUSTER_SHAPE_1x4x1, 0);
  const AlgorithmMapping whole{.tile_m = 256, .tile_n = 64, .cluster = {4, 1}, .slices = 1};
  CHECK(read() == whole);
}

TEST_CASE("an algorithm for other tensor cores, or of unknown parts, has no mapping") {
  set(6, CUBLASLT_MATMUL_TILE_128x64, CUBLASLT_CLUSTER_SHAPE_1x1x1, 1);
  CHECK_FALSE(read());
  set(66, CUBLASLT_MATMUL_TILE_END, CUBLASLT_CLUSTER_SHAPE_1x1x1, 1);
  CHECK_FALSE(read());
  set(66, CUBLASLT_MATMUL_TILE_128x64, CUBLASLT_CLUSTER_SHAPE_16x1x1, 1);
  CHECK_FALSE(read());
  attributes().erase(CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID);
  CHECK_FALSE(read());
}

}  // namespace
}  // namespace tilewright
