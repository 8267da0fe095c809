# find_package(torqsched): the targets
#
#   torqsched::torqsched         the archive, with what it needs of the C++ runtime
#   torqsched::torqsched_shared  the shared library
#
# and TORQSCHED_PROTO_DIR, the directory to import "torqsched/v1/schedule.proto" from.
get_filename_component(_torqsched_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(TORQSCHED_PROTO_DIR "${_torqsched_prefix}/include")

if(NOT TARGET torqsched::torqsched)
  include(CMakeFindDependencyMacro)
  find_dependency(Threads)

  add_library(torqsched::torqsched STATIC IMPORTED)
  set_target_properties(torqsched::torqsched PROPERTIES
    IMPORTED_LOCATION "${_torqsched_prefix}/lib/libtorqsched.a"
    INTERFACE_INCLUDE_DIRECTORIES "${_torqsched_prefix}/include"
    INTERFACE_LINK_LIBRARIES "stdc++;m;Threads::Threads")

  add_library(torqsched::torqsched_shared SHARED IMPORTED)
  set_target_properties(torqsched::torqsched_shared PROPERTIES
    IMPORTED_LOCATION "${_torqsched_prefix}/lib/libtorqsched.so.@VERSION@"
    IMPORTED_SONAME "@SONAME@"
    INTERFACE_INCLUDE_DIRECTORIES "${_torqsched_prefix}/include")
endif()
unset(_torqsched_prefix)
