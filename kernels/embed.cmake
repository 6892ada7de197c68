# cmake -DROOT=DIR -DFILES=a,b -DNAME=function -DHEADER=its.hpp -DOUTPUT=FILE.cpp -P embed.cmake
# Writes a C++ source that holds the FILES of ROOT as text; NAME(), declared by HEADER, returns
# them.
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
file(WRITE ${OUTPUT} "#include \"${HEADER}\"

namespace tilewright {
namespace {

constexpr EmbeddedFile kFiles[] = {
${body}};

}  // namespace

std::span<const EmbeddedFile> ${NAME}() { return kFiles; }

}  // namespace tilewright
")
