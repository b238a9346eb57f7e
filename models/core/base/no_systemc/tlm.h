#error "pure logic cannot include <tlm.h>: SystemC belongs to the module files"
