#pragma once
// A Trace is a Perfetto trace, decoded without its schema and without the code of the writer.

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace heddle::trace {

// A message decoded without its schema: for every field number the values in file order.
struct Message {
  struct Value {
    std::uint64_t number = 0;
    std::string bytes;
    int wire = 0;
  };
  std::map<int, std::vector<Value>> fields;

  bool has(int field) const { return fields.count(field) != 0; }
  std::uint64_t number(int field) const { return has(field) ? fields.at(field).front().number : 0; }
  std::string text(int field) const { return has(field) ? fields.at(field).front().bytes : ""; }
  Message message(int field) const { return decode(text(field)); }
  static Message decode(const std::string& bytes);
};

class Reader {
 public:
  explicit Reader(const std::string& bytes) : bytes_(bytes) {}
  bool done() const { return at_ == bytes_.size(); }
  std::string take(std::uint64_t count) {
    if (count > bytes_.size() - at_) throw std::runtime_error("truncated");
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw std::runtime_error("varint too long");
  }
  std::uint64_t fixed64() {
    std::uint64_t value = 0;
    for (int i = 0; i < 8; ++i)
      value |= static_cast<std::uint64_t>(static_cast<unsigned char>(take(1)[0])) << 8 * i;
    return value;
  }

 private:
  const std::string& bytes_;
  std::size_t at_ = 0;
};

inline Message Message::decode(const std::string& bytes) {
  Message message;
  for (Reader reader(bytes); !reader.done();) {
    const std::uint64_t tag = reader.varint();
    Value value;
    value.wire = static_cast<int>(tag & 7);
    if (value.wire == 0) {
      value.number = reader.varint();
    } else if (value.wire == 1) {
      value.number = reader.fixed64();
    } else if (value.wire == 2) {
      value.bytes = reader.take(reader.varint());
    } else {
      throw std::runtime_error("unknown wire type");
    }
    message.fields[static_cast<int>(tag >> 3)].push_back(value);
  }
  return message;
}

struct Event {
  std::string track, name;
  std::uint64_t ns = 0, type = 0;
  Message fields;
  std::map<std::string, std::uint64_t> arguments;
};

enum : std::uint64_t { kBegin = 1, kEnd = 2, kInstant = 3, kCounter = 4 };

// A trace as a viewer interprets it.
struct Trace {
  explicit Trace(const std::string& bytes) {
    const Message file = Message::decode(bytes);
    for (const auto& value : file.fields.at(1)) {
      packets.push_back(Message::decode(value.bytes));
      read(packets.back());
    }
  }

  void read(const Message& packet) {
    EXPECT_EQ(packet.number(10), 1u);  // all packets belong to one sequence
    if (packet.has(12)) {
      const bool of_arguments = packet.message(12).has(3);
      const Message entry = packet.message(12).message(of_arguments ? 3 : 2);
      EXPECT_TRUE((of_arguments ? argument_names : names).emplace(entry.number(1), entry.text(2)).second);
    }
    if (packet.has(60)) {
      const Message track = packet.message(60);
      EXPECT_TRUE(tracks.emplace(track.number(1), track).second);
      EXPECT_TRUE(!track.has(5) || tracks.count(track.number(5)) == 1) << "parents come first";
    }
    if (packet.has(11)) read_event(packet);
  }

  void read_event(const Message& packet) {
    const Message event = packet.message(11);
    ASSERT_EQ(tracks.count(event.number(11)), 1u);
    if (event.has(10)) {
      EXPECT_EQ(packet.number(13), 2u) << "an interned name needs the state";
      EXPECT_EQ(names.count(event.number(10)), 1u);
    }
    events.push_back({tracks[event.number(11)].text(2), names[event.number(10)], packet.number(8),
                      event.number(9), event, arguments_of(event)});
  }

  std::map<std::string, std::uint64_t> arguments_of(const Message& event) const {
    std::map<std::string, std::uint64_t> arguments;
    if (!event.has(4)) return arguments;
    for (const Message::Value& value : event.fields.at(4)) {
      const Message argument = Message::decode(value.bytes);
      EXPECT_EQ(argument_names.count(argument.number(1)), 1u);
      arguments.emplace(argument_names.at(argument.number(1)), argument.number(3));
    }
    return arguments;
  }

  std::vector<Message> packets;
  std::map<std::uint64_t, Message> tracks;
  std::map<std::uint64_t, std::string> names, argument_names;
  std::vector<Event> events;
};

}  // namespace heddle::trace
