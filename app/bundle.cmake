# cmake -DBUILD=DIR -P bundle.cmake
# Packs BUILD's programs, presets and the shared libraries they need into
# BUILD/tilewright-bundle.tar.gz, which runs from any folder of a host that has only glibc and, for
# GPU work, a driver and the CUDA runtime libraries.
set(name tilewright-bundle)
set(stage ${BUILD}/${name})
set(limit_bytes 67108864)

file(REMOVE_RECURSE ${stage})
execute_process(COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET
  COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${stage} --component programs --strip)

# The host provides glibc, driver and CUDA: a copy would not fit its kernel, driver or GPU.
set(of_host "^ld-linux" "^lib(c|m|dl|rt|pthread|resolv|util)\\.so"
  "^lib(cuda|cudart|nvrtc|nvrtc-builtins|cublas|cublasLt|cupti|nvJitLink|nvperf_.*)\\.so")
file(GLOB programs ${stage}/bin/tilewright ${stage}/bin/tilewright_gpu_tests)
file(GLOB modules ${stage}/bin/*.so)
file(GET_RUNTIME_DEPENDENCIES
  EXECUTABLES ${programs} MODULES ${modules}
  RESOLVED_DEPENDENCIES_VAR libraries
  PRE_EXCLUDE_REGEXES ${of_host})
foreach(library IN LISTS libraries)
  file(INSTALL ${library} DESTINATION ${stage}/lib FOLLOW_SYMLINK_CHAIN)
endforeach()

execute_process(COMMAND_ERROR_IS_FATAL ANY WORKING_DIRECTORY ${BUILD}
  COMMAND ${CMAKE_COMMAND} -E tar czf ${stage}.tar.gz ${name})
file(SIZE ${stage}.tar.gz bytes)
if(bytes GREATER limit_bytes)
  message(FATAL_ERROR "${stage}.tar.gz has ${bytes} bytes, more than the ${limit_bytes} allowed")
endif()
message(STATUS "${stage}.tar.gz: ${bytes} bytes")
