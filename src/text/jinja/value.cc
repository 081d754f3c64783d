// Accessors of values, and the dict (value.h).
#include "text/jinja/value.h"

#include <cmath>

#include "text/jinja/compare.h"

namespace invar::jinja {
namespace {

// Below this size a walk over the entries is quicker than the index.
constexpr size_t kIndexedDictSize = 12;

constexpr size_t kReasonBytesMax = 500;

struct UndefinedObject : Object {
  std::string reason;
};

size_t mix(size_t seed, size_t value) {
  return seed ^ (value + 0x9e3779b97f4a7c15u + (seed << 6) + (seed >> 2));
}

size_t hash_integer(Integer value) {
  return mix(static_cast<size_t>(value), static_cast<size_t>(value >> 64));
}

}  // namespace

Value Value::of(bool value) {
  Value result(Kind::kBool);
  result.boolean_ = value;
  return result;
}

Value Value::of(Integer value) {
  Value result(Kind::kInteger);
  result.integer_ = value;
  return result;
}

Value Value::of(double value) {
  Value result(Kind::kFloat);
  result.float_ = value;
  return result;
}

Value Value::literal(std::string text) {
  auto object = std::make_shared<TextObject>();
  object->text = std::move(text);
  return Value(Kind::kText, std::move(object));
}

Value undefined_because(std::string reason) {
  auto object = std::make_shared<UndefinedObject>();
  if (reason.size() > kReasonBytesMax) {  // it may quote a text of any length
    size_t end = kReasonBytesMax;
    while (end > 0 && (static_cast<unsigned char>(reason[end]) & 0xc0) == 0x80) {
      --end;
    }
    reason = reason.substr(0, end) + "...";
  }
  object->reason = std::move(reason);
  return Value(Kind::kUndefined, std::move(object));
}

bool Value::boolean() const {
  INVAR_CHECK(kind_ == Kind::kBool);
  return boolean_;
}

Integer Value::integer() const {
  INVAR_CHECK(is_integral());
  return kind_ == Kind::kBool ? static_cast<Integer>(boolean_) : integer_;
}

double Value::number() const {
  return kind_ == Kind::kFloat ? float_ : static_cast<double>(integer());
}

const std::string& Value::text() const {
  return as<const TextObject>(Kind::kText).text;
}

bool Value::is_markup() const {
  return is_text() && as<const TextObject>(Kind::kText).is_markup;
}

const ListObject& Value::list() const {
  INVAR_CHECK(is_sequence());
  return static_cast<const ListObject&>(*object_);
}

const std::vector<Value>& Value::items() const {
  return list().items;
}
const DictObject& Value::dict() const {
  return as<const DictObject>(Kind::kDict);
}
const DictViewObject& Value::dict_view() const {
  return as<const DictViewObject>(Kind::kDictView);
}
const RangeObject& Value::range() const {
  return as<const RangeObject>(Kind::kRange);
}
IteratorObject& Value::iterator() const {
  return as<IteratorObject>(Kind::kIterator);
}
NamespaceObject& Value::name_space() const {
  return as<NamespaceObject>(Kind::kNamespace);
}
LoopObject& Value::loop() const {
  return as<LoopObject>(Kind::kLoop);
}
const CallableObject& Value::callable() const {
  return as<const CallableObject>(Kind::kCallable);
}

std::string_view Value::undefined_reason() const {
  INVAR_CHECK(is_undefined());
  return object_ == nullptr ? std::string_view()
                            : static_cast<const UndefinedObject&>(*object_).reason;
}

const std::pair<Value, Value>* DictObject::find_entry(const Value& key, size_t hash) const {
  if (entries.size() < kIndexedDictSize) {
    for (const auto& entry : entries) {
      if (keys_equal(entry.first, key)) {
        return &entry;
      }
    }
    return nullptr;
  }
  const auto [begin, end] = index_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    if (keys_equal(entries[it->second].first, key)) {
      return &entries[it->second];
    }
  }
  return nullptr;
}

const Value* DictObject::find(const Value& key) const {
  const auto* entry = find_entry(key, hash_value(key));
  return entry == nullptr ? nullptr : &entry->second;
}

const Value* DictObject::find(std::string_view key) const {
  if (entries.size() >= kIndexedDictSize) {
    return find(Value::literal(std::string(key)));
  }
  for (const auto& [name, value] : entries) {
    if (name.is_text() && name.text() == key) {
      return &value;
    }
  }
  return nullptr;
}

void DictObject::set(const Value& key, const Value& value) {
  const size_t hash = hash_value(key);
  if (const auto* entry = find_entry(key, hash); entry != nullptr) {
    entries[static_cast<size_t>(entry - entries.data())].second = value;
    return;
  }
  entries.emplace_back(key, value);
  if (entries.size() == kIndexedDictSize) {
    for (size_t i = 0; i < entries.size(); ++i) {
      index_.emplace(hash_value(entries[i].first), i);
    }
  } else if (entries.size() > kIndexedDictSize) {
    index_.emplace(hash, entries.size() - 1);
  }
}

const Value* NamespaceObject::find(std::string_view name) const {
  for (const auto& [key, value] : attributes) {
    if (key == name) {
      return &value;
    }
  }
  return nullptr;
}

void NamespaceObject::set(std::string_view name, const Value& value) {
  for (auto& [key, old_value] : attributes) {
    if (key == name) {
      old_value = value;
      return;
    }
  }
  attributes.emplace_back(name, value);
}

std::string_view type_name(const Value& value) {
  switch (value.kind()) {
    case Kind::kUndefined:
      return "Undefined";
    case Kind::kNone:
      return "NoneType";
    case Kind::kBool:
      return "bool";
    case Kind::kInteger:
      return "int";
    case Kind::kFloat:
      return "float";
    case Kind::kText:
      return value.is_markup() ? "Markup" : "str";
    case Kind::kList:
      return "list";
    case Kind::kTuple:
      return "tuple";
    case Kind::kDict:
      return "dict";
    case Kind::kDictView: {
      const DictPart part = value.dict_view().part;
      return part == DictPart::kKeys     ? "dict_keys"
             : part == DictPart::kValues ? "dict_values"
                                         : "dict_items";
    }
    case Kind::kRange:
      return "range";
    case Kind::kIterator:
      return "generator";
    case Kind::kNamespace:
      return "Namespace";
    case Kind::kLoop:
      return "LoopContext";
    case Kind::kCallable:
      return "function";
  }
  return "unknown";
}

bool is_hashable(const Value& value) {
  switch (value.kind()) {
    case Kind::kNone:
    case Kind::kBool:
    case Kind::kInteger:
    case Kind::kFloat:
    case Kind::kText:
      return true;
    case Kind::kTuple:
      // Shared tuples could make a full walk exponential: as a tuple is never a useful key of a
      // template, only tuples of plain values count.
      for (const Value& item : value.items()) {
        if (item.is(Kind::kTuple) || !is_hashable(item)) {
          return false;
        }
      }
      return true;
    default:
      return false;
  }
}

size_t hash_value(const Value& value) {
  switch (value.kind()) {
    case Kind::kBool:
    case Kind::kInteger:
      return hash_integer(value.integer());
    case Kind::kFloat: {
      // Equal numbers of two types hash alike.
      const double number = value.number();
      const bool is_integer = number == std::trunc(number) && std::fabs(number) < 0x1p126;
      return is_integer ? hash_integer(static_cast<Integer>(number)) : std::hash<double>()(number);
    }
    case Kind::kText:
      return std::hash<std::string_view>()(value.text());
    case Kind::kTuple: {
      size_t seed = value.items().size();
      for (const Value& item : value.items()) {
        seed = mix(seed, item.is(Kind::kTuple) ? 0 : hash_value(item));
      }
      return seed;
    }
    default:
      return static_cast<size_t>(value.kind());
  }
}

}  // namespace invar::jinja
