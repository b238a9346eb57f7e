# Usage: cmake -D PROGRAM=... -D LABEL=... -D APART=SUITE,... -D FILE=... -P suites.cmake
# Writes FILE, which adds the suites of a program of GoogleTest to ctest. A suite is one test, whose cases run in one
# process; FILE names these cases in comments. Each case of a suite in APART is a test of its own.

cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND ${PROGRAM} --gtest_list_tests OUTPUT_VARIABLE list TIMEOUT 60 COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE " *#[^\n]*" "" list "${list}")  # the values of parameters
string(REGEX MATCHALL "[^\n]+" lines "${list}")
string(REPLACE "," ";" APART "${APART}")

set(script "")
function(add name)
  string(APPEND script "add_test([=[${name}]=] [=[${PROGRAM}]=] [=[--gtest_filter=${ARGN}]=])\n"
    "set_tests_properties([=[${name}]=] PROPERTIES LABELS ${LABEL} SKIP_RETURN_CODE 77)\n")
  set(script "${script}" PARENT_SCOPE)
endfunction()

foreach(line IN LISTS lines)
  if(line MATCHES "^([^ ]+)\\.$")
    set(suite ${CMAKE_MATCH_1})
    if(NOT suite IN_LIST APART)
      add(${suite} ${suite}.*)
    endif()
  elseif(line MATCHES "^  ([^ ]+)$")
    set(case ${suite}.${CMAKE_MATCH_1})
    if(suite IN_LIST APART)
      add(${case} ${case})
    else()
      string(APPEND script "# ${case}\n")
    endif()
  endif()
endforeach()
file(WRITE ${FILE} "${script}")
