# Installs Heddle under a prefix of its own, builds the consumers against the package and runs them. It then shows
# that the program and the library read the installed data, because the data that they find exist only there.
#   cmake -D BUILD=<Heddle's build> -D SOURCE=<this folder> -D WORK=<folder to use> [-D FLAGS=...]
#         -D COMPILER=... -D GENERATOR=... -P run.cmake
function(must)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output
    WORKING_DIRECTORY ${WORK}/empty)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGN} ended with ${result}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(must_say text)
  if(NOT output MATCHES "${text}")
    message(FATAL_ERROR "no '${text}' in:\n${output}")
  endif()
endfunction()

unset(ENV{HEDDLE_DATA})
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK}/empty)
set(prefix ${WORK}/prefix)
must(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})

# A prefix may be moved, because no file in it contains the path of its installation.
file(RENAME ${prefix} ${WORK}/moved)
set(prefix ${WORK}/moved)

must(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build -G ${GENERATOR} -D CMAKE_PREFIX_PATH=${prefix}
  -D CMAKE_CXX_COMPILER=${COMPILER} "-D CMAKE_CXX_FLAGS=${FLAGS}" "-D CMAKE_C_FLAGS=${FLAGS}" -D CMAKE_BUILD_TYPE=Release)
must(${CMAKE_COMMAND} --build ${WORK}/build)
must(${WORK}/build/consumer)
must_say("k20-cusched, 13 SMs: 80 blocks done")
file(GLOB_RECURSE trace ${prefix}/*/kernelslist.g)
list(FILTER trace INCLUDE REGEX "/vecadd4k/")
must(${WORK}/build/cycle_consumer ${trace})
must_say("kepler-titan: 2 kernels, 56 blocks, 0 wrong elements")
must(${WORK}/build/c_consumer)
must_say("vector_add: more than 1000 cycles")

# What a test bench and a script need lies in one folder, in which the module finds its library.
file(GLOB_RECURSE package ${prefix}/share/*/heddle_pkg.sv)
get_filename_component(folder ${package} DIRECTORY)
foreach(file heddle_pkg.sv heddle_arbiter_checker.sv heddle.py)
  if(NOT EXISTS ${folder}/${file})
    message(FATAL_ERROR "no ${file} in ${folder}")
  endif()
endforeach()
find_program(PYTHON python3)
if(PYTHON AND NOT FLAGS)  # a sanitizer must be the first library of the process
  must(${CMAKE_COMMAND} -E env PYTHONPATH=${folder} ${PYTHON} -c
    "import heddle\nprint(heddle._library._name, heddle.Policy('dma_arbiter', 'fcfs', 4).choose())")
  must_say("${prefix}/.*/libheddle_c.so None")
endif()

# Only the installed data are read: a change of a platform takes effect, and a platform that exists nowhere else
# is found.
file(GLOB_RECURSE platform ${prefix}/*/k20-cusched.yaml)
file(READ ${platform} text)
string(REPLACE "count: 13 " "count: 11 " changed "${text}")
file(WRITE ${platform} "${changed}")
must(${WORK}/build/consumer)
must_say("k20-cusched, 11 SMs: 80 blocks done")
get_filename_component(folder ${platform} DIRECTORY)
file(RENAME ${platform} ${folder}/only-here.yaml)
must(${WORK}/build/consumer only-here)
must_say("k20-cusched, 11 SMs: 80 blocks done")

file(WRITE ${platform} "${text}")
must(${prefix}/bin/heddle list platforms)
must_say("only-here")
file(REMOVE ${folder}/k40.yaml)
execute_process(COMMAND ${prefix}/bin/heddle check k40 RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
if(result EQUAL 0)
  message(FATAL_ERROR "a platform that is not installed was read from elsewhere")
endif()
must(${prefix}/bin/heddle run vecadd4k --platform gtx480 --cache none --quiet)
must_say("Time of vecadd4k")
must(${prefix}/bin/heddle run parboil-eight --cache none --quiet --set platform=only-here)
must_say("results: results/parboil-eight")
file(READ ${WORK}/empty/results/parboil-eight/platform.yaml used)
if(NOT used MATCHES "count: 11\n")
  message(FATAL_ERROR "another platform was used:\n${used}")
endif()
file(REMOVE_RECURSE ${WORK})
