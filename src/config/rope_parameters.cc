// See rope_parameters.h.
#include "config/rope_parameters.h"

#include "config/stated_fact.h"
#include "core/error.h"

namespace invar {
namespace {

// Within these no frequency exceeds 1, so that every position of a context has an angle.
constexpr NumberRange kRopeTheta{1, 1e12};
constexpr NumberRange kFactor{1, 1e6};
constexpr NumberRange kFrequencyFactor{1e-6, 1e6};
constexpr NumberRange kOriginalPositions{1, 0x1p24};
constexpr NumberRange kShare{1.0 / 256, 1};

void read_scaling(ConfigReader& scaling, RopeParameters& rope) {
  StatedFact<std::string> stated;
  for (const std::string_view name : {"rope_type", "type"}) {  // older files call it "type"
    stated.add(scaling, {name, ""}, scaling.find_string({name, ""}));
  }
  const std::string type = stated.value_or("default");
  if (type == "llama3") {
    rope.scaling = RopeScaling::kLlama3;
    rope.factor = scaling.get_number({"factor", ""}, kFactor);
    rope.low_freq_factor = scaling.get_number({"low_freq_factor", ""}, kFrequencyFactor);
    rope.high_freq_factor = scaling.get_number({"high_freq_factor", ""}, kFrequencyFactor);
    rope.original_max_position_embeddings =
        scaling.get_number({"original_max_position_embeddings", ""}, kOriginalPositions);
    if (rope.high_freq_factor <= rope.low_freq_factor) {
      fail(Code::kBadFile,
           "{}: key 'high_freq_factor': expected more than low_freq_factor {}, found {}",
           scaling.label(), rope.low_freq_factor, rope.high_freq_factor);
    }
  } else if (type != "default") {
    fail(Code::kUnsupported, "{}: key 'rope_type': expected 'default' or 'llama3', found '{}'",
         scaling.label(), type);
  }
}

}  // namespace

RopeParameters read_rope_parameters(ConfigReader& reader) {
  RopeParameters rope;
  // Newer files state it inside rope_parameters, older ones outside, some in both places.
  const ConfigKey theta{"rope_theta", "rope.freq_base"};
  const ConfigKey share{"partial_rotary_factor", ""};
  StatedFact<double> base;
  StatedFact<double> part;
  const auto add = [&](ConfigReader& from) {
    base.add(from, theta, from.find_number(theta, kRopeTheta));
    part.add(from, share, from.find_number(share, kShare));
  };
  if (reader.is_gguf()) {
    reader.require({"", "rope.scaling.type"}, "none");
  } else if (auto parameters = reader.object("rope_parameters")) {
    add(*parameters);
    if (!reader.has(theta)) {
      parameters->get_number(theta, kRopeTheta);
    }
    read_scaling(*parameters, rope);
    parameters->refuse_unread();
  } else if (auto scaling = reader.object("rope_scaling")) {
    read_scaling(*scaling, rope);
    scaling->refuse_unread();
  }
  add(reader);
  rope.rope_theta = base.value_or(rope.rope_theta);
  rope.partial_rotary_factor = part.value_or(1.0);
  return rope;
}

}  // namespace invar
