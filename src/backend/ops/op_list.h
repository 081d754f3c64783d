// The list of all ops: a new op is one line here and one include above.
#pragma once

#include "backend/ops/add.h"
#include "backend/ops/attention.h"
#include "backend/ops/embed.h"
#include "backend/ops/gather_rows.h"
#include "backend/ops/kv_write.h"
#include "backend/ops/linear.h"
#include "backend/ops/quantize_rows.h"
#include "backend/ops/rms_norm.h"
#include "backend/ops/rope.h"
#include "backend/ops/silu_mul.h"

namespace invar {

template <class... Ops>
struct OpTypes {};

using AllOps = OpTypes<  //
    Add,                 //
    Attention,           //
    Embed,               //
    GatherRows,          //
    KvWrite,             //
    Linear,              //
    QuantizeRows,        //
    RmsNorm,             //
    Rope,                //
    SiluMul>;

}  // namespace invar
