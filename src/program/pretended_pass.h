// A pass that is described but never run: what a program would read, write and compute.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "program/pass_tables.h"
#include "program/program.h"

namespace invar {

// One segment of `rows` rows that begins at `first_position`, the logits of its last row wanted.
// Needs no weights, caches or arena. The program must outlive it.
class PretendedPass {
 public:
  PretendedPass(const Program& program, int64_t rows, int64_t first_position);

  PretendedPass(const PretendedPass&) = delete;  // the binding holds addresses of members
  PretendedPass& operator=(const PretendedPass&) = delete;

  // To ask for costs and shapes; its addresses must not be read.
  const Binding& binding() const { return binding_; }
  int64_t arena_bytes() const { return arena_.bytes; }
  // The sum over all ops.
  Cost cost() const;

 private:
  const Program& program_;
  PassTables tables_;
  ArenaPlan arena_;
  std::vector<TensorView> states_;
  std::byte unread_[1] = {};
  Binding binding_;
};

}  // namespace invar
