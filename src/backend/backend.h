// A backend runs ops: one virtual `run` per op of backend/ops/op_list.h. An op that a backend lacks
// keeps the default, which throws Code::kUnsupported and names op and backend.
//
// `run` is called by every lane of the stream's thread team at once; it computes the lane's share
// of the outputs and does not wait for the others. Ops never allocate and never keep a view.
#pragma once

#include <string_view>

#include "backend/op.h"
#include "backend/ops/op_list.h"
#include "core/error.h"

namespace invar {

class Backend;

namespace internal {

std::string_view backend_name(const Backend& backend);

template <class Op>
class OpEntry {
 public:
  virtual void run(const Stream& stream, const Op& op) const;

 protected:
  ~OpEntry() = default;
};

template <class List>
class OpEntries;

template <class... Ops>
class OpEntries<OpTypes<Ops...>> : public OpEntry<Ops>... {
 public:
  using OpEntry<Ops>::run...;

 protected:
  ~OpEntries() = default;
};

}  // namespace internal

class Backend : public internal::OpEntries<AllOps> {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;  // for example "cpu/avx512" or "ref"
};

template <class Op>
void internal::OpEntry<Op>::run(const Stream& /*stream*/, const Op& /*op*/) const {
  // Every OpEntry is a base of exactly one Backend, so the cast is exact.
  fail(Code::kUnsupported, "backend {}: op '{}' is not implemented",
       backend_name(static_cast<const Backend&>(*this)), Op::kName);
}

}  // namespace invar
