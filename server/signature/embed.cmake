# ff_embedded_signatures: every file of signatures/ as data in the binary, so that the binary works copied alone.
# A change of one file, a new one and a removed one re-embed. Only CMake and the compiler are needed.
set(signature_folder ${PROJECT_SOURCE_DIR}/signatures)
set(embedded_source ${CMAKE_CURRENT_BINARY_DIR}/embedded_signatures.cpp)
set(embed_script ${CMAKE_CURRENT_LIST_DIR}/embed_files.cmake)

file(GLOB_RECURSE signature_files CONFIGURE_DEPENDS ${signature_folder}/*.json)
list(SORT signature_files)

# The list goes through a file, rewritten only when it changes: a removed signature is then no longer embedded, and a
# command line of hundreds of paths is avoided.
list(JOIN signature_files "\n" signature_list)
set(signature_list_file ${CMAKE_CURRENT_BINARY_DIR}/embedded_signatures.list)
file(CONFIGURE OUTPUT ${signature_list_file} CONTENT "${signature_list}\n" @ONLY)

add_custom_command(
  OUTPUT ${embedded_source}
  COMMAND ${CMAKE_COMMAND} -DLIST=${signature_list_file} -DFOLDER=${signature_folder} -DOUTPUT=${embedded_source} -P
          ${embed_script}
  DEPENDS ${signature_files} ${signature_list_file} ${embed_script}
  COMMENT "Embedding signatures"
  VERBATIM)

add_library(ff_embedded_signatures STATIC ${embedded_source})
target_link_libraries(ff_embedded_signatures PUBLIC ff_signature)
