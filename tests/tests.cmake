# The tests, the micro-benchmarks and the fuzzers. Paths are relative to the root.

# Under sanitizers clang takes two to three times as long for these with -O1, which it also takes
# -Og for; the code that runs long is in the core and the store.
set(test_optimization -Og)
if(TILEWRIGHT_SANITIZE)
  set(test_optimization -O0)
  foreach(target harness draw payload ship page worker options app)
    target_compile_options(tilewright_${target} PRIVATE -O0)
  endforeach()
  target_compile_options(tilewright PRIVATE -O0)
endif()

# tilewright_link_first(TARGET LIBRARY...): of a template's instances in several objects the linker
# takes the first. TARGET's own objects, which it links first, have little optimisation; so these
# libraries, whose instances run long, come before them.
function(tilewright_link_first target)
  foreach(library ${ARGN})
    target_link_options(${target} PRIVATE
      -Wl,--whole-archive,$<TARGET_FILE:${library}>,--no-whole-archive)
  endforeach()
endfunction()
if(TILEWRIGHT_SANITIZE)
  tilewright_link_first(tilewright tilewright_core tilewright_store)
endif()

if(TILEWRIGHT_TESTS)
  find_package(doctest REQUIRED)

  # Tests that replay hundreds of launches or visit whole search spaces take minutes under
  # sanitizers, and compiling tests takes most of the remaining time. Tests of models, searches and
  # pictures are therefore left out; the program's own tests run their code too.
  set(long "(model|search|answer|gate|stats|draw)/.*|store/(best_table_presets|dispatch)|\
laws/(free_tune|impossible_numbers|one_price|random_tunes)|\
app/(bench_verb_suite|best_verb_among|device_verb)")
  # Kept: it replays the slabs of small problems, whose indices it computes itself.
  set(brief model/fixup_traffic)

  # Adds SOURCE to BINARY and registers tests/a/b_test.cpp as the ctest test a/b. A build of
  # TILEWRIGHT_ONLY_TESTS registers all, but can run these alone.
  function(tilewright_add_test binary source)
    string(REGEX REPLACE "^tests/(.*)_test\\.cpp$" "\\1" name ${source})
    if(TILEWRIGHT_SANITIZE AND name MATCHES "^(${long})$" AND NOT name IN_LIST brief)
      return()
    endif()
    if(NOT TILEWRIGHT_ONLY_TESTS OR name IN_LIST TILEWRIGHT_ONLY_TESTS)
      target_sources(${binary} PRIVATE ${source})
    endif()
    add_test(NAME ${name} COMMAND ${binary} --source-file=*/${source})
    # A filter that matches no test would always pass.
    set_tests_properties(${name} PROPERTIES FAIL_REGULAR_EXPRESSION "test cases: *0 ")
  endfunction()

  add_executable(tilewright_tests tests/support/file_calls.cpp tests/support/golden.cpp
    tests/support/main.cpp lib/serve/array_call.cpp lib/serve/matrix_view.cpp
    lib/serve/product_race.cpp lib/serve/race_file.cpp lib/serve/race_text.cpp lib/serve/raced_calls.cpp
    lib/serve/scale_array.cpp)
  target_include_directories(tilewright_tests PRIVATE tests)
  target_compile_definitions(tilewright_tests PRIVATE TILEWRIGHT_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
    TILEWRIGHT_CXX="${CMAKE_CXX_COMPILER}" TILEWRIGHT_FAKE_WORKER="$<TARGET_FILE:fake_worker>"
    TILEWRIGHT_TEMPLATE_FIXTURE="$<TARGET_FILE:template_fixture>"
    TILEWRIGHT_HARNESS_FIXTURES="${CMAKE_BINARY_DIR}/harness" TILEWRIGHT_PROGRAM="$<TARGET_FILE:tilewright>")
  set_source_files_properties(tests/support/file_calls.cpp tests/support/main.cpp tests/support/gpu_main.cpp
    PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_link_libraries(tilewright_tests PRIVATE tilewright_app tilewright_draw tilewright_store
    tilewright_worker tilewright_ship tilewright_embedded_kernels tilewright_core doctest::doctest PkgConfig::cairo
    $<IF:$<TARGET_EXISTS:yaml-cpp::yaml-cpp>,yaml-cpp::yaml-cpp,yaml-cpp> tilewright_flags)
  tilewright_link_first(tilewright_tests tilewright_core tilewright_store)
  if(TILEWRIGHT_GPU)
    target_link_libraries(tilewright_tests PRIVATE tilewright_library_call tilewright_cuda)
  endif()
  # Tests run for milliseconds and compile for seconds: they get little optimisation and precompiled
  # large headers. Not with a compiler cache, which stores nothing compiled with a precompiled
  # header.
  target_compile_options(tilewright_tests PRIVATE ${test_optimization})
  if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
    target_precompile_headers(tilewright_tests PRIVATE <doctest/doctest.h> <fmt/core.h>
      <algorithm> <functional> <map> <sstream> <string> <vector>)
    if(TILEWRIGHT_UNITY)
      target_precompile_headers(tilewright_tests PRIVATE lib/tile/plan/plan.hpp)
    endif()
    # g++ loads all of a precompiled header into every unit: with JSON, the many units that do
    # without it lose more than the few that parse it gain. clang loads what a unit uses.
    if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
      target_precompile_headers(tilewright_tests PRIVATE <nlohmann/json.hpp>)
    endif()
    set_source_files_properties(tests/support/main.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  endif()

  # tilewright_device_harness(NAME SOURCE): a harness that tests load from beside the program; where
  # there is a driver it runs without a CUDA runtime.
  function(tilewright_device_harness name source)
    set(output ${CMAKE_BINARY_DIR}/bin/${name}.so)
    add_custom_command(OUTPUT ${output} VERBATIM
      DEPENDS ${CMAKE_SOURCE_DIR}/${source} ${CMAKE_SOURCE_DIR}/presets/harness/tilewright_harness.h
      COMMAND ${CUDAToolkit_NVCC_EXECUTABLE} -std=c++17 -O3 -arch=sm_90 -shared -Xcompiler -fPIC,-static-libstdc++,-static-libgcc
        -Werror all-warnings -I ${CMAKE_SOURCE_DIR}/presets/harness -o ${output}
        ${CMAKE_SOURCE_DIR}/${source})
    add_custom_target(${name} ALL DEPENDS ${output})
    add_dependencies(tilewright_gpu_tests ${name})
    install(FILES ${output} DESTINATION bin COMPONENT programs OPTIONAL)
  endfunction()

  # The example of a manifest with its cubins, in a folder beside the program.
  function(tilewright_device_cubins)
    set(folder ${CMAKE_BINARY_DIR}/bin/cubin_gemm)
    set(source ${CMAKE_SOURCE_DIR}/presets/harness/cubin_gemm/cubin_gemm)
    set(cubins)
    foreach(tile_m 64 128)
      set(output ${folder}/gemm_${tile_m}.cubin)
      add_custom_command(OUTPUT ${output} VERBATIM DEPENDS ${source}.cu
        COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
        COMMAND ${CUDAToolkit_NVCC_EXECUTABLE} -std=c++17 -cubin -arch=sm_90a -DTILE_M=${tile_m}
          -Werror all-warnings -o ${output} ${source}.cu)
      list(APPEND cubins ${output})
    endforeach()
    add_custom_command(OUTPUT ${folder}/cubin_gemm.yaml VERBATIM DEPENDS ${source}.yaml ${cubins}
      COMMAND ${CMAKE_COMMAND} -E copy ${source}.yaml ${folder}/cubin_gemm.yaml)
    add_custom_target(cubin_gemm ALL DEPENDS ${folder}/cubin_gemm.yaml)
    add_dependencies(tilewright_gpu_tests cubin_gemm)
    add_dependencies(tilewright_tests cubin_gemm)
    install(FILES ${folder}/cubin_gemm.yaml ${cubins} DESTINATION bin/cubin_gemm
      COMPONENT programs OPTIONAL)
  endfunction()

  # tilewright_gpu_test(SOURCE): the same for tests that run kernels; skipped, with the reason, where
  # there is no GPU.
  function(tilewright_gpu_test source)
    if(NOT TARGET tilewright_gpu_tests)
      add_executable(tilewright_gpu_tests tests/support/gpu_main.cpp)
      add_dependencies(tilewright_gpu_tests tilewright_gpu tilewright_library)
      target_link_libraries(tilewright_gpu_tests PRIVATE
        tilewright_cuda tilewright_loader tilewright_worker tilewright_ship CUDA::cudart_static
        doctest::doctest
        tilewright_flags)
      target_include_directories(tilewright_gpu_tests PRIVATE tests)
      target_compile_options(tilewright_gpu_tests PRIVATE -Og)
      set_target_properties(tilewright_gpu_tests PROPERTIES INSTALL_RPATH "${cuda_rpath}")
      if(CUDAToolkit_NVCC_EXECUTABLE)
        tilewright_device_harness(harness_cuda_gemm presets/harness/cuda_gemm/cuda_gemm.cu)
        tilewright_device_harness(harness_device_fixture tests/gpu/harness_fixture.cu)
        tilewright_device_cubins()
      endif()
    endif()
    tilewright_add_test(tilewright_gpu_tests ${source})
    string(REGEX REPLACE "^tests/(.*)_test\\.cpp$" "\\1" name ${source})
    set_tests_properties(${name} PROPERTIES LABELS gpu SKIP_RETURN_CODE 77 RESOURCE_LOCK gpu)
  endfunction()

  # tilewright_script_test(NAME SCRIPT ARGUMENT...): a test of the built program from outside.
  function(tilewright_script_test name script)
    add_test(NAME ${name} COMMAND ${CMAKE_SOURCE_DIR}/${script} ${ARGN})
    if(TILEWRIGHT_GPU AND EXISTS /dev/nvidiactl)
      set_tests_properties(${name} PROPERTIES RESOURCE_LOCK gpu)
    endif()
  endfunction()

  tilewright_script_test(app/bundle tests/app/bundle ${CMAKE_BINARY_DIR})
  tilewright_script_test(app/errors tests/app/errors $<TARGET_FILE:tilewright>)
  tilewright_script_test(app/interrupt tests/app/interrupt $<TARGET_FILE:tilewright>)
  foreach(name simulated_tune simulated_answers)
    add_executable(${name} tests/app/${name}.cpp)
    target_include_directories(${name} PRIVATE tests)
    target_link_libraries(${name} PRIVATE tilewright_app tilewright_flags)
    tilewright_link_first(${name} tilewright_core tilewright_store)
  endforeach()
  tilewright_script_test(app/kill tests/app/kill $<TARGET_FILE:simulated_tune>
    $<TARGET_FILE:tilewright>)
  foreach(launcher mpirun srun)
    tilewright_script_test(app/ranks_${launcher} tests/app/ranks $<TARGET_FILE:simulated_tune>
      $<TARGET_FILE:tilewright> ${launcher})
    set_tests_properties(app/ranks_${launcher} PROPERTIES SKIP_RETURN_CODE 77)
  endforeach()
  add_executable(fake_worker tests/worker/fake_worker.cpp)
  target_include_directories(fake_worker PRIVATE tests)
  target_link_libraries(fake_worker PRIVATE tilewright_worker tilewright_flags)
  tilewright_template(template_fixture tests/ship/template_fixture.cpp)
  add_dependencies(tilewright_tests fake_worker template_fixture tilewright)
  enable_language(C)
  # One source, compiled as C11: a harness that misbehaves as its config or its name says.
  foreach(fault none json crash failure version duplicate slow experts)
    set(fixture harness_fixture_${fault})
    add_library(${fixture} MODULE tests/harness/fixture.c)
    set_target_properties(${fixture} PROPERTIES PREFIX "" C_STANDARD 11 C_EXTENSIONS OFF
      C_VISIBILITY_PRESET hidden LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/harness)
    target_include_directories(${fixture} PRIVATE presets/harness)
    target_compile_definitions(${fixture} PRIVATE _POSIX_C_SOURCE=200809L)
    target_compile_options(${fixture} PRIVATE -Wall -Wextra -Wpedantic -Werror)
    if(NOT fault STREQUAL none)
      target_compile_definitions(${fixture} PRIVATE DESCRIBE_FAULT="${fault}")
    endif()
    add_dependencies(tilewright_tests ${fixture})
  endforeach()
  # A cuBLAS that computes nothing, and a program that calls it, for the shim of `record`.
  foreach(library cublasLt cublas)
    string(TOLOWER tests/capture/fake_${library}.c source)
    add_library(fake_${library} SHARED ${source})
    set_target_properties(fake_${library} PROPERTIES OUTPUT_NAME ${library} C_STANDARD 11
      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/capture)
    target_compile_options(fake_${library} PRIVATE -Wall -Wextra -Werror)
  endforeach()
  target_link_libraries(fake_cublas PRIVATE fake_cublasLt)
  add_executable(recorded_program tests/capture/recorded_program.c)
  set_target_properties(recorded_program PROPERTIES C_STANDARD 11
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/capture BUILD_RPATH_USE_ORIGIN ON)
  target_compile_options(recorded_program PRIVATE -Wall -Wextra -Werror)
  target_link_libraries(recorded_program PRIVATE fake_cublas fake_cublasLt Threads::Threads)
  add_library(recorded_module MODULE tests/capture/recorded_module.c)
  set_target_properties(recorded_module PROPERTIES PREFIX "" C_STANDARD 11
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/capture BUILD_RPATH_USE_ORIGIN ON)
  target_link_libraries(recorded_module PRIVATE fake_cublas)
  # Two builds of one source that share what templates define.
  foreach(build 1 2)
    set(fixture harness_fixture_unique_${build})
    add_library(${fixture} MODULE tests/harness/unique_fixture.cpp)
    set_target_properties(${fixture} PROPERTIES PREFIX ""
      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/harness)
    target_include_directories(${fixture} PRIVATE presets/harness)
    target_compile_definitions(${fixture} PRIVATE FIXTURE_BUILD=${build})
    add_dependencies(tilewright_tests ${fixture})
  endforeach()
  if(TARGET tilewright_library)
    add_dependencies(tilewright_tests tilewright_library)
  endif()
  tilewright_script_test(app/dispatch tests/app/dispatch $<TARGET_FILE:simulated_tune>
    $<TARGET_FILE:tilewright>)
  tilewright_script_test(app/limits tests/app/limits $<TARGET_FILE:tilewright>)
  tilewright_script_test(app/bisect tests/app/bisect $<TARGET_FILE:tilewright>
    ${CMAKE_BINARY_DIR}/harness)
  tilewright_script_test(app/examples tests/app/examples $<TARGET_FILE:tilewright>
    ${CMAKE_BINARY_DIR}/capture)
  tilewright_script_test(app/files tests/app/files $<TARGET_FILE:tilewright>)
  tilewright_script_test(app/record tests/app/record $<TARGET_FILE:tilewright>
    ${CMAKE_BINARY_DIR}/capture)
  foreach(name ci history)
    tilewright_script_test(app/${name} tests/app/${name} $<TARGET_FILE:tilewright>)
  endforeach()
  tilewright_script_test(app/harness tests/app/harness $<TARGET_FILE:tilewright>
    ${CMAKE_BINARY_DIR}/harness)
  tilewright_script_test(app/report tests/app/report $<TARGET_FILE:tilewright>
    $<TARGET_FILE:simulated_tune>)
  set_tests_properties(app/ci app/history app/report PROPERTIES SKIP_RETURN_CODE 77)
  tilewright_script_test(app/hostile tests/app/hostile $<TARGET_FILE:tilewright>)
  tilewright_script_test(app/options tests/app/options $<TARGET_FILE:tilewright>)
  tilewright_script_test(app/preset_times tests/app/preset_times $<TARGET_FILE:tilewright>)
  tilewright_script_test(app/schemas tests/app/schemas $<TARGET_FILE:tilewright>
    ${CMAKE_BINARY_DIR}/harness $<TARGET_FILE:simulated_tune> $<TARGET_FILE:simulated_answers>)
  set_tests_properties(app/schemas PROPERTIES SKIP_RETURN_CODE 77)
  tilewright_script_test(app/spellings tests/app/spellings $<TARGET_FILE:tilewright>)
  tilewright_script_test(app/readme tests/app/readme $<TARGET_FILE:tilewright>)
  tilewright_script_test(app/run tests/app/run)
  if(TARGET tilewright_library)
    tilewright_script_test(app/ship tests/app/ship $<TARGET_FILE:tilewright>)
    tilewright_script_test(app/python tests/app/python $<TARGET_FILE:tilewright>
      ${CMAKE_BINARY_DIR}/python)
    set_tests_properties(app/python PROPERTIES SKIP_RETURN_CODE 77)
  endif()
  tilewright_script_test(app/shell_files tests/app/shell_files $<TARGET_FILE:tilewright>)
  tilewright_script_test(app/sweep tests/app/sweep $<TARGET_FILE:tilewright>)
  tilewright_script_test(install tests/install/run ${CMAKE_BINARY_DIR})
  set_tests_properties(app/bundle install PROPERTIES RESOURCE_LOCK build)

  # Tests in tests/gpu run kernels, except one that needs no CUDA and those that only need the
  # toolkit.
  tilewright_sources(gpu_tests tests/gpu/*_test.cpp)
  tilewright_sources(tests tests/*/*_test.cpp)
  list(REMOVE_ITEM tests ${gpu_tests})
  list(APPEND tests tests/gpu/embedded_kernels_test.cpp)
  list(REMOVE_ITEM gpu_tests tests/gpu/embedded_kernels_test.cpp)
  set(compiled_only
    access_probe_source c_interface calibrate_source cubin_cache cubin_cache_entry diagnosis
    gemm_sm90_rank_k_source launch_metrics library_kernels links_source neighbour_source nvrtc_log parallel_compiler
    parallel_compiler_random parallel_compiler_split_k peer_product_source sm90_group_source source_tree verify_source
    xla_ffi)
  list(TRANSFORM compiled_only REPLACE "(.+)" "tests/gpu/\\1_test.cpp")
  set(of_cuda tests/serve/library_call_test.cpp tests/serve/library_mapping_test.cpp)
  list(REMOVE_ITEM tests ${of_cuda})
  if(TILEWRIGHT_GPU)
    list(APPEND tests ${compiled_only} ${of_cuda})
    # The sources of a shipped library, to compare its launches with those of bench.
    set(served communicator device_races library raced_answer request served_device)
    list(TRANSFORM served REPLACE "(.+)" "lib/serve/\\1.cpp")
    target_sources(tilewright_tests PRIVATE ${served})
    set_source_files_properties(${served} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    list(REMOVE_ITEM gpu_tests ${compiled_only})
    foreach(source IN LISTS gpu_tests)
      tilewright_gpu_test(${source})
    endforeach()
  endif()
  foreach(source IN LISTS tests)
    tilewright_add_test(tilewright_tests ${source})
  endforeach()

  # Runs the library without a GPU: the test's library has no kernels.
  if(TILEWRIGHT_GPU)
    set_tests_properties(gpu/c_interface PROPERTIES ENVIRONMENT CUDA_VISIBLE_DEVICES=)
  endif()

  # At most 13 sources a unit, so that every core has units to compile.
  tilewright_unite(tilewright_tests 13)
  if(TARGET tilewright_gpu_tests)
    tilewright_unite(tilewright_gpu_tests 13)
  endif()
endif()

# The model's sample as tests/record/record takes it, not part of the default build.
add_executable(tilewright_sample EXCLUDE_FROM_ALL tests/record/sample.cpp)
target_include_directories(tilewright_sample PRIVATE tests)
target_link_libraries(tilewright_sample PRIVATE tilewright_store tilewright_flags)
add_executable(gate_replay EXCLUDE_FROM_ALL tests/record/gate_replay.cpp)
target_include_directories(gate_replay PRIVATE tests)
target_link_libraries(gate_replay PRIVATE tilewright_draw tilewright_store tilewright_flags)
add_executable(shortlist_regret EXCLUDE_FROM_ALL tests/record/shortlist_regret.cpp)
target_link_libraries(shortlist_regret PRIVATE tilewright_store tilewright_flags)
add_executable(cover EXCLUDE_FROM_ALL tests/record/cover.cpp)
target_link_libraries(cover PRIVATE tilewright_store tilewright_flags)
add_executable(foreign_regret EXCLUDE_FROM_ALL tests/bench/foreign_regret.cpp)
target_link_libraries(foreign_regret PRIVATE tilewright_store tilewright_flags)

# Micro-benchmarks, not part of the default build: `ninja tilewright_bench && bin/tilewright_bench`.
find_package(benchmark QUIET)
if(benchmark_FOUND)
  add_executable(tilewright_bench EXCLUDE_FROM_ALL
    tests/bench/layout_bench.cpp
    tests/bench/plan_bench.cpp
    tests/bench/raster_ranking_bench.cpp
    tests/bench/report_bench.cpp
    tests/bench/swizzle_solver_bench.cpp)
  target_include_directories(tilewright_bench PRIVATE tests)
  target_compile_definitions(tilewright_bench PRIVATE TILEWRIGHT_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  target_link_libraries(tilewright_bench PRIVATE
    tilewright_page benchmark::benchmark_main tilewright_flags)
endif()
if(TARGET tilewright_gpu_tests)
  add_executable(tilewright_same_kernel EXCLUDE_FROM_ALL tests/bench/same_kernel_bench.cpp)
  target_include_directories(tilewright_same_kernel PRIVATE tests)
  target_link_libraries(tilewright_same_kernel PRIVATE tilewright_cuda tilewright_flags)
  set_target_properties(tilewright_same_kernel PROPERTIES INSTALL_RPATH "${cuda_rpath}")
endif()
if(TILEWRIGHT_FUZZ)
  foreach(target tilewright_core tilewright_brief tilewright_draw tilewright_store
      tilewright_exchange tilewright_worker tilewright_options tilewright_app)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endforeach()
  # The command line in the process: the program's sources but its main.
  get_target_property(cli_sources tilewright SOURCES)
  list(FILTER cli_sources EXCLUDE REGEX "main\\.cpp$")
  add_executable(formats_fuzz tests/fuzz/formats_fuzz.cpp ${cli_sources})
  target_include_directories(formats_fuzz PRIVATE tests)
  target_compile_definitions(formats_fuzz PRIVATE TILEWRIGHT_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  target_link_libraries(formats_fuzz PRIVATE tilewright_app CLI11::CLI11 tilewright_flags)
  target_link_options(formats_fuzz PRIVATE -fsanitize=fuzzer)
endif()
