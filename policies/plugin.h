#pragma once
// The compiler of a plug-in includes this header before each source file (-include), together with the number
// of the build for which the plug-in is made: `heddle list plugin-flags` prints both. Classes of C++ have no
// layout that outlives a build, so a plug-in of another build is refused before any code of it runs.

#ifndef HEDDLE_PLUGIN_BUILD
#error "compile a plug-in with the flags that heddle list plugin-flags prints"
#endif

#define HEDDLE_PLUGIN_TEXT_OF(name) #name
#define HEDDLE_PLUGIN_TEXT(name) HEDDLE_PLUGIN_TEXT_OF(name)

namespace {
// The mark is found in the bytes of the file. Each source file of a plug-in has one.
[[gnu::used]] const char kHeddlePluginBuild[] =
    "heddle-plugin-build:" HEDDLE_PLUGIN_TEXT(HEDDLE_PLUGIN_BUILD);
}  // namespace
