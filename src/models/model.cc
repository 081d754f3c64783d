// Loading: open the files, find the family, build, pack, refuse what is left over.
#include "models/model.h"

#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>

#include "cache/kv_block_table.h"
#include "cache/recurrent_table.h"
#include "core/error.h"
#include "formats/checkpoint.h"
#include "formats/json.h"
#include "models/packed_tensors.h"
#include "program/fuse/rule.h"

namespace invar {
namespace {

const Family& family_of(ConfigReader& reader) {
  const std::string architecture = reader.architecture();
  const Family* family = find_family(architecture, reader.is_gguf());
  if (family == nullptr) {
    std::vector<std::string_view> known;
    for (const Family* each : families()) {
      known.push_back(each->name);
    }
    fail(Code::kUnsupported, "{}: {}: expected one of {}, found '{}'", reader.label(),
         reader.is_gguf() ? "general.architecture" : "model_type", fmt::join(known, ", "),
         architecture);
  }
  return *family;
}

NumericPolicy policy_of(const ModelOptions& options, bool gguf) {
  NumericPolicy policy;
  policy.activation_dtype = options.dtype.value_or(DType::kF32);
  INVAR_CHECK(policy.activation_dtype != DType::kF16);
  policy.kv_dtype = options.kv_dtype.value_or(gguf ? DType::kF16 : policy.activation_dtype);
  return policy;
}

// Rows of int8 activations are made from f32: bf16 rows would round twice.
void refuse_bf16_with_quantized(const TensorSource& source) {
  for (const SourceTensor& tensor : source.tensors()) {
    const WeightFormatInfo* info =
        tensor.type ? find_weight_format(static_cast<uint32_t>(*tensor.type)) : nullptr;
    if (info != nullptr && info->quantized) {
      fail(
          Code::kUnsupported,
          "{}: --dtype bf16: expected a model without quantized weights, found tensor '{}' of type "
          "{} (its activations are int8: use f32, the default)",
          tensor.file, tensor.name, info->name);
    }
  }
}

// A context that no sequence could fill is refused before time is spent on it.
void require_memory(const Model& model, const ModelOptions& options, const std::string& label) {
  const int64_t machine = options.memory_bytes > 0
                              ? options.memory_bytes
                              : sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
  StateCounts unit_bytes;
  for (const StateBufferInfo& buffer : model.program.state_buffers) {
    unit_bytes[buffer.unit] += buffer.bytes_per_unit();
  }
  const int64_t state =
      kv_blocks_for(model.context) * unit_bytes[StateUnit::kKvBlock] +
      kRecurrentUnitsMax * (unit_bytes[StateUnit::kStatePage] + unit_bytes[StateUnit::kRowBlock]);
  int64_t tables = 0;
  for (const auto& table : model.tables.rope) {
    tables += table->bytes();
  }
  const int64_t all = model.weight_bytes + tables + state;
  if (all > machine) {
    fail(Code::kExhausted,
         "{}: context {}: expected at most {} bytes (the memory), found {}: {} of weights, {} of "
         "rope tables, {} of one sequence's state",
         label, model.context, machine, all, model.weight_bytes, tables, state);
  }
}

void fill_tables(const ModelTables& tables, int64_t context, ThreadTeam& team) {
  for (const auto& table : tables.rope) {
    team.run([&](int lane) {
      table->fill(context * lane / team.lanes(), context * (lane + 1) / team.lanes());
    });
  }
}

std::unique_ptr<Model> build_model(const TensorSource& source, ConfigReader& reader,
                                   const ModelOptions& options, ThreadTeam& team,
                                   const LoadProgress& progress) {
  auto model = std::make_unique<Model>();
  const Family& family = family_of(reader);
  model->family = family.name;
  model->policy = policy_of(options, reader.is_gguf());
  if (model->policy.activation_dtype == DType::kBF16) {
    refuse_bf16_with_quantized(source);
  }
  WeightStore weights(source, model->weights, {.metadata_only = options.metadata_only});
  FamilyInput input{
      .config = reader, .weights = weights, .policy = model->policy, .context = options.context};
  FamilyOutput output = family.build(input);
  reader.refuse_unread();
  check_packed_tensors(source, output.config.quantization, reader.label());
  model->weight_bytes = weights.weight_bytes();
  model->config = std::move(output.config);
  model->context = output.context;
  model->tables = std::move(output.tables);
  model->program = std::move(output.program);
  if (!options.metadata_only) {
    require_memory(*model, options, reader.label());
  }
  weights.finish(team, progress);
  if (!options.metadata_only) {
    fill_tables(model->tables, model->context, team);
  }
  if (options.fuse) {
    fuse(model->program);
  }
  return model;
}

// generation_config.json may name more end tokens than config.json.
void add_generation_config(const std::filesystem::path& directory, ModelConfig& config) {
  const std::filesystem::path path = directory / "generation_config.json";
  if (!std::filesystem::exists(path)) {
    return;
  }
  ConfigReader reader(path.string(), read_json_file(path, {.infinity = true}));
  for (int64_t id : read_end_tokens(reader, config.vocab_size)) {
    add_end_token(config, id);
  }
}

std::unique_ptr<const Model> load_directory(const std::filesystem::path& path,
                                            const ModelOptions& options, ThreadTeam& team,
                                            const LoadProgress& progress) {
  const std::filesystem::path config_path = path / "config.json";
  ConfigReader reader(config_path.string(), read_json_file(config_path, {.infinity = true}));
  family_of(reader);  // before the weights: an unknown family is the clearer message
  const Checkpoint checkpoint = Checkpoint::open(path);
  const TensorSource source(checkpoint);
  std::unique_ptr<Model> model = build_model(source, reader, options, team, progress);
  add_generation_config(path, model->config);
  model->name = std::filesystem::canonical(path).filename().string();
  return model;
}

void add_gguf_end_token(const GgufFile& file, ModelConfig& config) {
  constexpr std::string_view kKey = "tokenizer.ggml.eos_token_id";
  const auto id = file.find_integer(kKey);
  // Files write -1 or 2^32 - 1 for "none".
  if (!id || *id == -1 || *id == UINT32_MAX) {
    return;
  }
  if (*id < 0 || *id >= config.vocab_size) {
    fail(Code::kBadFile, "{}: key '{}': expected a token id from 0 to {}, found {}", file.label(),
         kKey, config.vocab_size - 1, *id);
  }
  config.eos_token_ids.push_back(*id);
}

std::unique_ptr<const Model> load_gguf(const std::filesystem::path& path,
                                       const ModelOptions& options, ThreadTeam& team,
                                       const LoadProgress& progress) {
  const GgufFile file = GgufFile::open(path);
  ConfigReader reader(file);
  const TensorSource source(file);
  std::unique_ptr<Model> model = build_model(source, reader, options, team, progress);
  add_gguf_end_token(file, model->config);
  model->name = path.stem().string();
  return model;
}

}  // namespace

std::unique_ptr<const Model> load_model(const std::filesystem::path& path,
                                        const ModelOptions& options, ThreadTeam& team,
                                        const LoadProgress& progress) {
  std::error_code error;
  return std::filesystem::is_directory(path, error) ? load_directory(path, options, team, progress)
                                                    : load_gguf(path, options, team, progress);
}

}  // namespace invar
