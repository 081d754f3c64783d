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

}  // namespace invar
