// See rope_parameters.h.
#include "config/rope_parameters.h"

#include "core/error.h"

namespace invar {
namespace {

double positive(ConfigReader& reader, ConfigKey key) {
  const double value = reader.get_number(key);
  if (!(value > 0 && value < 1e12)) {
    fail(Code::kBadFile, "{}: key '{}': expected a number above 0 and below 1e12, found {}",
         reader.label(), key.hf, value);
  }
  return value;
}

void read_scaling(ConfigReader& scaling, RopeParameters& rope) {
  // Older files call it "type".
  const auto older = scaling.find_string({"type", ""});
  const std::string type =
      scaling.find_string({"rope_type", ""}).value_or(older.value_or("default"));
  if (type == "llama3") {
    rope.scaling = RopeScaling::kLlama3;
    rope.factor = positive(scaling, {"factor", ""});
    rope.low_freq_factor = positive(scaling, {"low_freq_factor", ""});
    rope.high_freq_factor = positive(scaling, {"high_freq_factor", ""});
    rope.original_max_position_embeddings =
        positive(scaling, {"original_max_position_embeddings", ""});
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
  rope.partial_rotary_factor = reader.find_number({"partial_rotary_factor", ""}).value_or(1.0);
  if (reader.is_gguf()) {
    if (reader.has({"", "rope.freq_base"})) {
      rope.rope_theta = reader.get_number({"", "rope.freq_base"});
    }
    reader.require({"", "rope.scaling.type"}, "none");
  } else if (auto parameters = reader.object("rope_parameters")) {
    rope.rope_theta = positive(*parameters, {"rope_theta", ""});
    rope.partial_rotary_factor =
        parameters->find_number({"partial_rotary_factor", ""}).value_or(rope.partial_rotary_factor);
    read_scaling(*parameters, rope);
    parameters->refuse_unread();
  } else {
    if (reader.has({"rope_theta", ""})) {
      rope.rope_theta = positive(reader, {"rope_theta", ""});
    }
    if (auto scaling = reader.object("rope_scaling")) {
      read_scaling(*scaling, rope);
      scaling->refuse_unread();
    }
  }
  if (!(rope.rope_theta > 0 && rope.rope_theta < 1e12)) {
    fail(Code::kBadFile, "{}: rope base: expected a number above 0 and below 1e12, found {}",
         reader.label(), rope.rope_theta);
  }
  if (!(rope.partial_rotary_factor > 0 && rope.partial_rotary_factor <= 1)) {
    fail(Code::kBadFile, "{}: key 'partial_rotary_factor': expected a number up to 1, found {}",
         reader.label(), rope.partial_rotary_factor);
  }
  return rope;
}

}  // namespace invar
