#include "tests/support/ptx/ptx_program.h"

#include <fmt/format.h>

namespace heddle::ptx {
namespace {

class ProgramMaker {
 public:
  explicit ProgramMaker(Random& random) : random_(random) {}

  Program make() {
    Program program;
    for (auto& function : program) function = block(0, 0);
    return program;
  }

 private:
  std::uint32_t below(std::uint64_t end) { return static_cast<std::uint32_t>(random_.below(end)); }

  std::vector<ProgramNode> block(std::uint32_t depth, std::uint32_t loops) {
    std::vector<ProgramNode> all;
    for (std::uint32_t left = 1 + below(5); left > 0; --left) all.push_back(statement(depth, loops));
    return all;
  }

  ProgramNode statement(std::uint32_t depth, std::uint32_t loops) {
    using Kind = ProgramNode::Kind;
    constexpr Kind kKinds[] = {Kind::kMix,  Kind::kMix,   Kind::kSet,   Kind::kSet,      Kind::kStore,
                               Kind::kLoad, Kind::kIf,    Kind::kIf,    Kind::kIf,       Kind::kLoop,
                               Kind::kLoop, Kind::kBreak, Kind::kBreak, Kind::kContinue, Kind::kReturn,
                               Kind::kExit, Kind::kCall,  Kind::kCall};
    ProgramNode result;
    result.kind = kKinds[below(std::size(kKinds))];
    const bool nests = result.kind == Kind::kIf || result.kind == Kind::kLoop;
    if (nests && depth == 5) result.kind = Kind::kMix;
    if ((result.kind == Kind::kBreak || result.kind == Kind::kContinue) && loops == 0)
      result.kind = Kind::kMix;
    result.a = below(kProgramRegisters);
    result.b = below(kProgramRegisters);
    result.number = below(1000);
    result.mask = std::array<std::uint32_t, 5>{1, 2, 7, 12, 31}[below(5)];
    result.value = below(2) == 0 ? 0 : below(32) & result.mask;
    result.level = result.kind == Kind::kBreak ? 1 + below(loops) : 1 + below(kProgramFunctions - 1);
    if (result.kind == Kind::kIf) {
      result.body = block(depth + 1, loops);
      if (below(2) == 0) result.other = block(depth + 1, loops);
    }
    if (result.kind == Kind::kLoop) result.body = block(depth + 1, loops + 1);
    return result;
  }

  Random& random_;
};

class ScalarRun {
 public:
  ScalarRun(const Program& program, std::uint32_t thread) : program_(program) {
    Frame frame{{thread, thread * 7 + 1, thread / 3, 5}, {}, 3};
    block(program_[0], frame);
  }
  std::uint32_t log() const { return log_; }
  bool too_long() const { return steps_ > kMostSteps; }

 private:
  static constexpr std::uint32_t kMostSteps = 3000;
  enum class End : std::uint8_t { kNormal, kBreak, kContinue, kReturn, kExit };
  struct Frame {
    std::array<std::uint32_t, kProgramRegisters> registers;
    std::array<std::uint32_t, kProgramRegisters> local;
    std::uint32_t depth;
  };

  End block(const std::vector<ProgramNode>& statements, Frame& frame) {
    for (const ProgramNode& one : statements)
      if (const End end = run(one, frame); end != End::kNormal) return end;
    return End::kNormal;
  }

  End run(const ProgramNode& one, Frame& frame) {
    if (++steps_ > kMostSteps) return End::kExit;
    std::uint32_t& a = frame.registers[one.a];
    const std::uint32_t b = frame.registers[one.b];
    const bool holds = (a & one.mask) == one.value;
    switch (one.kind) {
      case ProgramNode::Kind::kMix:
        log_ = log_ * 31 + a + one.number;
        return End::kNormal;
      case ProgramNode::Kind::kSet:
        a = b * 5 + one.number;
        return End::kNormal;
      case ProgramNode::Kind::kStore:
        frame.local[one.number % kProgramRegisters] = a;
        return End::kNormal;
      case ProgramNode::Kind::kLoad:
        a = frame.local[one.number % kProgramRegisters];
        return End::kNormal;
      case ProgramNode::Kind::kIf:
        return block(holds ? one.body : one.other, frame);
      case ProgramNode::Kind::kLoop:
        return loop(one, a & 3U, frame);
      case ProgramNode::Kind::kBreak:
        breaks_ = one.level;
        return holds ? End::kBreak : End::kNormal;
      case ProgramNode::Kind::kContinue:
        return holds ? End::kContinue : End::kNormal;
      case ProgramNode::Kind::kReturn:
        return holds ? End::kReturn : End::kNormal;
      case ProgramNode::Kind::kExit:
        return holds ? End::kExit : End::kNormal;
      case ProgramNode::Kind::kCall:
        return holds && frame.depth > 0 ? call(one, b, frame) : End::kNormal;
    }
    return End::kNormal;
  }

  End loop(const ProgramNode& one, std::uint32_t turns, Frame& frame) {
    for (; turns > 0; --turns) {
      const End end = block(one.body, frame);
      if (end == End::kBreak && --breaks_ > 0) return end;
      if (end == End::kBreak) break;
      if (end == End::kReturn || end == End::kExit) return end;
    }
    return End::kNormal;
  }

  End call(const ProgramNode& one, std::uint32_t argument, Frame& frame) {
    Frame callee{{argument, argument ^ one.number, 3, 4}, {}, frame.depth - 1};
    if (block(program_[one.level], callee) == End::kExit) return End::kExit;
    frame.registers[one.a] = callee.registers[1];
    return End::kNormal;
  }

  const Program& program_;
  std::uint32_t log_ = 1;
  std::uint32_t breaks_ = 0;
  std::uint32_t steps_ = 0;
};

class ProgramText {
 public:
  static std::string of(const Program& program) {
    std::string text = ".version 7.8\n.target sm_75\n.address_size 64\n.global .align 4 .b32 log[32];\n";
    for (std::uint32_t i = 1; i < kProgramFunctions; ++i) text += head(i) + ";\n";
    for (std::uint32_t i = 0; i < kProgramFunctions; ++i) text += ProgramText().function(program[i], i);
    return text;
  }

 private:
  static std::string head(std::uint32_t index) {
    if (index == 0) return ".visible .entry k()";
    return fmt::format(".func (.param .b32 back) f{} (.param .b32 x, .param .b32 y, .param .b32 depth)",
                       index);
  }

  std::string function(const std::vector<ProgramNode>& statements, std::uint32_t index) {
    text_ = head(index) +
            " {\n.reg .b32 %a<4>; .reg .b32 %n<4096>; .reg .b32 %t<8>; .reg .b64 %rd<4>; .reg .pred %p<4>;\n"
            ".local .align 4 .b32 l[4];\nmov.u32 %t0, %tid.x; mul.wide.u32 %rd0, %t0, 4; mov.u64 %rd1, log; "
            "add.u64 %rd0, %rd0, %rd1;\nmov.u32 %t1, 0; st.local.u32 [l], %t1; st.local.u32 [l+4], %t1; "
            "st.local.u32 [l+8], %t1; st.local.u32 [l+12], %t1;\n";
    if (index == 0)
      text_ +=
          "mov.u32 %a0, %t0; mad.lo.u32 %a1, %t0, 7, 1; div.u32 %a2, %t0, 3; mov.u32 %a3, 5; mov.u32 %t7, "
          "3;\n"
          "mov.u32 %t1, 1; st.global.u32 [%rd0], %t1;\n";
    else
      text_ +=
          "ld.param.u32 %a0, [x]; ld.param.u32 %a1, [y]; mov.u32 %a2, 3; mov.u32 %a3, 4; ld.param.u32 %t7, "
          "[depth];\n";
    entry_ = index == 0;
    block(statements);
    line(entry_ ? "ret;\n}" : "st.param.b32 [back], %a1;\nret;\n}");
    return text_;
  }

  void line(const std::string& text) { text_ += text + "\n"; }
  void block(const std::vector<ProgramNode>& statements) {
    for (const ProgramNode& one : statements) write(one);
  }
  void condition(const ProgramNode& one) {
    line(fmt::format("and.b32 %t1, %a{}, {}; setp.eq.u32 %p1, %t1, {};", one.a, one.mask, one.value));
  }

  void write(const ProgramNode& one) {
    switch (one.kind) {
      case ProgramNode::Kind::kMix:
        return line(
            fmt::format("ld.global.u32 %t1, [%rd0]; mad.lo.u32 %t1, %t1, 31, %a{}; add.u32 %t1, %t1, {}; "
                        "st.global.u32 [%rd0], %t1;",
                        one.a, one.number));
      case ProgramNode::Kind::kSet:
        return line(fmt::format("mad.lo.u32 %a{}, %a{}, 5, {};", one.a, one.b, one.number));
      case ProgramNode::Kind::kStore:
        return line(fmt::format("st.local.u32 [l+{}], %a{};", 4 * (one.number % kProgramRegisters), one.a));
      case ProgramNode::Kind::kLoad:
        return line(fmt::format("ld.local.u32 %a{}, [l+{}];", one.a, 4 * (one.number % kProgramRegisters)));
      case ProgramNode::Kind::kIf:
        return branch(one);
      case ProgramNode::Kind::kLoop:
        return loop(one);
      case ProgramNode::Kind::kBreak:
        condition(one);
        return line(fmt::format("@%p1 bra END{};", loops_[loops_.size() - one.level]));
      case ProgramNode::Kind::kContinue:
        condition(one);
        return line(fmt::format("@%p1 bra NEXT{};", loops_.back()));
      case ProgramNode::Kind::kReturn:
        condition(one);
        if (!entry_) line("@%p1 st.param.b32 [back], %a1;");
        return line("@%p1 ret;");
      case ProgramNode::Kind::kExit:
        condition(one);
        return line("@%p1 exit;");
      case ProgramNode::Kind::kCall:
        return call(one);
    }
  }

  void branch(const ProgramNode& one) {
    const std::uint32_t label = labels_++;
    condition(one);
    line(fmt::format("@!%p1 bra ELSE{};", label));
    block(one.body);
    line(fmt::format("bra.uni DONE{0};\nELSE{0}:", label));
    block(one.other);
    line(fmt::format("DONE{}:", label));
  }

  void loop(const ProgramNode& one) {
    const std::uint32_t label = labels_++;
    line(fmt::format("and.b32 %n{0}, %a{1}, 3;\nTOP{0}:\nsetp.eq.u32 %p2, %n{0}, 0; @%p2 bra END{0};", label,
                     one.a));
    loops_.push_back(label);
    block(one.body);
    loops_.pop_back();
    line(fmt::format("NEXT{0}:\nsub.u32 %n{0}, %n{0}, 1; bra TOP{0};\nEND{0}:", label));
  }

  void call(const ProgramNode& one) {
    condition(one);
    line(fmt::format("setp.ne.and.u32 %p1, %t7, 0, %p1; sub.u32 %t2, %t7, 1; xor.b32 %t3, %a{}, {};", one.b,
                     one.number));
    if (one.number % 2 == 0)
      return line(fmt::format("@%p1 call (%a{}), f{}, (%a{}, %t3, %t2);", one.a, one.level, one.b));
    const std::uint32_t label = labels_++;
    line(fmt::format("@!%p1 bra OVER{};\n{{ .param .b32 p0; .param .b32 p1; .param .b32 p2; .param .b32 r0;",
                     label));
    line(fmt::format("st.param.b32 [p0], %a{}; st.param.b32 [p1], %t3; st.param.b32 [p2], %t2;", one.b));
    line(fmt::format("call.uni (r0), f{}, (p0, p1, p2);\nld.param.b32 %a{}, [r0]; }}\nOVER{}:", one.level,
                     one.a, label));
  }

  std::string text_;
  std::vector<std::uint32_t> loops_;
  std::uint32_t labels_ = 0;
  bool entry_ = false;
};

}  // namespace

Program random_program(Random& random) {
  return ProgramMaker(random).make();
}

std::optional<std::uint32_t> log_of(const Program& program, std::uint32_t thread) {
  const ScalarRun run(program, thread);
  if (run.too_long()) return std::nullopt;
  return run.log();
}

std::string text_of(const Program& program) {
  return ProgramText::of(program);
}

}  // namespace heddle::ptx
