#error "pure logic cannot include <systemc.h>: SystemC belongs to the module files"
