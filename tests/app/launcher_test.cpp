#include "host/launcher.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "support/error_message.hpp"

namespace tilewright {
namespace {

using testing::contains;
using Set = std::map<std::string, std::string>;

Rank rank_of(const Set& variables) {
  return launched_rank([&variables](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

std::string error_message_of(const Set& variables) {
  try {
    rank_of(variables);
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::Usage);
    return error.what();
  }
  return "";
}

const std::vector<std::vector<std::string>> kLaunchers = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"},
    {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"}};

TEST_CASE("every launcher's variables give rank, size and local rank") {
  CHECK(rank_of({}) == Rank{});
  for (const auto& names : kLaunchers) {
    for (const int size : {1, 2, 64}) {
      for (int rank = 0; rank < size; ++rank) {
        const Rank found = rank_of({{names[0], std::to_string(rank)},
                                    {names[1], std::to_string(size)},
                                    {names[2], std::to_string(rank % 8)}});
        CHECK(found.rank == rank);
        CHECK(found.size == size);
        CHECK(found.local == rank % 8);
        CHECK(contains(found.source, names[0]));
      }
    }
    CHECK(rank_of({{names[0], "1"}, {names[1], "2"}}).local == -1);
  }
}

TEST_CASE("an mpirun inside of a Slurm job counts its own ranks") {
  const Set slurm = {{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "2"}};
  for (size_t i = 0; i < 2; ++i) {
    Set both = slurm;
    both[kLaunchers[i][0]] = "5";
    both[kLaunchers[i][1]] = "8";
    CHECK(rank_of(both).rank == 5);
    CHECK(rank_of(both).size == 8);
  }
}

TEST_CASE("errors name the variable of an incomplete pair, a bad number or a rank >= size") {
  for (const auto& names : kLaunchers) {
    CHECK(
        contains(error_message_of({{names[0], "0"}}), names[1] + " is not; a launcher sets both"));
    for (const char* const bad : {"", "x", "-1", "1.5", "99999999999999999999", " 1"}) {
      CHECK(contains(error_message_of({{names[0], bad}, {names[1], "4"}}), names[0] + "='" + bad));
      CHECK(contains(error_message_of({{names[0], "0"}, {names[1], bad}}), names[1] + "='" + bad));
      CHECK(contains(error_message_of({{names[0], "0"}, {names[1], "1"}, {names[2], bad}}),
                     names[2] + "='" + bad));
    }
    CHECK(contains(error_message_of({{names[0], "4"}, {names[1], "4"}}), "no rank 4 of 4"));
    CHECK(contains(error_message_of({{names[0], "0"}, {names[1], "0"}}), "no rank 0 of 0"));
  }
  CHECK(contains(error_message_of({{"PMI_SIZE", "4"}}), "PMI_RANK is not"));
}

TEST_CASE("a process of salloc or sbatch is no rank, a process of srun in it is one") {
  CHECK(rank_of({{"SLURM_NTASKS", "4"}}) == Rank{});
  Set batch = {{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}, {"SLURM_JOB_ID", "17"}};
  CHECK(rank_of(batch) == Rank{});
  batch["SLURM_STEP_ID"] = "0";
  CHECK(rank_of(batch).size == 4);
}

TEST_CASE("--rank is R/N, and file names contain it") {
  CHECK(parse_rank("2/4").rank == 2);
  CHECK(parse_rank("2/4").size == 4);
  for (const char* const bad : {"", "2", "2/4/1", "/4", "2/", "4/4", "0/0", "a/b", "-1/2"}) {
    CHECK_THROWS_AS(parse_rank(bad), Error);
  }
  CHECK(file_of_rank("out/best.yaml", parse_rank("2/4")) == "out/best.rank-2of4.yaml");
  CHECK(file_of_rank("v1.2/store", parse_rank("0/2")) == "v1.2/store.rank-0of2");
  CHECK(file_of_rank("best.yaml", Rank{}) == "best.yaml");
  CHECK(file_of_rank("-", parse_rank("0/2")) == "-");
}

}  // namespace
}  // namespace tilewright
