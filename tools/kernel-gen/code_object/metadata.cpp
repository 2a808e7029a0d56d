#include "code_object/metadata.hpp"

#include <llvm/BinaryFormat/MsgPackReader.h>

#include "code_object/code_object.hpp"
#include "code_object/elf_image.hpp"

namespace kernelgen::tool {
namespace {

using nlohmann::json;
namespace msgpack = llvm::msgpack;

// msgpack::Document would be shorter, but it compares wild keys without checking their type.
constexpr int max_depth = 16;

msgpack::Object next(msgpack::Reader& reader) {
  msgpack::Object object;
  if (!value_or_throw(reader.read(object), "metadata"))
    throw BadCodeObject("metadata: ends in the middle of a value");
  return object;
}

json read_value(msgpack::Reader& reader, int depth) {
  if (depth > max_depth) throw BadCodeObject("metadata: nested too deeply");
  const msgpack::Object object = next(reader);
  switch (object.Kind) {
    case msgpack::Type::Int:
      return object.Int;
    case msgpack::Type::UInt:
      return object.UInt;
    case msgpack::Type::Boolean:
      return object.Bool;
    case msgpack::Type::Float:
      return object.Float;
    case msgpack::Type::String:
    case msgpack::Type::Binary:
      return std::string(object.Raw.data(), object.Raw.size());
    case msgpack::Type::Array: {
      json array = json::array();
      for (std::size_t i = 0; i < object.Length; ++i) array.push_back(read_value(reader, depth + 1));
      return array;
    }
    case msgpack::Type::Map: {
      json map = json::object();
      for (std::size_t i = 0; i < object.Length; ++i) {
        const json key = read_value(reader, depth + 1);
        if (!key.is_string()) throw BadCodeObject("metadata: a key that is not a string");
        map[key.get_ref<const std::string&>()] = read_value(reader, depth + 1);
      }
      return map;
    }
    case msgpack::Type::Nil:
    case msgpack::Type::Extension:
    case msgpack::Type::Empty:
      return nullptr;
  }
  throw BadCodeObject("metadata: a value of unknown type");
}

}  // namespace

json read_metadata(std::string_view bytes) {
  msgpack::Reader reader(llvm::StringRef(bytes.data(), bytes.size()));
  return read_value(reader, 0);
}

}  // namespace kernelgen::tool
