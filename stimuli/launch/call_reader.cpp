#include "stimuli/launch/call_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "stimuli/application/call_names.h"
#include "stimuli/application/stream_cycles.h"

namespace heddle {

namespace {

constexpr std::uint64_t kMostRepeats = 1000000000;
constexpr std::int64_t kMostRounds = 1000000;  // the most rounds of an `until` without `most`

const std::vector<std::string> kCalls{"launch",  "set",       "repeat",      "until", "swap",
                                      "copy_up", "copy_down", "copy_across", "fill",  "cpu",
                                      "record",  "wait",      "synchronise"};

}  // namespace

void CallReader::read(const config::Section& root) {
  const config::Value program = root.value("program");
  read_list(program);
  streams_.finish();
  if (program.is_list() && !launches_) program.problem("it launches nothing");
  surround(program);
  for (const std::string& cycle : stream_cycles(program_, places_)) program.problem(cycle);
}

void CallReader::read_list(const config::Value& list) {
  for (const config::Value& call : list.list()) read_call(call);
}

void CallReader::read_call(const config::Value& value) {
  const std::string verb = verb_of(value, kCalls);
  if (verb.empty()) return;
  const config::Section section = value.section();
  const config::Value of_verb = section.value(verb);
  if (verb == "repeat") return read_repeat(section, of_verb);
  if (verb == "until") return read_until(section, of_verb);
  if (verb == "set") return read_set(section, of_verb);
  ApiCall call;
  read_one(verb, section, of_verb, call);
  add(call, of_verb);
}

void CallReader::read_one(const std::string& verb, const config::Section& section, const config::Value& value,
                          ApiCall& call) {
  launches_ = launches_ || verb == "launch";
  if (verb == "launch") {
    call.stream = streams_.stream_of(section);
    return steps_.read(section, value, is_reached_, call);
  }
  if (verb == "swap") return read_swap(value, call);
  if (verb == "copy_up" || verb == "copy_down") return read_copy(verb == "copy_up", section, value, call);
  if (verb == "copy_across") return read_copy_across(section, value, call);
  if (verb == "fill") return read_fill(section, value, call);
  if (verb == "record") return streams_.read_record(section, value, call);
  if (verb == "wait") return streams_.read_wait(section, value, call);
  if (verb == "synchronise") return streams_.read_synchronise(value, call);
  call.kind = ApiCall::Kind::kCpu;
  call.time_ps = value.time_ps();
}

void CallReader::read_set(const config::Section& section, const config::Value& value) {
  const std::string text = value.text();
  const std::uint32_t stream = streams_.stream_of(section);
  const std::size_t equals = text.find('=');
  if (!value.is_scalar()) return;
  if (equals == std::string::npos || text.compare(equals, 2, "==") == 0)
    return value.problem(fmt::format("'{}' is not of the form NAME = VALUE", text));
  const std::string target = split_at_commas(text.substr(0, equals)).front();
  LaunchAction action;
  action.value = values_.parse(value, split_at_commas(text.substr(equals + 1)).front());
  copy_words_down(action.value, stream, value);
  ApiCall call;
  call.kind = ApiCall::Kind::kHost;
  if (!target.empty() && target.back() == ']') {
    const Expression word = values_.parse(value, target);
    if (!word.is_word()) return;
    action.kind = LaunchAction::Kind::kWord;
    action.word = word.words().front();
    plan_.buffers[action.word.buffer].used = true;
    call.action = add_action(action, value);
    add(call, value);
    call = word_copy(action.word, stream);
    call.kind = ApiCall::Kind::kCopyUp;
    return add(call, value);
  }
  action.variable = index_of("variable", value, target, plan_.variables);
  if (action.variable == plan_.variables.size()) return;
  call.action = add_action(action, value);
  add(call, value);
}

void CallReader::read_repeat(const config::Section& section, const config::Value& value) {
  ApiCall call;
  call.kind = ApiCall::Kind::kRepeat;
  call.count = static_cast<std::uint64_t>(values_.whole(value, 0, kMostRepeats));
  const std::uint64_t around = repeats_;
  const std::size_t before = program_.calls.size();
  if (call.count > kMostRepeats / around)
    value.problem(fmt::format("more than {} repetitions in all", kMostRepeats));
  else
    repeats_ *= std::max<std::uint64_t>(call.count, 1);
  add(call, value);
  const bool was_reached = is_reached_;
  is_reached_ = was_reached && call.count != 0;
  read_list(section.value("body"));
  is_reached_ = was_reached;
  repeats_ = around;
  call.kind = ApiCall::Kind::kEnd;
  add(call, value);
  if (call.count != 0) return;
  program_.calls.resize(before);
  places_.resize(before);
}

void CallReader::read_until(const config::Section& section, const config::Value& value) {
  LaunchAction action;
  action.kind = LaunchAction::Kind::kUntil;
  action.value = values_.expression(value);
  action.most = static_cast<std::uint64_t>(
      section.has("most") ? values_.whole(section.value("most"), 1, kMostRepeats) : kMostRounds);
  const std::uint32_t stream = streams_.stream_of(section);
  ApiCall call;
  call.kind = ApiCall::Kind::kRepeat;
  call.count = action.most;
  call.action = add_action(action, value);
  add(call, value);
  read_list(section.value("body"));
  copy_words_down(action.value, stream, value);
  call.kind = ApiCall::Kind::kEnd;
  add(call, value);
}

void CallReader::read_swap(const config::Value& value, ApiCall& call) {
  call.kind = ApiCall::Kind::kSwap;
  const std::vector<std::string> names = items_of(value);
  if (names.size() != 2) return value.problem(fmt::format("two buffers are wanted, it has {}", names.size()));
  const std::uint32_t a = buffer_named(value, names[0]);
  const std::uint32_t b = buffer_named(value, names[1]);
  if (a == plan_.buffers.size() || b == plan_.buffers.size()) return;
  if (plan_.buffers[a].bytes() != plan_.buffers[b].bytes())
    value.problem(fmt::format("'{}' has {} bytes, '{}' {}", names[0], plan_.buffers[a].bytes(), names[1],
                              plan_.buffers[b].bytes()));
  call.buffer = plan_.program_buffer(a);
  call.other = plan_.program_buffer(b);
}

void CallReader::read_copy(bool up, const config::Section& section, const config::Value& value,
                           ApiCall& call) {
  call.kind = up ? ApiCall::Kind::kCopyUp : ApiCall::Kind::kCopyDown;
  call.stream = streams_.stream_of(section);
  call.asynchronous = section.boolean("asynchronous", false);
  const char* const variable_key = up ? "to" : "from";
  const bool whole = !section.has(variable_key);
  const std::uint32_t buffer = buffer_named(value, value.text(), whole);
  if (buffer == plan_.buffers.size()) return;
  call.buffer = plan_.program_buffer(buffer);
  call.bytes = plan_.buffers[buffer].bytes();
  if (whole) return;
  const config::Value name = section.value(variable_key);
  std::vector<std::string> known;
  for (std::uint32_t code = 0; code < plan_.codes.size(); ++code) {
    const ptx::Image& image = image_of(*plan_.codes[code]);
    for (std::uint32_t i = 0; i < image.offsets.size(); ++i) {
      const ptx::Variable& variable = image.module->variables[i];
      if (image.offsets[i] == ptx::Image::kNowhere || !variable.in_module) continue;
      known.push_back(variable.name);
      if (variable.name != name.text()) continue;
      if (call.bytes > variable.bytes)
        name.problem(fmt::format("'{}' has {} bytes, '{}' {}", variable.name, variable.bytes,
                                 plan_.buffers[buffer].name, call.bytes));
      call.other = call.buffer;
      call.buffer = code;
      call.offset = image.offsets[i];
      return;
    }
  }
  index_of("variable of the module", name, name.text(), known);
}

void CallReader::read_copy_across(const config::Section& section, const config::Value& value, ApiCall& call) {
  call.kind = ApiCall::Kind::kCopyAcross;
  call.stream = streams_.stream_of(section);
  const config::Value to = section.value("to");
  const std::uint32_t source = buffer_named(value, value.text());
  const std::uint32_t target = buffer_named(to, to.text());
  if (source == plan_.buffers.size() || target == plan_.buffers.size()) return;
  const std::uint64_t most = std::min(plan_.buffers[source].bytes(), plan_.buffers[target].bytes());
  call.bytes = section.has("bytes") ? static_cast<std::uint64_t>(values_.whole(
                                          section.value("bytes"), 1, static_cast<std::int64_t>(most)))
                                    : plan_.buffers[source].bytes();
  if (call.bytes > most)
    to.problem(
        fmt::format("'{}' has {} bytes, of '{}' it has {}", value.text(), call.bytes, to.text(), most));
  call.buffer = plan_.program_buffer(target);
  call.other = plan_.program_buffer(source);
}

void CallReader::read_fill(const config::Section& section, const config::Value& value, ApiCall& call) {
  call.kind = ApiCall::Kind::kFill;
  call.stream = streams_.stream_of(section);
  call.value = static_cast<std::uint8_t>(values_.whole(section.value("with"), 0, 0xff));
  const std::uint32_t buffer = buffer_named(value, value.text());
  if (buffer == plan_.buffers.size()) return;
  call.buffer = plan_.program_buffer(buffer);
  const std::uint64_t whole = plan_.buffers[buffer].bytes();
  call.bytes = section.has("bytes") ? static_cast<std::uint64_t>(values_.whole(
                                          section.value("bytes"), 1, static_cast<std::int64_t>(whole)))
                                    : whole;
}

std::uint32_t CallReader::buffer_named(const config::Value& value, const std::string& name, bool used) {
  const std::uint32_t buffer = index_of("buffer", value, name, names_of(plan_.buffers));
  if (buffer < plan_.buffers.size() && used) plan_.buffers[buffer].used = true;
  return buffer;
}

ApiCall CallReader::word_copy(const BufferWord& word, std::uint32_t stream) const {
  const std::uint64_t bytes = bytes_of(plan_.buffers[word.buffer].type);
  ApiCall call;
  call.kind = ApiCall::Kind::kCopyDown;
  call.stream = stream;
  call.buffer = plan_.program_buffer(word.buffer);
  call.bytes = bytes;
  call.offset = call.other_offset = word.index * bytes;
  return call;
}

void CallReader::copy_words_down(const Expression& expression, std::uint32_t stream,
                                 const config::Value& value) {
  for (const BufferWord& word : expression.words()) {
    plan_.buffers[word.buffer].used = true;
    add(word_copy(word, stream), value);
  }
}

std::uint32_t CallReader::add_action(LaunchAction action, const config::Value& value) {
  action.place = fmt::format("{}: {}", value.place(), value.path());
  plan_.actions.push_back(std::move(action));
  return static_cast<std::uint32_t>(plan_.actions.size() - 1);
}

void CallReader::add(const ApiCall& call, const config::Value& value) {
  program_.calls.push_back(call);
  places_.push_back(value.place());
}

void CallReader::surround(const config::Value& program) {
  std::vector<ApiCall> body;
  std::vector<std::string> places;
  body.swap(program_.calls);
  places.swap(places_);
  ApiCall call;
  const auto add_for = [&](ApiCall::Kind kind, std::uint32_t buffer) {
    call.kind = kind;
    call.buffer = buffer;
    call.bytes = program_.buffers[buffer].bytes;
    add(call, program);
  };
  std::vector<std::uint32_t> allocated;
  for (std::uint32_t i = 0; i < program_.buffers.size(); ++i)
    if (i < plan_.codes.size() || plan_.buffers[i - plan_.codes.size()].used) allocated.push_back(i);
  for (const std::uint32_t buffer : allocated) add_for(ApiCall::Kind::kAllocate, buffer);
  for (const std::uint32_t buffer : allocated) {
    const bool is_code = buffer < plan_.codes.size();
    const LaunchBuffer* const data = is_code ? nullptr : &plan_.buffers[buffer - plan_.codes.size()];
    if (is_code || (data->make && !data->zeroed)) add_for(ApiCall::Kind::kCopyUp, buffer);
    if (!is_code && data->zeroed) add_for(ApiCall::Kind::kFill, buffer);
  }
  program_.calls.insert(program_.calls.end(), body.begin(), body.end());
  places_.insert(places_.end(), places.begin(), places.end());
  call = {};
  call.kind = ApiCall::Kind::kSynchronise;
  call.stream = ApiCall::kAllStreams;
  add(call, program);
  call = {};
  add_check_copies(program);
  for (const std::uint32_t buffer : allocated) add_for(ApiCall::Kind::kFree, buffer);
}

void CallReader::add_check_copies(const config::Value& program) {
  const LaunchCheck& check = plan_.check;
  for (std::uint32_t i = 0; i < plan_.buffers.size(); ++i) {
    const LaunchBuffer& buffer = plan_.buffers[i];
    bool checked = std::any_of(check.expected.begin(), check.expected.end(),
                               [&](const LaunchCheck::Expected& expected) { return expected.buffer == i; });
    if (check.reference != nullptr)
      for (const kernels::Output& output : check.reference->outputs)
        checked = checked || output.buffer == buffer.name;
    if (!checked) continue;
    if (!buffer.used) {
      program.problem(fmt::format("it does not use '{}', which is checked", buffer.name));
      continue;
    }
    ApiCall call;
    call.kind = ApiCall::Kind::kCopyDown;
    call.buffer = plan_.program_buffer(i);
    call.bytes = buffer.bytes();
    add(call, program);
  }
}

}  // namespace heddle
