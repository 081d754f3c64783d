// The values a template computes with: Python's, as far as chat templates use them. Lists, tuples,
// dicts and texts are immutable and shared; only namespaces, iterators and a few counters change.
// Values with content are made by Runtime (runtime.h), which bounds their size and depth.
// Threads: a value belongs to one render, except the literals of a parsed template, which are
// immutable and may be shared.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/error.h"

namespace invar::jinja {

// Wide enough for every integer of a JSON document; arithmetic beyond it is an error.
__extension__ typedef __int128 Integer;

enum class Kind : uint8_t {
  kUndefined,
  kNone,
  kBool,
  kInteger,
  kFloat,
  kText,
  kList,
  kTuple,
  kDict,
  kDictView,
  kRange,
  kIterator,
  kNamespace,
  kLoop,
  kCallable,
};

// Counts the bytes of living objects, for the limit on memory.
struct MemoryMeter {
  int64_t live_bytes = 0;
};

// Base of everything on the heap. `depth` is 1 + that of the deepest value inside; the bound on it
// is what makes recursion over values, destruction included, safe.
struct Object {
  Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  virtual ~Object() {
    if (meter != nullptr) {
      meter->live_bytes -= metered_bytes;
    }
  }
  MemoryMeter* meter = nullptr;
  int64_t metered_bytes = 0;
  int depth = 1;
};

struct TextObject;
struct ListObject;
struct DictObject;
struct DictViewObject;
struct RangeObject;
struct IteratorObject;
struct NamespaceObject;
struct LoopObject;
struct CallableObject;

// Cheap to copy. A default Value is undefined without a reason.
class Value {
 public:
  Value() = default;
  static Value none() { return Value(Kind::kNone); }
  static Value of(bool value);
  static Value of(Integer value);
  static Value of(int64_t value) { return of(static_cast<Integer>(value)); }
  static Value of(double value);
  // For the parser: a text outside any render's meter.
  static Value literal(std::string text);
  Value(Kind kind, std::shared_ptr<Object> object) : kind_(kind), object_(std::move(object)) {}

  Kind kind() const { return kind_; }
  bool is(Kind kind) const { return kind_ == kind; }
  bool is_undefined() const { return kind_ == Kind::kUndefined; }
  bool is_none() const { return kind_ == Kind::kNone; }
  bool is_text() const { return kind_ == Kind::kText; }
  bool is_sequence() const { return kind_ == Kind::kList || kind_ == Kind::kTuple; }
  // A bool, an integer: Python's int, of which bool is a kind.
  bool is_integral() const { return kind_ == Kind::kBool || kind_ == Kind::kInteger; }
  bool is_number() const { return is_integral() || kind_ == Kind::kFloat; }

  // Each may be called on its own kinds only.
  bool boolean() const;
  Integer integer() const;  // kBool, kInteger
  double number() const;    // kBool, kInteger, kFloat
  const std::string& text() const;
  bool is_markup() const;                   // false for other kinds too
  const std::vector<Value>& items() const;  // kList, kTuple
  const ListObject& list() const;           // kList, kTuple
  const DictObject& dict() const;
  const DictViewObject& dict_view() const;
  const RangeObject& range() const;
  IteratorObject& iterator() const;
  NamespaceObject& name_space() const;
  LoopObject& loop() const;
  const CallableObject& callable() const;
  // kUndefined: why, for the message of an error. Empty if there is no reason.
  std::string_view undefined_reason() const;

  const Object* object() const { return object_.get(); }
  int depth() const { return object_ == nullptr ? 0 : object_->depth; }

 private:
  explicit Value(Kind kind) : kind_(kind) {}
  template <class T>
  T& as(Kind kind) const {
    INVAR_CHECK(kind_ == kind);
    return static_cast<T&>(*object_);
  }

  Kind kind_ = Kind::kUndefined;
  union {
    bool boolean_;
    Integer integer_ = 0;
    double float_;
  };
  std::shared_ptr<Object> object_;
};

struct TextObject : Object {
  std::string text;  // valid UTF-8
  // Made by `safe` or `escape`: such a text escapes what is added to it (markup.h).
  bool is_markup = false;
};

// Lists and tuples.
struct ListObject : Object {
  std::vector<Value> items;
  // For a message's content of text parts only: the parts' texts in a row, a text that stands for
  // the list wherever the template uses it as a string. Undefined otherwise.
  Value joined_text;
  bool is_group = false;  // a pair of groupby(): also has the names `grouper` and `list`
};

// Insertion-ordered. Keys are texts, numbers, bools, none and tuples of those (see is_hashable).
struct DictObject : Object {
  std::vector<std::pair<Value, Value>> entries;
  // The value of `key`, or null.
  const Value* find(const Value& key) const;
  const Value* find(std::string_view key) const;
  // Adds, or replaces and keeps the place. Only while the dict is being built.
  void set(const Value& key, const Value& value);

 private:
  const std::pair<Value, Value>* find_entry(const Value& key, size_t hash) const;
  std::unordered_multimap<size_t, size_t> index_;  // hash to entry; used from a size upwards
};

enum class DictPart { kKeys, kValues, kItems };
struct DictViewObject : Object {
  Value dict;
  DictPart part = DictPart::kKeys;
};

struct RangeObject : Object {
  Integer start = 0;
  Integer stop = 0;
  Integer step = 1;
  int64_t length = 0;
  Integer at(int64_t index) const { return start + step * index; }
};

// What Python calls a generator: can be walked once.
struct IteratorObject : Object {
  std::vector<Value> items;
  size_t next = 0;
};

struct NamespaceObject : Object {
  std::vector<std::pair<std::string, Value>> attributes;
  const Value* find(std::string_view name) const;
  void set(std::string_view name, const Value& value);
};

// The `loop` variable.
struct LoopObject : Object {
  std::shared_ptr<const std::vector<Value>> items;
  size_t index0 = 0;
  int depth0 = 0;  // loops of the same template around this one; 0 as `recursive` is not supported
  std::vector<Value> changed_last;
  bool changed_called = false;
};

class Runtime;

struct Arguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> keyword;
};

// Macros, methods bound to their receiver, global functions.
struct CallableObject : Object {
  std::string description;  // what str() gives
  std::function<Value(Runtime&, Arguments&)> call;
};

// An undefined value whose use fails with `reason`.
Value undefined_because(std::string reason);

// Python's name of the type, for messages ("str", "NoneType").
std::string_view type_name(const Value& value);
// Plain values and tuples of plain values.
bool is_hashable(const Value& value);
// Of a hashable value; values that compare equal hash alike.
size_t hash_value(const Value& value);

}  // namespace invar::jinja
