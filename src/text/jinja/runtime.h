// What every part of a render shares: the bounds and what is used of them, the place in the
// template for messages, and the making of values. Nothing else reaches into a render.
// Threads: one runtime is one render, on one thread. All values made by a runtime must be gone
// before it goes.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/stop_check.h"
#include "text/civil_time.h"
#include "text/jinja/limits.h"
#include "text/jinja/value.h"

namespace invar::jinja {

class Runtime {
 public:
  struct Options {
    std::string template_name;
    Limits limits;
    CivilTime now;
    // A list of text parts may stand for its text (ListObject::joined_text). Off: exactly the
    // reference's typing.
    bool parts_as_text = false;
    StopCheck stop = {};
  };
  explicit Runtime(Options options);
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  ~Runtime();

  const Limits& limits() const { return options_.limits; }
  const CivilTime& now() const { return options_.now; }
  bool parts_as_text() const { return options_.parts_as_text; }
  void set_line(int line) { line_ = line; }
  int line() const { return line_; }

  // Throws Error kBadArgument "name:line: message".
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    fail_with(Code::kBadArgument, fmt::format(format, std::forward<Args>(args)...));
  }
  // The same for what the language has and this program does not: kUnsupported.
  template <class... Args>
  [[noreturn]] void fail_unsupported(fmt::format_string<Args...> format, Args&&... args) const {
    fail_with(Code::kUnsupported, fmt::format(format, std::forward<Args>(args)...));
  }
  // Fails if the value is undefined, with its reason.
  void require_defined(const Value& value) const;

  // Each fails when its bound is passed.
  void step(int64_t count = 1) {
    steps_ += count;
    if (steps_ > checkpoint_) {
      pass_checkpoint();
    }
  }
  void charge_text(size_t bytes) { step(static_cast<int64_t>(bytes) / kBytesPerStep); }
  void charge_items(size_t count) { step(static_cast<int64_t>(count) / kItemsPerStep); }
  // Before a filter, test or method works on the texts among its operands.
  void charge_operands(const Value& value, const Arguments& arguments);
  // Before a key is hashed and compared with another.
  void charge_key(const Value& key);
  // The same, and fails if the value is no key.
  void require_hashable(const Value& key);
  void check_text_size(int64_t bytes) const;
  // Before `count` values are put into one list.
  void check_item_count(int64_t count) const;
  void add_live_bytes(int64_t bytes);
  void remove_live_bytes(int64_t bytes) { meter_.live_bytes -= bytes; }
  void enter();
  void leave() { --depth_; }
  int64_t steps() const { return steps_; }
  int64_t live_bytes() const { return meter_.live_bytes; }

  Value text(std::string text, bool is_markup = false);
  Value list(std::vector<Value> items) { return sequence(Kind::kList, std::move(items)); }
  Value tuple(std::vector<Value> items) { return sequence(Kind::kTuple, std::move(items)); }
  Value sequence(Kind kind, std::vector<Value> items);
  // A list that may stand for `joined` (see ListObject).
  Value parts_list(std::vector<Value> items, Value joined);
  // A pair of groupby().
  Value group(Value grouper, Value items);
  // Fails on a key that is not hashable.
  Value dict(const std::vector<std::pair<Value, Value>>& entries);
  Value dict_view(const Value& dict, DictPart part);
  Value range(Integer start, Integer stop, Integer step);
  Value iterator(std::vector<Value> items);
  Value name_space(const std::vector<std::pair<std::string, Value>>& attributes);
  // `held` is the deepest value that `call` captures.
  Value callable(std::string description, std::function<Value(Runtime&, Arguments&)> call,
                 const Value& held = {});
  std::shared_ptr<LoopObject> loop(std::shared_ptr<const std::vector<Value>> items);

  // Counts an object that lives until the render ends.
  void retain_one();

 private:
  [[noreturn]] void fail_with(Code code, const std::string& message) const;
  // Looks at what ends a render: the limit of steps, and whoever may stop it.
  void pass_checkpoint();
  template <class T>
  std::shared_ptr<T> make(int64_t extra_bytes, int inner_depth);

  Options options_;
  int line_ = 1;
  int64_t steps_ = 0;
  int64_t checkpoint_ = 0;  // the steps after which to look again
  int depth_ = 0;
  int64_t retained_ = 0;
  MemoryMeter meter_;
  // Namespaces can hold each other in a circle or in a long chain: they are kept here and emptied
  // one by one at the end, so that no reference count can leak and no destructor recurse.
  std::vector<std::shared_ptr<NamespaceObject>> namespaces_;
};

// Guards one level of evaluation.
class DepthGuard {
 public:
  explicit DepthGuard(Runtime& runtime) : runtime_(runtime) { runtime_.enter(); }
  ~DepthGuard() { runtime_.leave(); }
  DepthGuard(const DepthGuard&) = delete;
  DepthGuard& operator=(const DepthGuard&) = delete;

 private:
  Runtime& runtime_;
};

// Counts bytes that are held outside of values for the guard's life.
class HeldBytes {
 public:
  HeldBytes(Runtime& runtime, size_t bytes)
      : runtime_(runtime), bytes_(static_cast<int64_t>(bytes)) {
    runtime_.add_live_bytes(bytes_);
  }
  ~HeldBytes() { runtime_.remove_live_bytes(bytes_); }
  HeldBytes(const HeldBytes&) = delete;
  HeldBytes& operator=(const HeldBytes&) = delete;

 private:
  Runtime& runtime_;
  int64_t bytes_;
};

// A growing text within the bounds on one text and on memory.
class TextBuilder {
 public:
  explicit TextBuilder(Runtime& runtime) : runtime_(runtime) {}
  ~TextBuilder() { runtime_.remove_live_bytes(static_cast<int64_t>(text_.size())); }
  TextBuilder(const TextBuilder&) = delete;
  TextBuilder& operator=(const TextBuilder&) = delete;

  void append(std::string_view piece);
  void append(char piece) { append(std::string_view(&piece, 1)); }
  const std::string& str() const { return text_; }
  // The text as a value; the builder is empty afterwards.
  Value take_value(bool is_markup = false);
  std::string take();

 private:
  Runtime& runtime_;
  std::string text_;
};

}  // namespace invar::jinja
