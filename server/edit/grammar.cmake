# The Python grammar for tree-sitter: generated C out of the npm package tree-sitter-python, compiled in.
# ABI 14, which is the newest that Debian's libtree-sitter loads. Not our code, so our warnings are off for it.
set(grammar_dir ${PROJECT_SOURCE_DIR}/node_modules/tree-sitter-python/src)
foreach(file parser.c scanner.c)
  if(NOT EXISTS ${grammar_dir}/${file})
    message(FATAL_ERROR "${grammar_dir}/${file} is missing: run npm install in ${PROJECT_SOURCE_DIR}")
  endif()
endforeach()
add_library(ts_grammar_python STATIC ${grammar_dir}/parser.c ${grammar_dir}/scanner.c)
target_include_directories(ts_grammar_python PRIVATE ${grammar_dir})
target_compile_options(ts_grammar_python PRIVATE -w)
