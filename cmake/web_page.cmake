# Compiles the files of webui/ into the program: writes a .cc that defines invar::web_page().
function(invar_web_page target)
  set(files index.html style.css app.js api.js connection.js markdown.js message_view.js pace.js
      settings_form.js store.js)
  set(types_html "text/html")
  set(types_css "text/css")
  set(types_js "text/javascript")
  set(arrays "")
  set(entries "")
  foreach(file ${files})
    set(path ${CMAKE_SOURCE_DIR}/webui/${file})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
    file(READ ${path} hex HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
    string(MAKE_C_IDENTIFIER ${file} name)
    get_filename_component(extension ${file} LAST_EXT)
    string(SUBSTRING ${extension} 1 -1 extension)  # without the dot
    if(file STREQUAL "index.html")
      set(url "/")
    else()
      set(url "/${file}")
    endif()
    string(APPEND arrays "constexpr unsigned char k_${name}[] = {${bytes}};\n")
    string(APPEND entries "      {\"${url}\", \"${types_${extension}}; charset=utf-8\",\n"
           "       {reinterpret_cast<const char*>(k_${name}), sizeof(k_${name})}},\n")
  endforeach()
  set(generated ${CMAKE_BINARY_DIR}/generated/web_page.cc)
  file(CONFIGURE OUTPUT ${generated} @ONLY CONTENT "// Made by cmake/web_page.cmake from webui/.
#include \"server/web_page.h\"

namespace invar {
namespace {

@arrays@
}  // namespace

const std::vector<StaticFile>& web_page() {
  static const std::vector<StaticFile> kFiles = {
@entries@  };
  return kFiles;
}

}  // namespace invar
")
  target_sources(${target} PRIVATE ${generated})
endfunction()
