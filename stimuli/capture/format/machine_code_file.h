#pragma once
// The registers of the kernels in a cubin, which is the ELF file of a GPU's machine code.
//
// The section .nv.info has records {u8 format, u8 attribute, u16 value or bytes}; records of format 4 have
// that many bytes behind them. Attribute 0x2f is {u32 symbol, u32 registers} (CuAssembler, CuNVInfo.py).
// Older files have the count in bits 24 to 31 of sh_info of .text.KERNEL instead (maxas, Cubin.pm), which is
// 0 from sm_90 on.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace heddle::capture {

// Returns the registers of a thread by the name of the kernel or function. A relocatable file has none,
// because its counts are not final. Throws config::Error, whose message starts with `name`, for a damaged
// file and for a kernel without a count.
std::map<std::string, std::uint32_t> registers_of_machine_code(std::string_view bytes,
                                                               const std::string& name);

}  // namespace heddle::capture
