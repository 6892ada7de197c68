// A harness on host memory with a variable that g++ marks as unique to the process: the build's
// number, which prepare refuses everything with. Two builds in one process each have to say theirs.
#include <tilewright_harness.h>

#include <cstdio>

// Only what others could define too is unique.
template <class Element>
struct SharedKernel {
  static int build;
};
template <class Element>
int SharedKernel<Element>::build = FIXTURE_BUILD;

extern "C" {

int tilewright_harness_describe(TilewrightHarnessDescription* description,
                                TilewrightHarnessMessage*) {
  description->abi_version = TILEWRIGHT_HARNESS_ABI;
  description->json = R"({"name": "unique", "memory": "host", "op": ["gemm"], "dtype": ["bf16"]})";
  return 0;
}

int tilewright_harness_prepare(const TilewrightHarnessProblem*, TilewrightHarnessPlan*,
                               TilewrightHarnessMessage* message) {
  std::snprintf(message->text, sizeof(message->text), "this is build %d",
                SharedKernel<float>::build);
  return 1;
}

int tilewright_harness_run(void*, const TilewrightHarnessOperands*, void*,
                           TilewrightHarnessMessage*) {
  return 1;
}

void tilewright_harness_release(void*) {}

}  // extern "C"
