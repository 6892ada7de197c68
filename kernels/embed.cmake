# cmake -DROOT=DIR -DFILES=a,b -DOUTPUT=FILE.cpp -P embed.cmake
# Writes the C++ source that holds every file of ROOT as text, for lib/gpu/compile/embedded_kernels.hpp.
string(REPLACE "," ";" FILES "${FILES}")
set(body "")
foreach(path IN LISTS FILES)
  file(READ ${ROOT}/${path} text)
  string(FIND "${text}" ")embedded\"" terminator)
  if(NOT terminator EQUAL -1)
    message(FATAL_ERROR "${ROOT}/${path} holds )embedded\", which ends the literal around it")
  endif()
  string(APPEND body "    {\"${path}\", R\"embedded(${text})embedded\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"gpu/compile/embedded_kernels.hpp\"

namespace tilewright {
namespace {

constexpr EmbeddedFile kFiles[] = {
${body}};

}  // namespace

std::span<const EmbeddedFile> embedded_kernels() { return kFiles; }

}  // namespace tilewright
")
