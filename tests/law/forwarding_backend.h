// Test support: a backend that hands every op on to another one. Tests derive from it and override
// an op, to plant a fault.
#pragma once

#include "backend/backend.h"

namespace invar {

template <class List>
class ForwardingOps;

template <>
class ForwardingOps<OpTypes<>> : public Backend {
 public:
  explicit ForwardingOps(const Backend& inner) : inner_(inner) {}
  std::string_view name() const override { return inner_.name(); }

 protected:
  const Backend& inner() const { return inner_; }

 private:
  const Backend& inner_;
};

template <class Op, class... Others>
class ForwardingOps<OpTypes<Op, Others...>> : public ForwardingOps<OpTypes<Others...>> {
 public:
  using ForwardingOps<OpTypes<Others...>>::ForwardingOps;
  using ForwardingOps<OpTypes<Others...>>::run;
  void run(const Stream& stream, const Op& op) const override { this->inner().run(stream, op); }
};

// The inner backend must outlive it.
using ForwardingBackend = ForwardingOps<AllOps>;

// For faults that look at a pass's segments: f(segment, first row, last row) for each, on the lane
// that plants them.
template <class Op, class Function>
void for_each_segment(const Stream& stream, const Op& op, Function f) {
  for (int64_t segment = 0; stream.lane == 0 && segment + 1 < op.cu_rows.rows; ++segment) {
    f(segment, *op.cu_rows.template row<int32_t>(segment),
      *op.cu_rows.template row<int32_t>(segment + 1) - 1);
  }
}

}  // namespace invar
