// A harness on host memory. `prepare` always fails with the build number, a variable that g++ marks
// as unique to the process. Two builds in one process must each report their own number.
#include <tilewright_harness.h>

#include <cstdio>

// g++ marks only symbols unique that other libraries may define too, as a template's variable.
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
