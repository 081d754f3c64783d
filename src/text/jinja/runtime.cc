// Bounds and value making (runtime.h).
#include "text/jinja/runtime.h"

#include <algorithm>

namespace invar::jinja {
namespace {

// What make_shared's control block and the allocator add to an object, roughly.
constexpr int64_t kObjectOverheadBytes = 32;
// An entry of a dict's index, roughly.
constexpr int64_t kIndexEntryBytes = 48;
// A step takes about 100 ns.
constexpr int64_t kStepsBetweenLooks = 1024;

int deepest(const std::vector<Value>& values) {
  int depth = 0;
  for (const Value& value : values) {
    depth = std::max(depth, value.depth());
  }
  return depth;
}

int64_t value_bytes(size_t count) {
  return static_cast<int64_t>(count * sizeof(Value));
}

}  // namespace

Runtime::Runtime(Options options) : options_(std::move(options)) {}

Runtime::~Runtime() {
  for (const auto& object : namespaces_) {
    object->attributes.clear();
  }
}

void Runtime::fail_with(Code code, const std::string& message) const {
  invar::fail(code, "{}:{}: {}", options_.template_name, line_, message);
}

void Runtime::pass_checkpoint() {
  if (steps_ > options_.limits.steps) {
    fail("the template takes more than {} steps", options_.limits.steps);
  }
  options_.stop.look();
  checkpoint_ = std::min(options_.limits.steps, steps_ + kStepsBetweenLooks);
}

void Runtime::require_defined(const Value& value) const {
  if (value.is_undefined()) {
    const std::string_view reason = value.undefined_reason();
    fail("{}", reason.empty() ? "a value is undefined" : reason);
  }
}

void Runtime::check_text_size(int64_t bytes) const {
  if (bytes > options_.limits.text_bytes) {
    fail("a text is longer than {} bytes", options_.limits.text_bytes);
  }
}

void Runtime::check_item_count(int64_t count) const {
  const int64_t most = options_.limits.live_bytes / static_cast<int64_t>(sizeof(Value));
  if (count > most - meter_.live_bytes / static_cast<int64_t>(sizeof(Value))) {
    fail("the template's values take more than {} bytes", options_.limits.live_bytes);
  }
}

void Runtime::add_live_bytes(int64_t bytes) {
  if (bytes > options_.limits.live_bytes - meter_.live_bytes) {
    fail("the template's values take more than {} bytes", options_.limits.live_bytes);
  }
  meter_.live_bytes += bytes;
}

void Runtime::enter() {
  if (depth_ >= options_.limits.evaluation_depth) {
    fail("the template nests more than {} evaluations", options_.limits.evaluation_depth);
  }
  ++depth_;
}

void Runtime::retain_one() {
  if (++retained_ > options_.limits.retained_objects) {
    fail("the template makes more than {} macros and namespaces", options_.limits.retained_objects);
  }
}

void Runtime::charge_operands(const Value& value, const Arguments& arguments) {
  charge_items(arguments.positional.size() + arguments.keyword.size());
  charge_text(value.is_text() ? value.text().size() : 0);
  for (const Value& argument : arguments.positional) {
    charge_text(argument.is_text() ? argument.text().size() : 0);
  }
  for (const auto& [name, argument] : arguments.keyword) {
    charge_text(name.size() + (argument.is_text() ? argument.text().size() : 0));
  }
}

void Runtime::charge_key(const Value& key) {
  if (key.is_text()) {
    charge_text(key.text().size());
  } else if (key.is(Kind::kTuple)) {
    charge_items(key.items().size());
    for (const Value& item : key.items()) {
      charge_text(item.is_text() ? item.text().size() : 0);
    }
  }
}

void Runtime::require_hashable(const Value& key) {
  charge_key(key);
  if (!is_hashable(key)) {
    require_defined(key);
    fail("unhashable type: '{}'", type_name(key));
  }
}

template <class T>
std::shared_ptr<T> Runtime::make(int64_t extra_bytes, int inner_depth) {
  if (inner_depth >= options_.limits.value_depth) {
    fail("values are nested more than {} deep", options_.limits.value_depth);
  }
  step();
  const int64_t bytes = static_cast<int64_t>(sizeof(T)) + kObjectOverheadBytes + extra_bytes;
  add_live_bytes(bytes);
  auto object = std::make_shared<T>();
  object->meter = &meter_;
  object->metered_bytes = bytes;
  object->depth = inner_depth + 1;
  return object;
}

Value Runtime::text(std::string text, bool is_markup) {
  check_text_size(static_cast<int64_t>(text.size()));
  charge_text(text.size());
  auto object = make<TextObject>(static_cast<int64_t>(text.size()), 0);
  object->text = std::move(text);
  object->is_markup = is_markup;
  return Value(Kind::kText, std::move(object));
}

Value Runtime::sequence(Kind kind, std::vector<Value> items) {
  charge_items(items.size());
  auto object = make<ListObject>(value_bytes(items.size()), deepest(items));
  object->items = std::move(items);
  return Value(kind, std::move(object));
}

Value Runtime::parts_list(std::vector<Value> items, Value joined) {
  auto object = make<ListObject>(value_bytes(items.size()), deepest(items));
  object->items = std::move(items);
  object->joined_text = std::move(joined);
  return Value(Kind::kList, std::move(object));
}

Value Runtime::group(Value grouper, Value items) {
  std::vector<Value> pair = {std::move(grouper), std::move(items)};
  auto object = make<ListObject>(value_bytes(2), deepest(pair));
  object->items = std::move(pair);
  object->is_group = true;
  return Value(Kind::kTuple, std::move(object));
}

Value Runtime::dict(const std::vector<std::pair<Value, Value>>& entries) {
  int depth = 0;
  for (const auto& [key, value] : entries) {
    require_hashable(key);
    depth = std::max({depth, key.depth(), value.depth()});
  }
  step(static_cast<int64_t>(entries.size()));
  const auto index_bytes = static_cast<int64_t>(entries.size()) * kIndexEntryBytes;
  auto object = make<DictObject>(2 * value_bytes(entries.size()) + index_bytes, depth);
  object->entries.reserve(entries.size());
  for (const auto& [key, value] : entries) {
    object->set(key, value);
  }
  return Value(Kind::kDict, std::move(object));
}

Value Runtime::dict_view(const Value& dict, DictPart part) {
  auto object = make<DictViewObject>(0, dict.depth());
  object->dict = dict;
  object->part = part;
  return Value(Kind::kDictView, std::move(object));
}

Value Runtime::range(Integer start, Integer stop, Integer step) {
  if (step == 0) {
    fail("range() arg 3 must not be zero");
  }
  // Saturated, so that no difference below can overflow; a longer range is refused anyway.
  const Integer most = Integer{1} << 100;
  for (const Integer bound : {start, stop, step}) {
    if (bound > most || bound < -most) {
      fail("a bound of range() is too large");
    }
  }
  Integer length = 0;
  if (step > 0 && stop > start) {
    length = (stop - start + step - 1) / step;
  } else if (step < 0 && stop < start) {
    length = (start - stop - step - 1) / -step;
  }
  if (length > options_.limits.range_length) {
    fail("a range is longer than {}", options_.limits.range_length);
  }
  auto object = make<RangeObject>(0, 0);
  object->start = start;
  object->stop = stop;
  object->step = step;
  object->length = static_cast<int64_t>(length);
  return Value(Kind::kRange, std::move(object));
}

Value Runtime::iterator(std::vector<Value> items) {
  charge_items(items.size());
  auto object = make<IteratorObject>(value_bytes(items.size()), deepest(items));
  object->items = std::move(items);
  return Value(Kind::kIterator, std::move(object));
}

Value Runtime::name_space(const std::vector<std::pair<std::string, Value>>& attributes) {
  retain_one();
  auto object = make<NamespaceObject>(value_bytes(2 * attributes.size()), 0);
  for (const auto& [name, value] : attributes) {
    charge_items(object->attributes.size());
    object->set(name, value);
  }
  namespaces_.push_back(object);
  return Value(Kind::kNamespace, std::move(object));
}

Value Runtime::callable(std::string description, std::function<Value(Runtime&, Arguments&)> call,
                        const Value& held) {
  auto object = make<CallableObject>(static_cast<int64_t>(description.size()), held.depth());
  object->description = std::move(description);
  object->call = std::move(call);
  return Value(Kind::kCallable, std::move(object));
}

std::shared_ptr<LoopObject> Runtime::loop(std::shared_ptr<const std::vector<Value>> items) {
  auto object = make<LoopObject>(0, deepest(*items));
  object->items = std::move(items);
  return object;
}

void TextBuilder::append(std::string_view piece) {
  runtime_.check_text_size(static_cast<int64_t>(text_.size() + piece.size()));
  runtime_.add_live_bytes(static_cast<int64_t>(piece.size()));
  runtime_.charge_text(piece.size());
  text_.append(piece);
}

Value TextBuilder::take_value(bool is_markup) {
  return runtime_.text(take(), is_markup);
}

std::string TextBuilder::take() {
  runtime_.remove_live_bytes(static_cast<int64_t>(text_.size()));
  return std::exchange(text_, std::string());
}

}  // namespace invar::jinja
