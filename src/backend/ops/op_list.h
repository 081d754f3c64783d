// The list of all ops: a new op is one line here and one include above.
#pragma once

#include "backend/ops/add.h"
#include "backend/ops/attention.h"
#include "backend/ops/causal_conv.h"
#include "backend/ops/copy.h"
#include "backend/ops/delta_gates.h"
#include "backend/ops/delta_rule.h"
#include "backend/ops/depth_mix.h"
#include "backend/ops/embed.h"
#include "backend/ops/expert_linear.h"
#include "backend/ops/gated_rms_norm.h"
#include "backend/ops/gather_rows.h"
#include "backend/ops/head_linear.h"
#include "backend/ops/kv_write.h"
#include "backend/ops/linear.h"
#include "backend/ops/moe_combine.h"
#include "backend/ops/moe_route.h"
#include "backend/ops/mul.h"
#include "backend/ops/quantize_rows.h"
#include "backend/ops/rms_norm.h"
#include "backend/ops/rope.h"
#include "backend/ops/sigmoid_mul.h"
#include "backend/ops/silu_mul.h"
#include "backend/ops/situ_mul.h"
#include "backend/ops/ssd.h"

namespace invar {

template <class... Ops>
struct OpTypes {};

using AllOps = OpTypes<  //
    Add,                 //
    Attention,           //
    CausalConv,          //
    Copy,                //
    DeltaGates,          //
    DeltaRule,           //
    DepthMix,            //
    Embed,               //
    ExpertLinear,        //
    GatedRmsNorm,        //
    GatherRows,          //
    HeadLinear,          //
    KvWrite,             //
    Linear,              //
    MoeCombine,          //
    MoeRoute,            //
    Mul,                 //
    QuantizeRows,        //
    RmsNorm,             //
    Rope,                //
    SigmoidMul,          //
    SiluMul,             //
    SituMul,             //
    Ssd>;

}  // namespace invar
